# SPDX-License-Identifier: Apache-2.0
"""The lab of tests/lab, and hosts in it as readers have them."""

import importlib.util
import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parent.parent / "lab")]

spec = importlib.util.spec_from_file_location("lab_conftest", Path(__file__).parent.parent / "lab" / "conftest.py")
lab_conftest = importlib.util.module_from_spec(spec)
spec.loader.exec_module(lab_conftest)
capable, make_lab = lab_conftest.capable, lab_conftest.make_lab
