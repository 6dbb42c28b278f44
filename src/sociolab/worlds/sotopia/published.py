"""How does the public code tell a scene, and to whom? For sets of prompts that show it so."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from sociolab.worlds.sotopia.scenarios import RelationshipType
from sociolab.worlds.sotopia.visibility import inner_life

if TYPE_CHECKING:
    from sociolab.worlds.sotopia.scene import SceneCast


def published_scene(
    casting: SceneCast, seat: str | None = None, labels: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """The scene by the public code's rule of who sees what, for sets of prompts that show it so:
    to the player of a seat, or (None) to those who judge.

    `labels` are the names by which a seat knows the others, where it may not know all of them. Of
    somebody who is not told, a field is missing, so that no template can show it. Acquaintances
    see the age, too, unlike in section 2.1. `tie` is the relationship that decides it.
    """
    seats = [character.id for character in casting.characters]
    published, viewer = casting.scenario.published, None if seat is None else seats.index(seat)
    context, goals = casting.scenario.context, [goal.text for goal in casting.scenario.goals]
    if published:
        place = casting.scenario.id
        context = _seen_by(viewer, published.context, len(seats), place)
        goals = [_seen_by(viewer, goal, len(seats), place) for goal in published.goals]
    elif viewer is None and casting.scenario.environment:
        context = f"{context} {casting.scenario.environment}"
    people = []
    for index, (one, goal) in enumerate(zip(casting.characters, goals, strict=True)):
        own = viewer in (None, index)
        other = seat if seat not in (None, one.id) else seats[index - 1]
        tie = casting.between(one.id, str(other)).type
        name = (labels or {}).get(one.id, one.name)
        told = {"name": name, "own": own, "tie": str(tie), "goal": goal if own else ""}
        sees = len(_PUBLIC_FIELDS) if own else _SEES[tie]
        fields = {
            "first_name": one.first_name,
            "last_name": one.last_name,
            "age": str(one.age),
            "gender": _PUBLIC_GENDERS.get(one.gender, one.gender),
            "occupation": one.occupation,
            "gender_pronoun": one.pronouns[:1].upper() + one.pronouns[1:],
            "public_info": one.public_info,
            "personality_and_values": inner_life(one),
            "secret": one.secret,
        }
        people.append(told | {name: fields[name] for name in _PUBLIC_FIELDS[:sees]})
    return {
        "context": context,
        "people": people,
        "agent": "" if viewer is None else casting.characters[viewer].name,
    }


_PUBLIC_FIELDS = (
    "first_name", "last_name", "age", "gender", "occupation", "gender_pronoun", "public_info",
    "personality_and_values", "secret",
)  # fmt: skip
"""Of a profile, as the public code calls them, the best known first."""
_SEES = {
    RelationshipType.STRANGER: 0,
    RelationshipType.KNOWN_BY_NAME: 2,
    RelationshipType.ACQUAINTANCE: 7,
    RelationshipType.FRIEND: 8,
    RelationshipType.ROMANTIC: 8,
    RelationshipType.FAMILY: 8,
}
_PUBLIC_GENDERS = {"man": "male", "woman": "female"}


def _seen_by(viewer: int | None, text: str, seats: int, place: str) -> str:
    """A published text without its tags: all of it, or what the player of a seat may read."""
    from sociolab.worlds.sotopia.importing.goals import parts  # only what is imported has tags

    return "".join(
        part.text for part in parts(text, seats, place) if viewer is None or part.is_for(viewer)
    )
