"""A screen with tokens in the place of the ids of episodes."""

from __future__ import annotations

from sociolab.studies.screen import Screen
from sociolab.web.taking import Taking
from sociolab.web.tokens import token


def veiled(who: Taking, screen: Screen) -> Screen:
    """A screen with names in the place of ids."""
    scene, last = screen.scene, screen.last
    return screen.model_copy(
        update={
            "scene": scene and scene.model_copy(update={"trial": token(who, scene.trial)}),
            "last": last and last.model_copy(update={"trial": token(who, last.trial)}),
        }
    )
