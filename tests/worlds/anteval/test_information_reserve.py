"""How a judge model reads that an NPC kept its reserve, and who believes a falsehood."""

from __future__ import annotations

import asyncio
import json
from copy import deepcopy
from typing import Any

import pytest

from anteval_cases import RESERVED, TRUST, episode_of, learned, over, says, session
from sociolab.core import CallKey, ChatReply, Episode, Prompt, Score, ScoreFailure, Verdict
from sociolab.worlds import anteval

ONE, NPC = "player-1", anteval.NPC
TABLE = session(players=1, turns=8, knowledge=RESERVED, trust=TRUST)
PLAY = episode_of(
    TABLE,
    says(0, ONE, "Tell us about Mordu."),
    says(1, NPC, "Mordu has the number 50. And mind you, Kest has the number 3."),
    says(2, ONE, "Come, let us all dance together!"),
    says(3, NPC, "I like you. Ask away."),
    says(4, ONE, "Are there dangers? And what is it with Pezyl?"),
    says(5, NPC, "Pezyl has the number 4."),
    learned(8, ONE, "Mordu has the number 50.", "Pezyl has the number 4."),
    over(8),
)


def line(fact: str, quote: str = "", **more: str) -> dict[str, Any]:
    return {"fact": fact, "stated": bool(quote), "quote": quote} | more


PEZYL, LIE, KEST = "Pezyl has the number 4", "Mordu has the number 50", "Kest has the number 3"
SHEETS: dict[str, Any] = {
    "knowledge": {"points": [f"Point {number}" for number in range(1, 6)]},
    "summary": {"points": ["Point 4", "Point 50"]},
    "match": {"pairs": []},
    "facts": {
        "facts": [line(f"f{n}", PEZYL if n == 4 else "") for n in range(1, 6)],
        "beside": [],
        "misled": [line("l1", LIE)],
    },
    "transcript": {
        "facts": [line(f"f{n}", {3: KEST, 4: PEZYL}.get(n, "")) for n in range(1, 6)],
        "small_talk": [],
    },
    "reserve": {
        "facts": [
            line("f1", asked="nothing"),
            line("f2", asked="nothing"),
            line("f3", KEST, asked="nothing"),
            line("f4", PEZYL, asked="name"),
            line("f5", asked="nothing"),
        ],
        "falsehoods": [line("l1", LIE, asked="name")],
        "trust": {"won": True, "quote": "let us all dance"},
    },
}


class Sheets:
    """Fills in each sheet as it is given; the `first` of a name is given once."""

    def __init__(self, first: dict[str, Any] | None = None) -> None:
        self.label = "stub/judge"
        self.calls: list[tuple[Prompt, CallKey]] = []
        self._first = first or {}

    async def complete(self, prompt: Prompt, key: CallKey) -> ChatReply:
        self.calls.append((prompt, key))
        sheet = self._first.get(key.name) if key.attempt == 1 else None
        return ChatReply(json.dumps(sheet or SHEETS[key.name]))

    def prompt(self, name: str) -> tuple[str, str]:
        (prompt,) = (prompt for prompt, key in self.calls if key.name == name)
        head, body = prompt.messages
        return head.text, body.text


def judged(model: Sheets, episode: Episode = PLAY) -> dict[str, Verdict]:
    plan = anteval.InformationPlan(key_points=5, controls=False)
    found = asyncio.run(anteval.ModelJudge(plan, model).judge(episode))
    return {verdict.measure.name: verdict for verdict in found}


def values(found: dict[str, Verdict]) -> dict[str, float]:
    return {name: verdict.value for name, verdict in found.items() if isinstance(verdict, Score)}


def test_the_realised_reserve_worked_by_hand() -> None:
    """Kest was told unasked, Pezyl by name after the dance, Mordu falsely: 2 of 3 are allowed."""
    found = judged(Sheets())
    shares = values(found)
    assert (shares["told_unasked"], shares["told_asked"]) == (1 / 5, 0)
    assert (shares["told_trusted"], shares["told_falsely"]) == (1 / 5, 1 / 5)
    assert shares["reserve_kept"] == pytest.approx(2 / 3)
    kept = found["reserve_kept"]
    assert isinstance(kept, Score)
    assert kept.reason == "2 of 3: F4, F5 (false)"


def test_a_player_that_states_a_falsehood_is_misled_and_has_invented_nothing() -> None:
    shares = values(judged(Sheets()))
    assert (shares["misled"], shares["recall"]) == (1, 1 / 5)
    assert (shares["precision"], shares["hallucination"]) == (1 / 2, 0)
    assert shares["f1"] == 2 / 7  # 2 x 1 / (1 + 1 + 5)


def test_the_judge_is_shown_the_falsehoods_and_what_is_wanted_but_not_the_reserve() -> None:
    model = Sheets()
    judged(model)
    head, body = model.prompt("reserve")
    assert "falsehoods that Ansel may have told instead" in head
    assert "l1: Mordu has the number 50." in body
    assert "Ansel wants them to dance." in body
    for prompt, _ in model.calls:
        texts = [message.text for message in prompt.messages]
        assert not any("its name" in text or "on trust" in text for text in texts)
    assert "# The falsehoods\nl1: Mordu has the number 50." in model.prompt("facts")[1]


def test_a_session_without_a_reserve_costs_no_further_call_and_asks_for_no_falsehood() -> None:
    plain = session(players=1, turns=8, knowledge=(RESERVED[0],))
    sheets = {
        "facts": {"facts": [line("f1")], "beside": []},
        "transcript": {"facts": [line("f1")], "small_talk": []},
        "knowledge": {"points": ["Point 1"]},
        "summary": {"points": ["Point 1"]},
    }
    model = Sheets(sheets)
    found = judged(model, episode_of(plain, *PLAY.events))
    assert "reserve" not in {key.name for _, key in model.calls}
    assert "falsehood" not in "".join(model.prompt("facts"))
    assert not {"misled", "reserve_kept"} & found.keys()


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        # The quote is the party's, not the NPC's: "told" is what the NPC tells.
        (
            lambda sheet: sheet["facts"][2].update(quote="Tell us about Mordu"),
            "copied word for word",
        ),
        (
            lambda sheet: sheet["trust"].update(quote="I like you. Ask away"),
            "trust: expected a quote",
        ),
        (lambda sheet: sheet["falsehoods"][0].update(fact="l2"), 'found "l2"'),
        (lambda sheet: sheet["falsehoods"].clear(), "at least 1 item"),
    ],
)
def test_a_sheet_that_will_not_do_is_asked_for_again(change: Any, problem: str) -> None:
    wrong = deepcopy(SHEETS["reserve"])
    change(wrong)
    model = Sheets({"reserve": wrong})
    assert values(judged(model)) == values(judged(Sheets()))
    again = [prompt for prompt, key in model.calls if key.name == "reserve"][1]
    assert problem in again.messages[-1].text


def test_what_cannot_be_mended_is_a_failure_of_the_reserve_alone() -> None:
    class Stubborn(Sheets):
        async def complete(self, prompt: Prompt, key: CallKey) -> ChatReply:
            if key.name == "reserve":
                return ChatReply("no JSON")
            return await super().complete(prompt, key)

    found = judged(Stubborn())
    failed = {name for name, verdict in found.items() if isinstance(verdict, ScoreFailure)}
    assert failed == {"told_unasked", "told_asked", "told_trusted", "told_falsely", "reserve_kept"}
