"""Redact keys and passwords from everything that is stored, printed, logged or written.

Whoever reads a secret registers it with `guard`. Texts pass through `redact` in a few places: what
the store writes, what models reply, what the command line prints, and errors on the app's pages.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from urllib.parse import quote

HIDDEN = "[secret]"

_SHORTEST = 8
"""Characters: a shorter key ("EMPTY", "none") protects nothing, and occurs in ordinary text."""
_PREFIX = 12
"""Characters: the first so many of a secret are redacted even where the rest is cut off."""

_VARIABLE = re.compile(r"KEY|TOKEN|SECRET|PASSW|CREDENTIAL", re.IGNORECASE)
_SECRET_NAME = re.compile(
    r"(?:^|[-_.]|api|access|auth)(?:key|token)$|(?:^|[-_.])auth$"
    r"|secret|passw|credential|authorization|cookie",
    re.IGNORECASE,
)
"""Names that are or end in "key" or "token" (`api_key`, `x-token`), are or end in "auth", or hold
one of the other words."""
_LOOKALIKES = (
    re.compile(r"\b(?:sk|pk|rk|hf|gsk|xai|ghp)[-_][\w-]{8,}"),
    re.compile(r"(?<=bearer )[\w.~+/-]{8,}=*", re.IGNORECASE),
    re.compile(r"(?<=://)[^\s\"']+(?=@)"),
    re.compile(r"(?<=[?&])(?:[\w-]*(?:key|token|secret|passw))[\w-]*=[^&\s\"']+", re.IGNORECASE),
)
_ASSIGNED = re.compile(r"""([\w.-]+)(=["']?|["']\s*:\s*["'])([^\s"'&,;)}\]]{8,})""")
"""`name=value`, `"name": "value"`."""

_forms: dict[str, tuple[str, ...]] = {}
"""The ways in which secrets may be written, in lower case, by their first characters."""
_heads: re.Pattern[str] = re.compile("")


def guard(*secrets: str) -> None:
    """Have `redact` hide these from now on, in this process.

    They are hidden as they are, in other case, percent-encoded, as in JSON, or cut short; of a
    header's value such as "Bearer KEY", the key alone, too. Placeholders ("EMPTY", "password") stay
    readable.
    """
    global _forms, _heads
    guarded = {form for forms in _forms.values() for form in forms}
    fresh = {
        form.lower()
        for secret in secrets
        for part in _parts(secret)
        if is_secret(part)
        for form in _spellings(part)
    } - guarded
    if not fresh:
        return
    forms = dict(_forms)  # other threads may be reading
    for form in sorted(fresh):
        head = form[:_PREFIX]
        forms[head] = (*forms.get(head, ()), form)
    heads = sorted(forms, key=len, reverse=True)
    _heads = re.compile("|".join(map(re.escape, heads)), re.IGNORECASE)
    _forms = forms


def guard_environment() -> None:
    """Guard the environment variables whose names are those of secrets (OPENAI_API_KEY).

    Values that are addresses or files (GOOGLE_APPLICATION_CREDENTIALS) are not guarded.
    """
    guard(
        *(
            value
            for name, value in os.environ.items()
            if _VARIABLE.search(name)
            and "://" not in value
            and not os.path.exists(os.path.expanduser(value))
        )
    )


def is_secret_name(name: str) -> bool:
    """Whether a header, an option or an argument of this name holds a secret (`api_key`)."""
    return _SECRET_NAME.search(name) is not None


def is_secret(value: str) -> bool:
    """Whether a value can be a secret: not a placeholder such as "EMPTY"."""
    # A single plain word may be in any text.
    is_word = len(value) < _PREFIX and value.isalpha() and value in (value.lower(), value.upper())
    return len(value) >= _SHORTEST and not is_word


def secrets_in(options: Mapping[str, object]) -> Iterator[str]:
    """The values of options whose names are those of secrets (`api_key`), at any depth."""
    for name, value in options.items():
        if isinstance(value, Mapping):
            yield from secrets_in(value)
        elif isinstance(value, str) and is_secret_name(name) and "<" not in value:
            yield value  # and not the text of a special token of a model


def redact(text: str, *, lookalikes: bool = False) -> str:
    """The text with guarded secrets hidden.

    `lookalikes` also hides whatever looks like a key or like a password in an address, and reads
    the environment again. That is for errors of users' code; in what people and models say it would
    hide too much.
    """
    if lookalikes:
        guard_environment()
    if forms := _forms:
        low = text.lower()
        if any(head in low for head in forms):
            text = _hide_secrets(text)
    if lookalikes:
        for pattern in _LOOKALIKES:
            text = pattern.sub(HIDDEN, text)
        text = _ASSIGNED.sub(_hide_value, text)
    return text


def _hide_value(assigned: re.Match[str]) -> str:
    return f"{assigned[1]}{assigned[2]}{HIDDEN}" if is_secret_name(assigned[1]) else assigned[0]


def redact_bytes(data: bytes) -> bytes:
    if not _forms:
        return data
    return redact(data.decode("latin-1")).encode("latin-1")


def _hide_secrets(text: str) -> str:
    parts: list[str] = []
    done = 0
    for match in _heads.finditer(text):
        start = match.start()
        forms = _forms.get(match[0].lower(), ())
        extent = max((_match_length(text, start, form) for form in forms), default=0)
        if start >= done and extent:
            parts += text[done:start], HIDDEN
            done = start + extent
    return "".join((*parts, text[done:]))


def _match_length(text: str, start: int, form: str) -> int:
    """How many characters from `start` on are those of a secret; 0 where they are too few."""
    same = 0
    for character, secret_character in zip(text[start : start + len(form)], form, strict=False):
        if character.lower() != secret_character:
            break
        same += 1
    # Half an escape must not be left behind.
    enough = same == len(form) or (same >= _PREFIX and "\\" not in form)
    return same if enough else 0


def _parts(secret: str) -> Iterator[str]:
    """A secret; of one with a scheme ("Bearer KEY"), the key alone too."""
    yield secret.strip()
    match secret.split():
        case [scheme, key] if scheme.replace("-", "").isalpha():
            yield key


def _spellings(secret: str) -> Iterable[str]:
    in_json = json.dumps(secret)[1:-1]
    return (
        secret,
        quote(secret, safe=""),
        quote(secret),
        in_json,
        in_json.replace("/", "\\/"),  # as some servers do
    )
