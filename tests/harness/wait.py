# SPDX-License-Identifier: Apache-2.0
"""The one way to wait for what takes its time."""

import inspect
import time

from harness import HarnessError


def source_of(condition):
    """The lines that say what is waited for, on one line."""
    try:
        return " ".join(inspect.getsource(condition).split())
    except (OSError, TypeError):
        return repr(condition)


def wait_until(is_so, seconds=20, what=None, every=0.05):
    """Waits for is_so() to return something true, and returns it. Raises HarnessError that says what did not come about:
    what, or else the source of is_so, and what it returned last."""
    end = time.monotonic() + seconds
    while not (value := is_so()):
        if time.monotonic() > end:
            raise HarnessError(f"waited {seconds} s in vain: {what or source_of(is_so)} (last: {value!r})")
        time.sleep(every)
    return value
