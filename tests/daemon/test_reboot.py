# SPDX-License-Identifier: Apache-2.0
"""Reboots in the middle of a write: the last generation whose commit is whole is what rules."""

import contextlib
import shutil
import sqlite3
import struct

import pytest


CUTS = 10
WAL_HEADER, FRAME_HEADER = 32, 24


def committed(wal, page):
    """Offsets after each commit in a write-ahead log (sqlite.org/fileformat2, 4): frames that bear the database's size."""
    frame = FRAME_HEADER + page
    return [at + frame for at in range(WAL_HEADER, len(wal) - frame + 1, frame)
            if struct.unpack(">I", wal[at + 4:at + 8])[0]]


def ends_of(daemon, generations, directory):
    """For each generation, the offset behind the commit that made it. The daemon commits other things, too, and keeps a
    place in the log that holds old frames: SQLite itself says which generation a log ends with."""
    log, database = daemon.database.with_name(daemon.database.name + "-wal").read_bytes(), daemon.database.read_bytes()
    page, ends = struct.unpack(">H", database[16:18])[0], {}
    for number, end in enumerate(committed(log, 65536 if page == 1 else page)):
        copy = directory / f"cut{number}.db"
        copy.write_bytes(database)
        copy.with_name(copy.name + "-wal").write_bytes(log[:end])
        with contextlib.closing(sqlite3.connect(copy)) as opened:
            ends.setdefault(opened.execute("SELECT max(number) FROM generations").fetchone()[0], end)
    return [ends[generation] for generation in generations]


@pytest.fixture
def crashed(idle):
    """An instance that died with its last changes in the write-ahead log: the log, its commits, what each made."""
    idle.start()
    idle.operate("pool.add", name="db", table_size=1021)
    for i in range(1, 4):
        idle.operate("backend.add", pool="db", name=f"db{i}", address=f"10.9.0.1{i}")
    idle.operate("service.add", proto="tcp", listen="203.0.113.10:5432", pool="db")
    idle.operate("interface.attach", name="eth0")
    idle.stop()  # everything so far goes into the database itself
    idle.start()
    generations = [idle.get("/v1/status")["generation"]["number"]]
    digests = [idle.get("/v1/pools/db")["digests"]["table"]]
    for weight in (50, 60, 70):
        generations.append(idle.operate("backend.set", pool="db", name="db1", weight=weight)["generation"])
        digests.append(idle.get("/v1/pools/db")["digests"]["table"])
    idle.kill()
    return idle, generations, digests


def test_ten_cuts(crashed, tmp_path):
    daemon, generations, digests = crashed
    log = daemon.database.with_name(daemon.database.name + "-wal")
    whole, database = log.read_bytes(), daemon.database.read_bytes()
    ends, seen = ends_of(daemon, generations[1:], tmp_path), set()
    before = 2 * ends[0] - ends[1]  # about where the first of them begins
    for cut in range(CUTS):
        length = before + (ends[-1] - before) * cut // (CUTS - 1) - (cut % 3 == 1) * 7
        daemon.database.write_bytes(database)
        log.write_bytes(whole[:max(length, 0)])
        log.with_name(daemon.database.name + "-shm").unlink(missing_ok=True)
        shutil.rmtree(daemon.pins, ignore_errors=True)
        daemon.start()
        last = sum(end <= length for end in ends)
        status = daemon.get("/v1/status")
        assert status["generation"]["number"] == generations[last], (cut, length, ends)
        assert daemon.get("/v1/pools/db")["digests"]["table"] == digests[last]
        assert status["interfaces"][0]["state"] == "attached" and status["services"][0]["up"] == 3
        assert daemon.get("/v1/why?proto=tcp&src=198.51.100.7:40000&dst=203.0.113.10:5432")["verdict"] == "forward"
        seen.add(last)
        daemon.kill()
    assert len(seen) >= 3, "the cuts fell between different commits"


def test_a_byte_that_rotted_in_the_log_ends_it_there(crashed, tmp_path):
    daemon, generations, digests = crashed
    log = daemon.database.with_name(daemon.database.name + "-wal")
    whole = bytearray(log.read_bytes())
    first = ends_of(daemon, generations[1:2], tmp_path)[0]
    whole[first + FRAME_HEADER + 100] ^= 0xff
    log.write_bytes(whole)
    log.with_name(daemon.database.name + "-shm").unlink(missing_ok=True)
    daemon.start()
    assert daemon.get("/v1/status")["generation"]["number"] == generations[1]
    assert daemon.get("/v1/pools/db")["digests"]["table"] == digests[1]
