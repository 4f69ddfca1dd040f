#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Traffic of the lab: clients that count who answered, and a datagram server that counts who asked.

    traffic.py connect ADDRESS PORT [--count N | until SIGTERM] [--at-once N] [--rate N] [--from ADDRESS ..] [--flows]
    traffic.py send ADDRESS PORT --seconds S --rate N --sources N [--from ADDRESS ..] [--flows]
    traffic.py serve NAME ADDRESS PORT

Each prints one JSON object when it ends. A flow is written "address:port", as its client sees itself."""

import argparse
import collections
import errno
import json
import select
import signal
import socket
import sys
import time

REQUEST = b"GET / HTTP/1.0\r\n\r\n"
PATIENCE = 10  # seconds a connection or the last answers may take
STATUS_OK = b" 200 "
TCP_INFO_TOTAL_RETRANS = 100  # offset of tcpi_total_retrans in struct tcp_info

stopped = False


def stop(*_):
    global stopped
    stopped = True


def name_flow(address):
    return f"[{address[0]}]:{address[1]}" if ":" in address[0] else f"{address[0]}:{address[1]}"


def family_of(address):
    return socket.AF_INET6 if ":" in address else socket.AF_INET


def without_waiting(sock):
    sock.setblocking(False)
    return sock


class Connections:
    """Opens connections one after another, at most so many at once, asks each for / and counts the answers."""

    def __init__(self, args):
        self.args = args
        self.server = (args.address, args.port)
        self.poll = select.epoll()
        self.open = {}  # fd -> [socket, when it began, what it received]
        self.started = 0
        self.answers = collections.Counter()
        self.errors = collections.Counter()
        self.failures = []  # [began, ended, was it established, why], times of CLOCK_MONOTONIC
        self.flows = {}
        self.retransmitted = 0

    def wanted(self):
        return not stopped and (not self.args.count or self.started < self.args.count)

    def begin(self):
        sock = without_waiting(socket.socket(family_of(self.server[0]), socket.SOCK_STREAM))
        if self.args.sources:
            sock.setsockopt(socket.IPPROTO_IP, 24, 1)  # IP_BIND_ADDRESS_NO_PORT: ports are per destination
            sock.bind((self.args.sources[self.started % len(self.args.sources)], 0))
        self.started += 1
        code = sock.connect_ex(self.server)
        if code not in (0, errno.EINPROGRESS):
            self.fail(time.monotonic(), False, errno.errorcode[code])
            sock.close()
            return
        self.open[sock.fileno()] = [sock, time.monotonic(), b"", False]
        self.poll.register(sock.fileno(), select.EPOLLOUT)

    def fail(self, began, established, why):
        self.errors[why] += 1
        self.failures.append([began, time.monotonic(), established, why])

    def end(self, fd, error=None):
        sock, began, received, established = self.open.pop(fd)
        self.poll.unregister(fd)
        if not error and STATUS_OK not in received[:20]:
            error = "no answer"
        if error:
            self.fail(began, established, error)
        else:
            name = received.rsplit(b"\r\n\r\n", 1)[1].decode().strip()
            self.answers[name] += 1
            if self.args.flows:
                self.flows[name_flow(sock.getsockname())] = name
        info = sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 192)
        self.retransmitted += int.from_bytes(info[TCP_INFO_TOTAL_RETRANS:TCP_INFO_TOTAL_RETRANS + 4], sys.byteorder)
        sock.close()

    def advance(self, fd, event):
        entry = self.open[fd]
        try:
            if event & select.EPOLLOUT:
                error = entry[0].getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
                if error:
                    return self.end(fd, errno.errorcode[error])
                entry[3] = True
                entry[0].send(REQUEST)
                self.poll.modify(fd, select.EPOLLIN)
                return None
            data = entry[0].recv(4096)
        except OSError as error:
            return self.end(fd, errno.errorcode[error.errno])
        entry[2] += data
        return None if data else self.end(fd)

    def expire(self):
        late = time.monotonic() - PATIENCE
        for fd in [fd for fd, (_, began, *_) in self.open.items() if began < late]:
            self.end(fd, "timeout")

    def run(self):
        began = time.monotonic()
        while self.wanted() or self.open:
            allowed = (time.monotonic() - began) * self.args.rate if self.args.rate else float("inf")
            while self.wanted() and len(self.open) < self.args.at_once and self.started < allowed:
                self.begin()
            for fd, event in self.poll.poll(0.005 if self.wanted() else 0.1):
                self.advance(fd, event)
            self.expire()
        return {"started": self.started, "answers": self.answers, "errors": self.errors,
                "failed": sum(self.errors.values()), "failures": self.failures, "retransmitted": self.retransmitted, "flows": self.flows}


def send(args):
    """Sends datagrams at an even pace from so many sockets, and counts what came back and from whom."""
    socks = []
    for number in range(args.flow_count):
        sock = without_waiting(socket.socket(family_of(args.address), socket.SOCK_DGRAM))
        if args.sources:
            sock.bind((args.sources[number % len(args.sources)], 0))
        sock.connect((args.address, args.port))
        socks.append(sock)
    poll = select.epoll()
    by_fd = {sock.fileno(): sock for sock in socks}
    for fd in by_fd:
        poll.register(fd, select.EPOLLIN)
    sent, answers, errors, flows = 0, collections.Counter(), collections.Counter(), {}
    began = time.monotonic()
    total = int(args.seconds * args.rate)
    quiet_since = None

    def collect(wait):
        got = False
        for fd, _ in poll.poll(wait):
            try:
                name = by_fd[fd].recv(2048).split(b" ")[0].decode()
                answers[name] += 1
                flows[name_flow(by_fd[fd].getsockname())] = name
                got = True
            except OSError as error:
                errors[errno.errorcode[error.errno]] += 1
        return got

    while sent < total and not stopped:
        while sent < min(total, (time.monotonic() - began) * args.rate):
            try:
                socks[sent % len(socks)].send(b"%d" % sent)
            except OSError as error:
                errors[errno.errorcode[error.errno]] += 1
            sent += 1
        collect(0.002)
    quiet_since = time.monotonic()
    while sum(answers.values()) < sent and time.monotonic() - quiet_since < 2:
        if collect(0.1):
            quiet_since = time.monotonic()
    return {"sent": sent, "answers": answers, "received": sum(answers.values()), "errors": errors,
            "flows": flows if args.flows else {}}


def serve(args):
    """Answers each datagram with the server's name and what was asked, until SIGTERM."""
    sock = socket.socket(family_of(args.address), socket.SOCK_DGRAM)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4 << 20)
    sock.bind((args.address, args.port))
    sock.settimeout(0.2)
    name = args.name.encode()
    received, flows = 0, collections.Counter()
    while not stopped:
        try:
            data, client = sock.recvfrom(2048)
        except socket.timeout:
            continue
        received += 1
        flows[name_flow(client)] += 1
        sock.sendto(name + b" " + data, client)
    return {"received": received, "flows": flows}


def parse():
    parser = argparse.ArgumentParser()
    verbs = parser.add_subparsers(dest="verb", required=True)
    for verb in ("connect", "send"):
        client = verbs.add_parser(verb)
        client.add_argument("address")
        client.add_argument("port", type=int)
        client.add_argument("--from", dest="sources", nargs="+", default=[])
        client.add_argument("--rate", type=float, default=0 if verb == "connect" else 1000)
        client.add_argument("--flows", action="store_true")
    verbs.choices["connect"].add_argument("--count", type=int, default=0)
    verbs.choices["connect"].add_argument("--at-once", type=int, default=32)
    verbs.choices["send"].add_argument("--seconds", type=float, required=True)
    verbs.choices["send"].add_argument("--sources", dest="flow_count", type=int, default=50)
    server = verbs.add_parser("serve")
    server.add_argument("name")
    server.add_argument("address")
    server.add_argument("port", type=int)
    return parser.parse_args()


def main():
    signal.signal(signal.SIGTERM, stop)
    args = parse()
    result = {"connect": lambda: Connections(args).run(), "send": lambda: send(args),
              "serve": lambda: serve(args)}[args.verb]()
    print(json.dumps(result), flush=True)


if __name__ == "__main__":
    main()
