# SPDX-License-Identifier: Apache-2.0
"""The storm stands on the lab's library."""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "lab")]
