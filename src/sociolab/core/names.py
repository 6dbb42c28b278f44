"""Names in one Unicode form, so that the same name is the same text."""

from __future__ import annotations

import unicodedata


def normalize_text(text: str) -> str:
    """Text in its composed form (NFC): systems write "ë" as one character or as two.

    >>> len("Zoe\\u0308"), len(normalize_text("Zoe\\u0308"))
    (4, 3)
    """
    return unicodedata.normalize("NFC", text)


def fold_name(name: str) -> str:
    """A name to compare with others: in one form, in lower case, without blanks around it.

    >>> fold_name(" Zoe\\u0308 ") == fold_name("ZO\\u00cb")
    True
    """
    return normalize_text(normalize_text(name).strip().casefold())


def describe_invisible(text: str) -> str:
    """The first invisible character of a text, by name, or "".

    >>> describe_invisible("ann\\u200f")
    'RIGHT-TO-LEFT MARK, U+200F'
    """
    mark = next((c for c in text if unicodedata.category(c) in ("Cc", "Cf")), "")
    return f"{unicodedata.name(mark, 'a control character')}, U+{ord(mark):04X}" if mark else ""
