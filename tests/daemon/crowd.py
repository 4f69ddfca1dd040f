# SPDX-License-Identifier: Apache-2.0
"""crowd SOCKET COUNT [TEXT]: opens so many connections, sends TEXT on each, says `held`, and waits for a line or for
the end of all. Then it prints what each was told, as {"status": how many}, {"": how many} for those told nothing."""

import collections
import json
import resource
import select
import socket
import sys


def hold(path, count, text):
    held = []
    for _ in range(count):
        connection = socket.socket(socket.AF_UNIX)
        connection.connect(path)
        try:
            connection.sendall(text)
        except BrokenPipeError:
            pass  # it was turned away, and told so
        held.append(connection)
    return held


def told(connection):
    """What there is to read; b"" at the end, None before it."""
    try:
        return connection.recv(4096, socket.MSG_DONTWAIT)
    except BlockingIOError:
        return None
    except ConnectionResetError:
        return b""


def wait(held):
    """What each got first; nothing, where the end or the line came before."""
    first = {}
    numbers = {connection.fileno(): connection for connection in held}
    poll = select.poll()
    poll.register(sys.stdin)
    for number in numbers:
        poll.register(number, select.POLLIN)
    while numbers:
        for number, _ in poll.poll():
            if number == sys.stdin.fileno():
                numbers = {}
                break
            said = told(numbers[number])
            if said:
                first.setdefault(number, said)
            elif said is not None:
                poll.unregister(number)
                del numbers[number]
    return [first.get(connection.fileno()) or told(connection) for connection in held]


def main():
    path, count, text = sys.argv[1], int(sys.argv[2]), sys.argv[3].encode() if len(sys.argv) > 3 else b""
    resource.setrlimit(resource.RLIMIT_NOFILE, (count + 50, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
    held = hold(path, count, text)
    print("held", flush=True)
    answers = wait(held)
    counts = collections.Counter((answer or b" ").split(b" ")[1].decode() for answer in answers)
    print(json.dumps(counts), flush=True)


main()
