#!/usr/bin/python3 -B
# SPDX-License-Identifier: Apache-2.0
"""Downloads from chosen ports, on command: a line of JSON asks, a line of JSON answers.

    downloader.py ADDRESS PORT PATH

    {"open": [20001, ...]}   begins a download from each of these ports; answers when each has an answer or an error
    {"report": null}         what became of each: {"20001": {"backend": "b1", "bytes": 65536, "error": null}, ...}
    {"close": null}          ends all of them by a reset, so that their ports are free again; answers like report"""

import errno
import json
import os
import re
import selectors
import socket
import struct
import sys
import time

ANSWER_SECONDS = 20


class Download:
    def __init__(self, target, port, path):
        self.head, self.bytes, self.backend, self.error = b"", 0, None, None
        self.request = f"GET {path} HTTP/1.0\r\n\r\n".encode()
        self.socket = socket.socket()
        self.socket.setblocking(False)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.socket.bind(("", port))
        self.socket.connect_ex(target)

    def ready(self):
        try:
            if self.request and not self.socket.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR):
                self.request = self.request[self.socket.send(self.request):]
                return
            piece = self.socket.recv(1 << 18)
            if not piece:
                self.error = "eof"
            self.bytes += len(piece)
            if not self.backend:
                self.head += piece
                named = re.search(rb"X-Backend: (\S+)", self.head)
                self.backend = named and named[1].decode()
        except BlockingIOError:
            pass
        except OSError as error:
            self.error = errno.errorcode.get(error.errno, str(error))

    def value(self):
        return {"backend": self.backend, "bytes": self.bytes, "error": self.error}


class Downloader:
    def __init__(self, address, port, path):
        self.target, self.path = (address, int(port)), path
        self.downloads = {}
        self.selector = selectors.DefaultSelector()
        self.selector.register(sys.stdin, selectors.EVENT_READ)

    def watch(self, download):
        write = selectors.EVENT_WRITE if download.request else 0
        self.selector.modify(download.socket, selectors.EVENT_READ | write, download)

    def step(self, seconds):
        """Reads what there is; whether a command waits."""
        asked = False
        for key, _ in self.selector.select(seconds):
            if key.fileobj is sys.stdin:
                asked = True
                continue
            key.data.ready()
            if key.data.error:
                self.selector.unregister(key.data.socket)
            else:
                self.watch(key.data)
        return asked

    def open(self, ports):
        for port in ports:
            self.downloads[port] = Download(self.target, port, self.path)
            self.selector.register(self.downloads[port].socket, selectors.EVENT_READ | selectors.EVENT_WRITE,
                                   self.downloads[port])
        end = time.monotonic() + ANSWER_SECONDS
        while any(not d.backend and not d.error for d in self.downloads.values()) and time.monotonic() < end:
            self.step(0.05)

    def close(self):
        for download in self.downloads.values():
            if not download.error:
                self.selector.unregister(download.socket)
            download.socket.close()
        self.downloads = {}

    def report(self):
        return {port: download.value() for port, download in self.downloads.items()}

    def obey(self, line):
        (word, value), = json.loads(line).items()
        if word == "open":
            self.open(value)
        said = self.report()
        if word == "close":
            self.close()
        print(json.dumps(said), flush=True)

    def run(self):
        pending = b""
        while True:
            if not self.step(1):
                continue
            text = os.read(0, 1 << 16)
            if not text:
                return
            *lines, pending = (pending + text).split(b"\n")
            for line in lines:
                self.obey(line)


if __name__ == "__main__":
    Downloader(*sys.argv[1:]).run()
