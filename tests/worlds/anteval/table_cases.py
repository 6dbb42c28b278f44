"""Play at a table of two, for the tests of virtual DMs that read text."""

from __future__ import annotations

from sociolab.worlds import anteval

TABLE = ("Orsa Vell", "T'lin")


def example(
    number: int, skill: str = "stealth", character: str = "T'lin", words: int = 3
) -> anteval.Example:
    """One check after two turns; `words` makes it longer."""
    said = " ".join(["softly"] * words)
    return anteval.Example(
        id=f"e{number}",
        group="one evening",
        turns=(
            anteval.Turn(anteval.DM, f"Scene {number}: the hall is dark."),
            anteval.Turn(character, f"I go {said}, thinking of scene {number} and {skill[:3]}."),
        ),
        candidates=TABLE,
        labels=frozenset({anteval.Label(character, skill)}),
    )


def reply(*checks: tuple[str, str]) -> str:
    """A reply as a model should write it."""
    rows = ",".join(f'{{"character":"{who}","skill":"{skill}"}}' for who, skill in checks)
    return f'{{"checks":[{rows}]}}'
