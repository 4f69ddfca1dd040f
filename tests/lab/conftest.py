# SPDX-License-Identifier: Apache-2.0
"""One lab a test file, and a daemon that serves it."""

import pytest

from harness import servers
from harness.lab import serve_pool
from harness.wait import wait_until


@pytest.fixture(scope="module")
def lab(make_lab):
    """A lab of the usual shape, nginx running on its backends."""
    one = make_lab(clients=1, balancers=1, backends=4)
    for backend in one.backends:
        servers.start_nginx(backend)
    return one


@pytest.fixture(scope="module")
def balanced(lab):
    """balanced(weights=.., ports=.., backends=..): the lab and a daemon that serves them, made once a module."""
    made = []

    def make(backends=None, **shape):
        if not made:
            for backend in lab.backends:
                backend.attach_receiver()
            daemon = lab.lb1.daemon().start()
            chosen = [lab.hosts[name] for name in backends] if backends else lab.backends
            serve_pool(daemon, chosen, **shape)
            wait_until(lambda: lab.c1.run("curl", "-s", "-m", "1", "http://203.0.113.10/", check=False).stdout,
                            20, "the VIP answers")
            made.append((lab, daemon))
        return made[0]

    return make
