"""A sandbox town of generative agents (arXiv 2304.03442), usable by any world.

Public are the names that a mind of your own needs (docs/stss.md).
"""

from typing import TYPE_CHECKING

from sociolab.core.lazy import lazy_getattr

if TYPE_CHECKING:
    from sociolab.town.mind import Mind
    from sociolab.town.questions import Decision, TalkOrNot
    from sociolab.town.scripted.mind import ScriptedMind

__all__ = ["Decision", "Mind", "ScriptedMind", "TalkOrNot"]

__getattr__ = lazy_getattr(
    __name__,
    {
        "Decision": "sociolab.town.questions",
        "Mind": "sociolab.town.mind",
        "ScriptedMind": "sociolab.town.scripted.mind",
        "TalkOrNot": "sociolab.town.questions",
    },
)
