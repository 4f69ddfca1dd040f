# SPDX-License-Identifier: Apache-2.0
"""What the documents tell a reader to type does what they say it does."""

import document
import pytest

from harness import servers
from stage import Stage

# name -> (balancers, backends)
LABS = {"README.md": (1, 2), "docs/operations.md": (2, 5)}


@pytest.fixture(params=LABS)
def told(request, make_lab):
    balancers, backends = LABS[request.param]
    lab = make_lab(clients=1, balancers=balancers, backends=backends)
    lab.route(lab.balancers[:1])
    for backend in lab.backends:
        servers.start_nginx(backend)
    stage = Stage(lab)
    try:
        yield stage.up(), document.commands(request.param)
    finally:
        stage.down()


def test_what_is_told_is_so(told):
    stage, commands = told
    assert len(commands) > 5
    for command in commands:
        status, said = stage.run(command.host, command.text)
        where = f"{command.place}: {command.host} {command.text}"
        assert status == command.status, f"{where}: exit status {status}\n{said}"
        assert document.agrees(command.shown, said), f"{where}\n{said}\nis not what is shown:\n" + "\n".join(command.shown)
