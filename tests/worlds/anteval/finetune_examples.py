"""Play at small tables that tells plainly who checks what."""

from __future__ import annotations

from sociolab.worlds.anteval.virtual_dm.example import DM, Example, Label, Turn

DOING = {
    "stealth": "I keep low and creep past the sleeping guards.",
    "athletics": "I climb the wet wall with both hands.",
    "arcana": "I study the glowing runes on the ring.",
    "medicine": "I kneel and bind the wounds of the boy.",
}
NAMES = ("Osric", "Wenna", "Tharbold")


def example(number: int, who: str, skill: str) -> Example:
    """The DM sets a scene, one player chats, and `who` does what calls for the skill."""
    other = NAMES[(NAMES.index(who) + 1) % len(NAMES)]
    turns = (
        Turn(DM, "The hall lies before you, dim and cold."),
        Turn(other, "What a place to spend the night!"),
        Turn(who, DOING[skill]),
    )
    label = Label(who, skill)
    return Example(f"e{number}", f"g{number % 4}", turns, NAMES, frozenset({label}))


def examples(number: int) -> tuple[Example, ...]:
    """Examples in which characters and skills take turns."""
    skills = tuple(DOING)
    return tuple(example(i, NAMES[i % len(NAMES)], skills[i % len(skills)]) for i in range(number))
