"""An action whose parts are not of their types is the mistake of the player's author."""

from __future__ import annotations

from typing import Any

import pytest

from sociolab.core import Action, ActionKind, ActionSpace, Observation, Reply, Request, WorldError
from sociolab.engine import action_problem
from sociolab.engine.checking import check_reply

SEEN = Observation("x", "x", 2, 4, "", (), "", ("y",), None)
ASKED = Request("t", 0, "x", 2, 1, ActionSpace((ActionKind("speak"), ActionKind("leave"))), SEEN)
ANY: Any = [
    (Action("speak", 42), "expected an Action's text as str, found int"),  # type: ignore[arg-type]
    (Action("leave", None), "expected an Action's text as str, found NoneType"),  # type: ignore[arg-type]
    (Action(7, "hm"), "expected an Action's kind as str, found int"),  # type: ignore[arg-type]
    (Action("speak", "hm", "y"), "expected an Action's to as a tuple of names, found str"),  # type: ignore[arg-type]
    (Action("speak", "hm", ["y"]), "expected an Action's to as a tuple of names, found list"),  # type: ignore[arg-type]
    (Action("speak", "hm", (3,)), "expected an Action's to as a tuple of names, found int in it"),  # type: ignore[arg-type]
]


@pytest.mark.parametrize(("action", "problem"), ANY)
def test_it_is_told_with_the_seat_the_turn_and_what_to_do(action: Action, problem: str) -> None:
    with pytest.raises(WorldError) as caught:
        check_reply(ASKED, Reply((action,)), ("x", "y"), lambda name: name)
    assert str(caught.value) == (
        f'the player of x was asked "act" at turn 3: {problem}; mend the player'
    )


def test_one_of_the_right_types_has_no_problem() -> None:
    assert action_problem(Action("speak", "hm", ("y",))) == ""
