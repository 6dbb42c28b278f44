"""What a participant was given, under names that tell nothing and that nobody can guess.

The ids of episodes and scenarios are computed from who plays what: whoever knows data and code
could find out by guessing them whether a partner is a person, or who played what is rated.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterable
from typing import Annotated, TypeAlias

from fastapi import Depends, Path, Request

from sociolab.web.site import store_of
from sociolab.web.taking import Participant, Taking

UNKNOWN = "unknown"
"""In the place of an id for what is none of this participant's tokens; no id is like it."""


def token(who: Taking, item: str) -> str:
    """The name of an item for this participant; another participant has another one for it."""
    key, text = who.settings.code_key.encode(), f"episode/{who.participant.id}/{item}"
    return hmac.new(key, text.encode("utf-8", "replace"), hashlib.sha256).hexdigest()[:16]


def meant(who: Taking, name: str, given: Iterable[str]) -> str:
    """Which of the items that were given to a participant a name stands for. An id itself is no
    name: to take it would tell that it was guessed right."""
    return next((item for item in given if token(who, item) == name), UNKNOWN)


def _item(request: Request, who: Participant, token: Annotated[str, Path(max_length=64)]) -> str:
    given = store_of(request).studies.assignments(who.study.name, who.participant.pk)
    return meant(who, token, dict.fromkeys(row.item for row in given))


Item: TypeAlias = Annotated[str, Depends(_item)]
"""For the signature of a page at an address with a {token}: the item that it stands for."""
