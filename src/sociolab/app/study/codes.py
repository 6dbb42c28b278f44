"""What a participant takes away as a proof of having taken part."""

from __future__ import annotations

import hashlib
import hmac

from sociolab.app.study.settings import StudySettings

EACH = "each"
"""As `completion_code`: one of each participant's own."""

_LETTERS = "ABCDEFGHJKMNPQRSTUVWXYZ23456789"
_LENGTH = 10


def completion_code(settings: StudySettings, participant: str) -> str:
    """The code that is shown at the end; "" if the study has none.

    A participant's own is computed from the study's key whenever it is needed: who does not know
    the key can neither guess it nor tell whose it is.
    """
    if settings.completion_code != EACH:
        return settings.completion_code
    made = hmac.new(settings.code_key.encode(), participant.encode(), hashlib.sha256).digest()
    number = int.from_bytes(made)
    letters = []
    for _ in range(_LENGTH):
        number, rest = divmod(number, len(_LETTERS))
        letters.append(_LETTERS[rest])
    return "".join(letters)
