"""Ids from names."""

from __future__ import annotations

import re
import unicodedata


def slug(name: str) -> str:
    """Lower case, without accents, a hyphen for whatever is no letter or digit; may be empty.

    >>> slug("Zoë O'Hara")
    'zoe-o-hara'
    """
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    return re.sub(r"[^a-z0-9]+", "-", plain.casefold()).strip("-")
