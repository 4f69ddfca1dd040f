# SPDX-License-Identifier: Apache-2.0
"""How a trial says that a promise was not kept."""


class Broken(Exception):
    """A promise was not kept."""


def expect(is_so, otherwise):
    if not is_so:
        raise Broken(otherwise)
