"""Units that are worth a test alone, from inside: agents."""

from __future__ import annotations

import io
import json

from hypothesis import assume, given

from event_strategies import actions
from sociolab.agents import read_json
from sociolab.agents.human import shared_terminal
from sociolab.agents.prompted import prompts_hash
from sociolab.core import (
    Action,
    ReplyError,
)
from sociolab.prompting.channels import refuse_control_tokens
from sociolab.worlds import sotopia


def test_a_terminal_is_one_for_its_streams() -> None:
    source, screen = io.StringIO(), io.StringIO()
    assert shared_terminal(source, screen) is shared_terminal(source, screen)


def test_the_wording_has_a_hash_of_its_own_for_each_dialect() -> None:
    assert prompts_hash("json") == prompts_hash("json") != prompts_hash("plain")


@given(actions(sotopia.ACTIONS, ("Ann", "Ben")))
def test_an_action_as_json_is_read_back(action: Action) -> None:
    try:
        refuse_control_tokens(action.text, "")
    except ReplyError:
        assume(False)  # never text
    row = {"action": action.kind, "text": f" {action.text}\n", "to": list(action.to)}
    (found,) = read_json(json.dumps(row), sotopia.ACTIONS, True)
    assert found == Action(action.kind, action.text.strip(), action.to)
