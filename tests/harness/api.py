# SPDX-License-Identifier: Apache-2.0
"""HTTP over a Unix socket: the daemon's API as any client speaks it."""

import http.client
import json
import socket

from harness import HarnessError


class Connection(http.client.HTTPConnection):
    """One connection, for as many questions as one likes."""

    def __init__(self, path, timeout=60):
        super().__init__("localhost", timeout=timeout)
        self.path = str(path)

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self.path)

    def ask(self, method, path, body=None):
        """Status and parsed answer. body: text, bytes, or what becomes JSON."""
        self.request(method, path, body if body is None or isinstance(body, (str, bytes)) else json.dumps(body))
        response = self.getresponse()
        return response.status, json.loads(response.read())

    def get(self, path):
        status, answer = self.ask("GET", path)
        if status != 200:
            raise HarnessError(f"{path}: {status}: {answer}")
        return answer
