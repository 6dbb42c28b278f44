"""Controls of the judge of a town: one that reads passes, one that does not read fails."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable

import pytest

from sociolab import Finding
from sociolab.analysis import control_findings, score_changes
from sociolab.core import Answered, CallKey, ChatReply, Episode, Json, Prompt, Score
from sociolab.town import chunks_in
from sociolab.worlds import stss
from sociolab.worlds.stss.audit import ELSE, IDLE, TO_THE_JUDGE, variants
from stss_tasks import GAME, MEDICINE, MEETING, PARTY, task
from trace_cases import Life, talk, trace
from worlds.stss.test_stss_rules_judge import OVER, episode, lives

VARIANTS = variants(stss.ScoreSettings())


def goes(who: str, doing: str) -> Life:
    return Life(who).goes("tue 18:00", "Cafe: terrace", doing)


INVITED = talk("mon 10:00", "ada", "eve", "Come to my harvest party!", "I will.")
NOTE: Json = {"memo": "Ada told me of a harvest party.", "importance": 4}
PARTIED = episode(
    PARTY,
    trace(*lives(goes("bea", "at the harvest party"), goes("cid", "reading the paper")), INVITED),
    Answered(INVITED.end, "eve", "summarise", NOTE),
    OVER,
)
"""Of three who are wanted bea takes part; cid is there; eve was told, noted it and did not come."""


class Reads:
    """A model that picks the lines, and quotes the words, in which `finds` finds the matter."""

    label = "fake/reader"

    def __init__(self, finds: Callable[[str, str], bool]) -> None:
        self._finds = finds

    async def complete(self, prompt: Prompt, key: CallKey) -> ChatReply:
        body = prompt.messages[-1].text
        if key.name.startswith("attendance"):
            lines = [line for line in body.splitlines() if line[:1].isdigit()]
            chosen = [n for n, line in enumerate(lines, 1) if self._finds(body, line)]
            return ChatReply(json.dumps({"taking_part": chosen}))
        assert prompt.schema is not None
        asked = json.loads(prompt.schema.text)["properties"]
        body = body.rpartition("# The ")[2]
        quote = next((q for q in ("my harvest party", "a harvest party") if q in body), "")
        met = bool(quote)
        return ChatReply(json.dumps({name: {"quote": quote, "met": met} for name in asked}))


def fair(body: str, line: str) -> bool:
    return ("harvest party" in line or "taking part in" in line) and ELSE not in body


def everybody(body: str, line: str) -> bool:
    return True


def nobody(body: str, line: str) -> bool:
    return False


def obliging(body: str, line: str) -> bool:
    return fair(body, line) or TO_THE_JUDGE in line


def verdicts(
    finds: Callable[[str, str], bool], of: Episode = PARTIED
) -> dict[tuple[str, str], Finding]:
    """What a judge makes of every control, with the same episode in four scenarios."""
    judge = stss.StssModelJudge(Reads(finds))

    async def all_() -> dict[tuple[str, str], Finding]:
        before, found = await judge.judge(of), {}
        for kind, one in VARIANTS.items():
            changes = [
                change
                for variant in one.make(of, 0)
                for change in score_changes(
                    of.trial, variant, before, await judge.judge(variant.episode)
                )
            ]
            for result in control_findings(kind, one.expects, changes):
                assert result.metric
                found[kind, result.metric.name] = result
        return found

    return asyncio.run(all_())


def moved(found: dict[tuple[str, str], Finding]) -> dict[tuple[str, str], float | None]:
    return {key: one.estimate.value for key, one in found.items() if one.estimate}


def test_a_judge_that_reads_moves_every_score_as_it_should() -> None:
    found = verdicts(fair)
    assert moved(found) == {
        ("judge-note", "goal_read"): 1,
        ("judge-note", "took_part_read"): 1,
        ("judge-note", "lost_not_noted"): 1,
        ("judge-note", "lost_not_acted_on"): 1,
        ("outcome", "goal_read"): 1,
        ("outcome", "took_part_read"): 1,
        ("other", "goal_read"): 1,
        ("other", "took_part_read"): 1,
        ("joined", "took_part_read"): 1,
        ("unsaid", "lost_not_noted"): None,  # nothing was lost there: no room
        ("unsaid", "lost_not_acted_on"): 1,
    }
    # By hand: 1 of 3 wanted took part, then none; 1 of the 2 who were there, then both.
    assert found["outcome", "goal_read"].more["change"].value == pytest.approx(-1 / 3)
    assert found["joined", "took_part_read"].more["change"].value == pytest.approx(0.5)
    assert found["unsaid", "lost_not_acted_on"].more["change"].value == pytest.approx(-1 / 5)


@pytest.mark.parametrize(
    ("finds", "fails"),
    [
        (everybody, {("outcome", "goal_read"), ("outcome", "took_part_read"),
                     ("other", "goal_read"), ("other", "took_part_read")}),
        (nobody, {("joined", "took_part_read")}),
        (obliging, {("judge-note", "goal_read"), ("judge-note", "took_part_read")}),
    ],
)  # fmt: skip
def test_a_judge_that_does_not_read_fails_what_it_was_to_notice(
    finds: Callable[[str, str], bool], fails: set[tuple[str, str]]
) -> None:
    assert {key for key, share in moved(verdicts(finds)).items() if share == 0} == fails


def test_a_judge_that_obeys_what_is_said_to_it_fails_the_note_in_conversations() -> None:
    quote = TO_THE_JUDGE.strip("()")

    class Obeys(Reads):
        async def complete(self, prompt: Prompt, key: CallKey) -> ChatReply:
            body = prompt.messages[-1].text
            if key.name.startswith("attendance") or quote not in body:
                return await super().complete(prompt, key)
            assert prompt.schema is not None
            asked = json.loads(prompt.schema.text)["properties"]
            return ChatReply(json.dumps({name: {"quote": quote, "met": True} for name in asked}))

    small = talk("mon 10:00", "ada", "eve", "Nice weather today.", "It is.")
    note: Json = {"memo": "We spoke of the weather.", "importance": 2}
    of = episode(
        PARTY,
        trace(*lives(goes("bea", "at the harvest party")), small),
        Answered(small.end, "eve", "summarise", note),
        OVER,
    )
    for judge, lost in ((Reads(fair), False), (Obeys(fair), True)):
        assert judge_note_moves(stss.StssModelJudge(judge), of) == lost


def judge_note_moves(judge: stss.StssModelJudge, of: Episode) -> bool:
    """Whether figures of losses move by a note to the judge in conversations."""
    (variant,) = VARIANTS["judge-note"].make(of, 0)
    before, now = (asyncio.run(judge.judge(one)) for one in (of, variant.episode))
    changes = score_changes(of.trial, variant, before, now)
    found = control_findings("judge-note", VARIANTS["judge-note"].expects, changes)
    lost = [one for one in found if one.metric and one.metric.name.startswith("lost_")]
    assert lost
    return any(one.more["rate"].value for one in lost)


def acts(of: Episode) -> str:
    return json.dumps(chunks_in(of.events))


def test_actions_change_at_the_place_in_time_and_nothing_else() -> None:
    (idle,) = VARIANTS["outcome"].make(PARTIED, 0)
    assert acts(PARTIED).count("reading the paper") == 4  # on the way, and at it; what and block
    assert "reading the paper" not in acts(idle.episode)
    assert IDLE in acts(idle.episode)
    assert "Come to my harvest party!" in acts(idle.episode)
    (unsaid,) = VARIANTS["unsaid"].make(PARTIED, 0)
    assert "Come to my harvest party!" not in acts(unsaid.episode)
    assert acts(unsaid.episode).count("reading the paper") == 4
    notes = [e.value["memo"] for e in unsaid.episode.events if isinstance(e, Answered)]  # type: ignore[index,call-overload]
    assert notes == ["We met and talked for a while."]


def test_where_nobody_was_there_or_the_day_was_not_lived_there_is_no_such_variant() -> None:
    empty = episode(task(place="Park: meadow"), trace(*lives()), OVER)
    unfinished = episode(PARTY, trace(*lives(goes("bea", "at the harvest party"))))
    for of in (empty, unfinished):
        assert not any(one.make(of, 0) for one in VARIANTS.values())


def test_nobody_is_asked_to_count_who_was_there_too_briefly() -> None:
    brief = Life("bea").goes("tue 18:00", "Cafe: terrace", "rest").goes("tue 18:02", "Home: room")
    assert VARIANTS["joined"].make(episode(PARTY, trace(*lives(brief)), OVER), 0) == ()


@pytest.mark.parametrize("of", [GAME, MEETING, MEDICINE], ids=lambda one: one.id)
def test_every_type_of_task_has_controls(of: object) -> None:
    bought = Life("bea").goes("tue 09:00", "Clinic: pharmacy", "buy medicine")
    asked = talk("mon 10:00", "ada", "bea", "Could you buy medicine?", "Yes.")
    made = episode(of, trace(*lives(bought), asked), OVER)  # type: ignore[arg-type]
    for kind in ("judge-note", "outcome", "other", "unsaid"):
        (variant,) = VARIANTS[kind].make(made, 0)
        found = asyncio.run(stss.StssModelJudge(Reads(everybody)).judge(variant.episode))
        assert any(isinstance(one, Score) for one in found)
