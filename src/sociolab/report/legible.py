"""Text from elsewhere, made safe to show: a model may write anything."""

from __future__ import annotations

_REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
_CONTROL: dict[int, str] = dict.fromkeys((*range(0x20), *range(0x7F, 0xA0)), _REPLACEMENT)
_CONTROL |= {ord("\n"): "\n", ord("\t"): "\t", ord("\r"): ""}


def legible(text: str) -> str:
    """The text without what would steer a terminal or cannot be encoded; newlines and tabs stay."""
    return text.translate(_CONTROL).encode("utf-16", "surrogatepass").decode("utf-16", "replace")
