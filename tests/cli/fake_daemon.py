# SPDX-License-Identifier: Apache-2.0
"""A daemon that answers as docs/api.md says, and fails as it is told to: for what a real one cannot be made to say."""

import json
import os
import socketserver
import threading
from http.server import BaseHTTPRequestHandler
from urllib.parse import unquote

STATUS = {
    "host": "lb1", "instance": "default", "version": "0.1.0", "state": "ready", "problems": [],
    "generation": {"number": 42, "time": 0, "cause": "backend drain db/db2", "author": "root"},
    "seed": "6f1c9a3e5b7d2048", "flow_hash": 1, "uptime": 12.5,
    "interfaces": [{"name": "eth0", "mode": "native", "state": "attached", "program": "9f3a1c0b2d4e5f60",
                    "program_id": 31, "link_id": 7, "problem": None}],
    "services": [{"service": "tcp 203.0.113.10:5432", "pool": "db", "up": 3, "backends": 4,
                  "new_per_second": 812.0, "packets_per_second": 84000.0, "bits_per_second": 4.1e8,
                  "packets": 1, "bytes": 2, "flows": 3}],
    "pools": [{"name": "db", "scheme": "maglev", "slots": 65537, "moving": 16384, "settles_in": 6960,
               "table": "c41f09ab12345678", "history": "77e0d2b100000000"}],
    "flows": {"remembered": 7115, "limit": 1048576, "evicted_opening": 0, "evicted_established": 0},
    "slots": {"used": 65537, "limit": 16777216},
    "warnings": ["db/db4 down 12s: connect refused"],
}


def backend(name, address, **other):
    return {"pool": "db", "name": name, "address": address, "weight": 100, "zone": "", "admin": "active",
            "health": "up", "health_rule": "auto", "slots": 0, "share": 0.5, "new_per_second": 0.0,
            "packets_per_second": 0.0, "remembered": 0, "counted": 0.0, "packets": 1, "bytes": 2, "flows": 3, "number": 1,
            "next_hop": {"interface": "eth0", "mac": "02:00:00:00:00:01", "gateway": None, "mtu": 1700,
                         "resolved": True, "problem": None}, "note": "", **other}


BACKENDS = [
    backend("db1", "10.0.0.11", slots=32769, new_per_second=407.0, packets_per_second=40000.0, remembered=3204),
    backend("db2", "10.0.0.12", admin="draining", packets_per_second=4000.0, remembered=811,
            note="4m, last heard 2s"),
    backend("db3", "10.0.0.13", slots=32768, new_per_second=405.0, packets_per_second=40000.0, remembered=3100),
    backend("db4", "10.0.0.14", health="down", note="12s: connect refused"),
]

POOL = {"name": "db", "scheme": "maglev", "table_size": 65537, "seed": None, "hash": "5tuple", "encap": "ipip",
        "source": ["10.64.0.0/16"], "grace": {"tcp": 10, "udp": 0}, "services": ["tcp 203.0.113.10:5432"],
        "backends": 4, "up": 3, "moving": 0, "settles_in": None,
        "digests": {"table": "c41f09ab12345678", "history": "0000000000000000"}}

WHY = {"verdict": "forward", "reason": None, "service": "tcp 203.0.113.10:5432", "pool": "db",
       "hash": "0123456789abcdef", "slot": 4711, "slots": 65537, "preferences": ["db1", "db3", "db2"],
       "owner": "db/db1", "backend": "db/db1", "by": "owner", "next_hop": BACKENDS[0]["next_hop"],
       "outer": {"source": "10.64.3.4", "destination": "10.0.0.11", "encap": "ipip"},
       "program": "9f3a1c0b2d4e5f60"}


def changed(moved=16384, **other):
    return {"generation": 42, "changed": True, "dry_run": False,
            "plan": {"pools": [{"name": "db", "change": "change", "slots": 65537, "moved": moved,
                                "share": moved / 65537, "needless": 0, "rebuilt": False}],
                     "backends": {"added": 1, "removed": 0}, "services": False}, "warnings": [], **other}


class Handler(BaseHTTPRequestHandler):
    def answer(self):
        length = int(self.headers.get("Content-Length") or 0)
        body = json.loads(self.rfile.read(length)) if length else None
        path = unquote(self.path)
        self.server.requests.append((self.command, path, body))
        status, reply = self.server.replies.get(path.split("?")[0], (404, {"error": {"what": f"no {path}"}}))
        if callable(reply):
            reply = reply()
        data = reply if isinstance(reply, bytes) else json.dumps(reply).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    do_GET = do_POST = answer

    def address_string(self):
        return "unix"

    def log_message(self, *_):
        pass


class FakeDaemon(socketserver.ThreadingMixIn, socketserver.UnixStreamServer):
    daemon_threads = True

    def __init__(self, directory, instance="default"):
        self.path = os.path.join(directory, instance + ".sock")
        self.requests = []  # (method, path, body), as they came
        self.replies = {"/v1/status": (200, STATUS), "/v1/backends": (200, {"backends": BACKENDS}),
                        "/v1/backends/db/db1": (200, BACKENDS[0]), "/v1/pools": (200, {"pools": [POOL]}),
                        "/v1/pools/db": (200, POOL), "/v1/why": (200, WHY),
                        "/v1/interfaces": (200, {"interfaces": STATUS["interfaces"]}),
                        "/v1/services": (200, {"services": STATUS["services"]}),
                        "/v1/version": (200, {"version": "0.1.0", "abi": 2, "flow_hash": 1}),
                        "/v1/operations": (200, changed())}
        super().__init__(self.path, Handler)
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()

    def close(self):
        self.shutdown()
        self.server_close()
