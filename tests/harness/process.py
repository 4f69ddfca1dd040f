# SPDX-License-Identifier: Apache-2.0
"""Programs that tests run: to their end, or in the background."""

import json
import signal
import subprocess
from pathlib import Path

from harness import HarnessError


def words_of(command):
    return [str(word) for word in command]


def run(*command, timeout=60, check=True, text=None, **named):
    """Runs command to its end, with text as its input. Returns the finished process; raises HarnessError with what it
    said if it failed."""
    command = words_of(command)
    told = {"input": text} if text is not None else {"stdin": subprocess.DEVNULL}
    done = subprocess.run(command, capture_output=True, text=True, timeout=timeout, check=False, **told, **named)
    if check and done.returncode:
        raise HarnessError(f"{' '.join(command)}: exit {done.returncode}: {(done.stderr or done.stdout).strip()}")
    return done


class Process(subprocess.Popen):
    """A program in the background: ended by its own pid, its output added to a file."""

    def __init__(self, command, log, **named):
        self.log = Path(log)
        self.log.parent.mkdir(parents=True, exist_ok=True)
        with self.log.open("ab") as out:
            self.began = out.tell()
            super().__init__(words_of(command), stdin=subprocess.DEVNULL, stdout=out, stderr=out,
                             start_new_session=True, **named)

    def alive(self):
        return self.poll() is None

    def output(self):
        """What it has written; where its log was cut meanwhile, what is left."""
        text = self.log.read_bytes()
        return text[self.began if len(text) >= self.began else 0:].decode(errors="replace")

    def finish(self, seconds):
        """Waits for its end, and returns what it wrote."""
        try:
            self.wait(seconds)
        except subprocess.TimeoutExpired:
            self.kill()
            self.wait()
            raise HarnessError(f"{self.log.name}: did not end within {seconds} s: {self.output()[-2000:]}") from None
        return self.output()

    def end(self, number=signal.SIGTERM, seconds=15):
        """Ends it if it lives, waits, and returns what it wrote."""
        self.send_signal(number)
        return self.finish(seconds)

    def result(self, seconds=None):
        """What a program of traffic.py counted: at once by SIGTERM, or when it is through within seconds."""
        return json.loads((self.finish(seconds) if seconds else self.end()).splitlines()[-1])
