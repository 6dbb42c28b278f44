"""A run of SOTOPIA with a few episodes that people rate, and studies of them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from casts import seated
from declared_worlds import declared
from sociolab.core import Action, Ended, Moved, Task, Trial
from sociolab.store import ParticipantRow, Store
from sociolab.studies import hash_secret
from sociolab.worlds import sotopia

RUN, STUDY = "fair", "judges-of-the-fair"
MODEL = "openai/secret-model"
"""Who played one side: no rater may ever read this."""

ADA, BEN = "ada-holm", "ben-acker"

_TALK = (
    (ADA, "speak", "Morning. Is the red lamp still for sale? It would suit my hall."),
    (BEN, "speak", "It is. I had forty in mind: the shade is hand-made, and nobody has another."),
    (ADA, "physical action", "turns the lamp round and looks at the cable"),
    (ADA, "speak", "The cable is new, at least. Would you take twenty-five, today, in cash?"),
    (BEN, "non-verbal communication", "sucks his teeth and smiles"),
    (BEN, "speak", "Thirty, and I carry it to your car. I would like to see it in a good home."),
    (ADA, "speak", "Thirty it is. You have made my morning."),
    (BEN, "leave", ""),
)


def casting(number: int) -> sotopia.SceneCast:
    """Two people at a stall; they are strangers, acquaintances or friends in turn."""
    kinds = (
        sotopia.RelationshipType.STRANGER,
        sotopia.RelationshipType.ACQUAINTANCE,
        sotopia.RelationshipType.FRIEND,
    )
    ada = sotopia.Character(
        id=ADA, first_name="Ada", last_name="Holm", gender="woman", pronouns="she/her", age=41,
        occupation="piano tuner", public_info="Ada tunes the pianos of three schools.",
        personality="Calm, thrifty, fond of old things.", secret="Ada gave up the piano for good.",
    )  # fmt: skip
    ben = sotopia.Character(
        id=BEN, first_name="Ben", last_name="Acker", gender="man", pronouns="he/him", age=29,
        occupation="baker", public_info="Ben bakes at night and sells old lamps by day.",
        personality="Quick to laugh, slow to say no.", secret="Ben found the lamp in a skip.",
    )  # fmt: skip
    scenario = sotopia.Scenario(
        id=f"stall-{number}",
        family="bargain",
        context=f"A flea market on a Sunday, row {number + 1}. A red lamp stands on a stall.",
        goals=(
            sotopia.Goal(
                text="You want the lamp for $30 or less, and a lift home if you can get one."
            ),
            sotopia.Goal(text="You want $35 or more for the lamp, and the stall empty by noon."),
        ),
        relationships=kinds,
    )
    tie = sotopia.Relationship(a=ADA, b=BEN, type=kinds[number % 3])
    return sotopia.SceneCast(scenario=scenario, characters=(ada, ben), relationships=(tie,))


def trial(number: int) -> Trial:
    """One episode of the fair."""
    content = casting(number).model_dump_json()
    task = Task(f"stall-{number}.1", (ADA, BEN), f"stall-{number}", content, ("bargain",))
    cast = (seated(ADA, MODEL), seated(BEN, "human"))
    return Trial(f"fair{number:02}", "sotopia", task, cast, 0, 0)


def build(path: Path, episodes: int = 3) -> None:
    """The run, played."""
    trials = [trial(number) for number in range(episodes)]
    with Store.open(path) as store:
        store.create_run(
            RUN, "sotopia", {"agents": [[MODEL, "m1"]]}, trials, declared("sotopia", trials)
        )
        for one in trials:
            play(store, RUN, one)


def play(store: Store, run: str, one: Trial, *more: tuple[str, str, str]) -> None:
    """Play a trial: what is said at every stall, and `more`."""
    said = (*_TALK[:-1], *more, _TALK[-1])
    for turn, (seat, kind, text) in enumerate(said):
        store.append(run, one.id, Moved(turn, seat, (Action(kind, text),)))
    store.append(run, one.id, Ended("left", len(said) - 1, BEN))
    store.set_status(run, one.id, "played")


def settings(**plan: Any) -> dict[str, Any]:
    """A study of ratings, with changes to its plan."""
    return {"title": "People at a fair", "rate": {"run": RUN, "least_words": 2, **plan}}


def open_study(
    store: Store, people: int = 2, name: str = STUDY, kind: Any = "rate", run: str | None = RUN,
    made: Mapping[str, Any] | None = None, **plan: Any,
) -> tuple[ParticipantRow, ...]:  # fmt: skip
    """Create a study and open it; participants are r1, r2, ... with links "link-of-r1" ..."""
    store.studies.create(name, kind, dict(made) if made else settings(**plan), run)
    store.studies.change(name, open=True)
    for number in range(1, people + 1):
        store.studies.add_participant(name, f"r{number}", hash_secret(link(name, number)))
    return store.studies.participants(name)


def link(study: str, number: int) -> str:
    """The secret in a participant's link, of the length that links have."""
    return f"{study}-{number}-".ljust(43, "x")
