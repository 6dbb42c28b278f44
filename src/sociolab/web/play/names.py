"""Episodes under names that tell nothing: their ids are computed from who plays in them, so that
whoever knows data and code could find out by guessing whether the partner is a person."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterable

from sociolab.app.floor.screen import Screen
from sociolab.web.taking import Taking

_NONE = "unknown"
"""In the place of an id for what is none of this participant's names; no id is like it."""


def veiled(who: Taking, screen: Screen) -> Screen:
    """A screen with names in the place of ids."""
    scene, last = screen.scene, screen.last
    return screen.model_copy(
        update={
            "scene": scene and scene.model_copy(update={"trial": _name(who, scene.trial)}),
            "last": last and last.model_copy(update={"trial": _name(who, last.trial)}),
        }
    )


def meant(who: Taking, name: str, given: Iterable[str]) -> str:
    """Which of the episodes that were given to a participant a name stands for. An id itself is no
    name: to take it would tell that it was guessed right."""
    return next((trial for trial in given if _name(who, trial) == name), _NONE)


def _name(who: Taking, trial: str) -> str:
    key, text = who.settings.code_key.encode(), f"episode/{who.participant.id}/{trial}"
    return hmac.new(key, text.encode(), hashlib.sha256).hexdigest()[:16]
