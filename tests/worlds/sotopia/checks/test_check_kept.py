"""The verdicts on an episode are kept, whatever its players carry on."""

from dataclasses import replace

from sociolab.core.episode import Episode, Moved
from sociolab.worlds.sotopia.checks.check import checked, verdicts
from worlds.sotopia.heuristic_samples import BUYER, SELLER, casting, episode

LINES = ("You can have it for $155.", "Deal, $155 it is.", "Deal.")


def test_verdicts_are_the_same_with_a_memory_that_has_no_hash() -> None:
    cast = casting((SELLER, BUYER))
    plain = episode(cast, *LINES)
    events = tuple(
        replace(e, memory=["a", {"b": 1}]) if isinstance(e, Moved) else e for e in plain.events
    )
    assert checked(Episode(plain.trial, events)) == checked(plain) == verdicts(cast, plain.moves)


def test_another_talk_in_the_same_task_is_read_anew() -> None:
    cast = casting((SELLER, BUYER))
    assert checked(episode(cast, *LINES)) != checked(episode(cast, "Hello.", "No."))
