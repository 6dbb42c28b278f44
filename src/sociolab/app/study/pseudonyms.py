"""What participants are called: at random, short, and readable aloud."""

from __future__ import annotations

import secrets

_LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"
"""Without i, l, o, 0 and 1, which look alike in many types."""
_LENGTH = 6


def pseudonym() -> str:
    """A name such as "p-7kq3fm", one of 887 million; it says nothing about anybody."""
    return "p-" + "".join(secrets.choice(_LETTERS) for _ in range(_LENGTH))
