# SPDX-License-Identifier: Apache-2.0
"""Long downloads from nginx on the backends (which sends 2 MB a second), each checked against the file's digest."""

import hashlib
import os
import subprocess
import time

from harness import HarnessError


FILE_BYTES = 48 << 20
IN_FLIGHT = 400_000  # bytes that may lie in queues on the way


class Download:
    """One curl. What it has is in a file, so that its progress can be seen."""

    def __init__(self, host, url, number):
        self.path, self.headers = host.dir / f"download.{number}", host.dir / f"download.{number}.headers"
        host.dir.mkdir(parents=True, exist_ok=True)
        self.mark = 0
        self.process = subprocess.Popen(
            host.inside("curl", "-sS", "--fail", "--max-time", "120", "-D", self.headers, "-o", self.path, url),
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
            start_new_session=True)

    def ended(self):
        return self.process.poll() is not None

    def size(self):
        return self.path.stat().st_size if self.path.exists() else 0

    def failure(self, digest):
        """Of one that has ended: what was wrong, or None."""
        said = self.process.stderr.read().strip()
        content = self.path.read_bytes() if self.path.exists() else b""
        headers = self.headers.read_text().split() if self.headers.exists() else []
        for path in (self.path, self.headers):
            path.unlink(missing_ok=True)
        if not self.process.returncode and hashlib.sha256(content).hexdigest() == digest:
            return None
        return {"when": time.monotonic(), "what": said or "wrong checksum", "status": self.process.returncode,
                "server": headers[headers.index("X-Backend:") + 1] if "X-Backend:" in headers else ""}

    def kill(self):
        if not self.ended():
            self.process.kill()
            self.process.wait(10)
        self.process.stderr.close()


class Downloads:
    """So many at once, all the time."""

    def __init__(self, lab, url, count):
        self.lab, self.url, self.count = lab, url, count
        self.content = os.urandom(1 << 20) * (FILE_BYTES >> 20)
        self.digest = hashlib.sha256(self.content).hexdigest()
        self.running, self.started, self.done = [], 0, 0
        self.failed = []

    def publish(self, host):
        """Gives host's nginx the file: the same one for all."""
        path, first = host.dir / "www" / "file", self.lab.dir / "file"
        path.unlink()
        if not first.exists():
            first.write_bytes(self.content)
        os.link(first, path)

    def start(self):
        """Begins as many as are missing."""
        while len(self.running) < self.count:
            self.started += 1
            self.running.append(Download(self.lab.c1, self.url, self.started))

    def collect(self):
        """Notes those that have ended. Returns what failed since the last time."""
        before = len(self.failed)
        for download in [download for download in self.running if download.ended()]:
            self.running.remove(download)
            self.done += 1
            failure = download.failure(self.digest)
            download.kill()
            if failure:
                self.failed.append(failure)
        return self.failed[before:]

    def go_on(self, seconds):
        """Waits until each has received what was sent after this call, or has ended; or for that many seconds."""
        for download in self.running:
            download.mark = download.size() + IN_FLIGHT
        end = time.monotonic() + seconds
        while time.monotonic() < end and not all(d.ended() or d.size() > d.mark for d in self.running):
            time.sleep(0.1)

    def finish(self, seconds=90):
        end = time.monotonic() + seconds
        while time.monotonic() < end and not all(download.ended() for download in self.running):
            time.sleep(0.1)
        if not all(download.ended() for download in self.running):
            raise HarnessError(f"downloads have not ended within {seconds} s")

    def kill(self):
        for download in self.running:
            download.kill()
