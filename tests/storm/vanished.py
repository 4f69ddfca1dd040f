# SPDX-License-Identifier: Apache-2.0
"""The trial of a database that vanishes: changes and starts are refused, and connections stay where they are."""

from harness import HarnessError
from broken import expect
from field import POOL

CONNECTIONS, ROUNDS, ANSWERED_SECONDS = 400, 3, 60


def answered(field, when):
    """Every connection has been answered several times more, by the server that it had."""
    before = field.client.report()["tcp"]
    field.client.wait_for(lambda r: field.client.events
                          or r["tcp"]["answers"] >= before["answers"] + ROUNDS * before["live"], ANSWERED_SECONDS, "answers")
    expect(not field.client.events, f"{len(field.client.events)} broke {when}: {field.client.events[:3]}")


def files(daemon):
    database = daemon.database
    return [path for path in database.parent.glob(database.name + "*") if path.suffix != ".lock"]


def lose(daemon):
    for path in files(daemon):
        path.unlink()


def is_refused(daemon):
    try:
        daemon.start()
    except HarnessError as error:
        expect("the database is lost" in str(error), f"the start failed otherwise: {error}")
        return
    expect(False, "it started without its database")


def changes_are_refused(daemon, name):
    before = daemon.json("status")["generation"]["number"]
    done = daemon.run(f"backend drain {POOL}/{name}", status=None)
    expect(done.returncode == 1 and "was removed" in done.stderr, f"a change was not refused: {done.stderr}")
    expect(daemon.run("status --check", status=None).returncode == 1, "status --check does not tell")
    expect(daemon.json("status")["generation"]["number"] == before, "another generation is in force")


def vanishes(field):
    """On both balancers at once: while they run, and when they start again; then once restored, once fresh."""
    name = field.first[0].name
    field.everywhere(f"backend drain {POOL}/{field.first[1].name}")
    field.population("tcp", CONNECTIONS)
    for daemon in field.daemons:
        daemon.stop()  # what it held in its log is in the file then
    kept = {path: path.read_bytes() for daemon in field.daemons for path in files(daemon)}
    for daemon in field.daemons:
        daemon.start()
        lose(daemon)
        changes_are_refused(daemon, name)
    answered(field, "when the databases were removed")
    for daemon in field.daemons:
        daemon.kill()
        is_refused(daemon)
    answered(field, "when starts were refused")
    for path, content in kept.items():
        path.write_bytes(content)
    for daemon in field.daemons:
        daemon.start()
        (daemon.directory / "file.yaml").write_text(daemon.run("export --state").stdout)
        daemon.kill()
        lose(daemon)
        is_refused(daemon)
    answered(field, "when the databases were restored, and lost again")
    for daemon in field.daemons:
        daemon.arguments = ("--config", str(daemon.directory / "file.yaml"), "--fresh")
        daemon.start()
    answered(field, "at the fresh starts")
    tables = {digests["table"] for digests in field.digests()}
    expect(len(tables) == 1, f"the tables do not agree: {tables}")
    field.everywhere(f"backend activate {POOL}/{field.first[1].name}")
    answered(field, "at the first change after")
    return f"{field.live()} connections, two balancers: lost twice, refused twice, restored once, fresh once; 0 broke"
