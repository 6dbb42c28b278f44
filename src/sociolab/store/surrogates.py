"""Text that UTF-8 cannot say: half of a surrogate pair, as a reply that was cut may hold it."""

from __future__ import annotations


def as_bytes(text: str) -> bytes:
    """The text, whatever it holds; `as_text` gives it back."""
    return text.encode("utf-8", "surrogatepass")


def storable(text: str) -> str | bytes:
    """The text, or its bytes where UTF-8 cannot say it; `as_text` gives it back."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return as_bytes(text)
    return text


def as_text(value: str | bytes) -> str:
    """The text that was stored, also where it had to be stored as bytes."""
    return value if isinstance(value, str) else value.decode("utf-8", "surrogatepass")


def replaced(text: str) -> str:
    """The text with U+FFFD for each half of a pair (three of them), for files in UTF-8."""
    value = storable(text)
    return value if isinstance(value, str) else value.decode("utf-8", "replace")
