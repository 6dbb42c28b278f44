"""Keys and passwords in what an exception says: they must not be stored, nor shown on pages."""

from __future__ import annotations

import os
import re

HIDDEN = "[secret]"

_SECRET_FROM = 8
"""Characters: what is shorter guards nothing, and its letters are in any text."""
_SECRET_NAME = re.compile(r"KEY|TOKEN|SECRET|PASSW|CREDENTIAL", re.IGNORECASE)
_SECRETS = (
    re.compile(r"\b(?:sk|pk|rk|hf|gsk|xai|ghp)[-_][\w-]{8,}"),
    re.compile(r"(?<=bearer )[\w.~+/-]{8,}=*", re.IGNORECASE),
    re.compile(r"(?<=://)[^/\s:@]+:[^/\s@]+(?=@)"),
)


def without_secrets(text: str) -> str:
    """The text without the values of this process's variables that are named as secrets are
    (OPENAI_API_KEY), and without what looks like a key or a password in an address."""
    for name, value in os.environ.items():
        if len(value) >= _SECRET_FROM and _SECRET_NAME.search(name):
            text = text.replace(value, HIDDEN)
    for pattern in _SECRETS:
        text = pattern.sub(HIDDEN, text)
    return text
