"""Information exchange by a model judge, and the labelled set that tests one."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable, Sequence

import pytest
from hypothesis import given, strategies as st

from anteval_cases import episode_of, learned, over, says, session
from fake_models import FakeModel, ImprovisingModel
from sociolab.core import (
    Answered,
    CallKey,
    ChatReply,
    Episode,
    Judge,
    Measure,
    ModelError,
    Prompt,
    Score,
    ScoreFailure,
    Verdict,
)
from sociolab.testing import JudgeContract
from sociolab.worlds import anteval

# ---------- the judge model of information exchange, with a stub that reads the ids in a text
# A fact, a key point and a statement of an answer hold an id: K1, K2, ... of the facts, J1, ...
# of what was invented, T1, ... of what is true beside the facts.


FACTS = tuple(anteval.Fact(id=f"F{n}", kind="place", text=f"They say K{n}.") for n in range(1, 7))
TABLE = session(players=2, turns=4, knowledge=FACTS, decoys=FACTS[5:])
PLAN = anteval.InformationPlan(key_points=3)

Change = Callable[[dict[str, object]], dict[str, object]]


def ids_in(text: str) -> list[str]:
    return sorted(set(re.findall(r"\b[JKT]\d+\b", text)))


class StubJudge:
    """Summarises by the alphabet, compares by ids; `wrong` changes the first reply of a name."""

    def __init__(self, **wrong: object) -> None:
        self.label = "stub/judge"
        self.calls: list[tuple[Prompt, CallKey]] = []
        self._wrong = wrong

    async def complete(self, prompt: Prompt, key: CallKey) -> ChatReply:
        self.calls.append((prompt, key))
        head, body = (message.text for message in prompt.messages[:2])
        found = self._sheet(key.name, head, body)
        wrong = self._wrong.get(key.name)
        if isinstance(wrong, ModelError):
            raise wrong
        if callable(wrong) and (key.attempt == 1 or "always" in self._wrong):
            found = wrong(found)
        return ChatReply(json.dumps(found))

    def _sheet(self, name: str, head: str, body: str) -> dict[str, object]:
        if name in ("knowledge", "summary"):
            (k,) = set(re.findall(r"into (\d+) key points?", head))
            return {"points": [f"So it is {id_}" for id_ in ids_in(body)][: int(k)]}
        lines = dict(re.findall(r"^([paf]\d+): (.*)$", body, re.MULTILINE))
        if name == "match":
            sides = [{i: t for i, t in lines.items() if i[0] == mark} for mark in "pa"]
            pairs = [
                {"known": p, "known_text": text, "learned": a, "learned_text": other}
                for p, text in sides[0].items()
                for a, other in sides[1].items()
                if ids_in(text) == ids_in(other)
            ]
            return {"pairs": pairs}
        mark = "# The answer of" if name == "facts" else "# What was said and done"
        text = body.split(mark)[1].partition("\n")[2]
        stated = ids_in(text)
        facts = [
            {"fact": f, "stated": i in stated, "quote": f"they say {i}" if i in stated else ""}
            for f, i in ((f, ids_in(fact)[0]) for f, fact in lines.items() if f[0] == "f")
        ]
        if name == "transcript":
            return {"facts": facts, "small_talk": [1]}
        kinds = {"J": "hallucinated", "T": "other"}
        beside = [{"quote": f"they say {i}", "kind": kinds[i[0]]} for i in stated if i[0] in kinds]
        return {"facts": facts, "beside": beside}

    def bodies(self, name: str) -> list[str]:
        return [prompt.messages[1].text for prompt, key in self.calls if key.name == name]


def played(*answers: Answered, before: tuple[str, ...] = ()) -> Episode:
    return episode_of(
        TABLE,
        learned(0, "player-1", *before),
        learned(0, "player-2"),
        says(0, "player-1", "Good day."),
        says(1, anteval.NPC, "They say K1."),
        says(2, anteval.NPC, "They say K2, they say T1.", "player-1"),
        *answers,
        over(4),
    )


def answered(*sentences: str) -> Episode:
    return played(learned(4, "player-1", *sentences), learned(4, "player-2"))


def said(*ids: str) -> tuple[str, ...]:
    return tuple(f"They say {id_}." for id_ in ids)


def judged(
    episode: Episode,
    model: StubJudge | FakeModel | None = None,
    plan: anteval.InformationPlan = PLAN,
) -> dict[tuple[str, str | None], Verdict]:
    found = asyncio.run(anteval.ModelJudge(plan, model or StubJudge()).judge(episode))
    return {(verdict.measure.name, verdict.seat): verdict for verdict in found}


def values(episode: Episode, seat: str | None = "player-1") -> dict[str, float]:
    verdicts = judged(episode).items()
    return {name: v.value for (name, at), v in verdicts if at == seat and isinstance(v, Score)}


def value(verdict: Verdict) -> float:
    assert isinstance(verdict, Score), verdict
    return verdict.value


# ---------------------------------------------------------------- what it comes to


def test_an_episode_worked_by_hand() -> None:
    episode = answered(*said("K2", "K5", "T1", "J1"))
    # Key points: K1, K2, K3 of the knowledge; J1, K2, K5 of the answer. Facts: 2 of 6.
    assert values(episode) == pytest.approx(
        {
            "iep": 1 / 3,
            "precision": 2 / 3,
            "recall": 2 / 6,
            "f1": 2 * 2 / (2 + 1 + 6),
            "hallucination": 1 / 4,
            "recall_place": 2 / 6,  # all facts are of this kind
            "small_talk": 1,  # the judge says so of turn 1, the only one of this player
            "no_talk": 0,
            "other_session": 0,
        }
    )
    assert values(episode, None) == pytest.approx(
        {
            "party_recall": 2 / 6,
            "turns_per_fact": 3 / 2,
            # "Good day." (9 characters), "They say K1." (12), "They say K2, they say T1." (25)
            "tokens_per_fact": 46 / 4 / 2,
            "oracle_transcript": 2 / 6,
            "oracle_facts": 1,
        }
    )
    empty = values(episode, "player-2")
    assert (empty["iep"], empty["recall"]) == (0, 0)
    assert "precision" not in empty


def test_who_knows_all_has_all_and_another_sessions_facts_are_counted_without_a_call() -> None:
    found = values(answered(*said(*(f"K{n}" for n in range(1, 7)))))
    assert (found["iep"], found["recall"], found["precision"]) == (1, 1, 1)
    assert found["other_session"] == 1  # K6 is a fact of the other session, too


def test_the_reasons_show_pairs_quotes_and_the_turn_and_a_shortfall_is_on_record() -> None:
    verdicts = judged(answered(*said("K1", "J1")))

    def reason(name: str, seat: str | None = "player-1") -> str:
        verdict = verdicts[name, seat]
        assert isinstance(verdict, Score)
        return verdict.reason

    assert reason("iep") == (
        "1 of 3 key points shared; 2 key points were made, 1 short of k: "
        '"So it is K1" = "So it is K1"'
    )
    assert reason("recall") == '1 of 6 facts: F1 ("they say K1")'
    assert reason("hallucination") == '1 of 2 statements: "they say J1"'
    assert reason("oracle_transcript", None) == (
        '2 of 6 facts: F1 (turn 2: "they say K1"), F2 (turn 3: "they say K2")'
    )


# ---------------------------------------------------------------- what moves nothing


JOINS = (". ", ", ", " and ", "; ", "\n", "! ")


@given(
    st.sets(st.sampled_from(["K1", "K2", "K4", "K6", "J1", "T1"]), min_size=1).flatmap(
        lambda ids: st.permutations(sorted(ids))
    ),
    st.sampled_from(JOINS),
    st.integers(0, 6),
)
def test_order_punctuation_and_joining_of_sentences_move_nothing(
    ids: list[str], join: str, cut: int
) -> None:
    plain = values(answered(*said(*sorted(ids))))
    parts = [ids[:cut], ids[cut:]]
    sentences = [join.join(f"they say {id_}" for id_ in part) for part in parts if part]
    assert values(answered(*sentences)) == plain


def test_a_list_of_sentences_is_shown_as_one_text_however_it_was_cut() -> None:
    bodies = []
    for sentences in (
        said("K1", "K2"),
        ("They say K1. They say K2.",),
        ("They say K1", "They say K2"),
    ):
        model = StubJudge()
        judged(answered(*sentences), model)
        bodies.append([model.bodies(name) for name in ("summary", "facts")])
    assert bodies[0] == bodies[1] == bodies[2]


@given(
    st.sets(st.sampled_from(["K1", "K2", "K4", "K6"])),
    st.lists(st.sampled_from([f"{mark}{n}" for mark in "JT" for n in range(1, 9)]), max_size=40),
)
def test_padding_never_raises_iep_and_never_moves_recall(known: set[str], more: list[str]) -> None:
    plain = values(answered(*said(*sorted(known))))
    padded = values(answered(*said(*more, *sorted(known), *sorted(known))))
    assert padded["iep"] <= plain["iep"]
    assert padded["recall"] == plain["recall"]


def test_an_answer_of_a_hundred_sentences_has_k_key_points_like_any_other() -> None:
    padding = [f"J{n}" for n in range(100)]
    found = values(answered(*said(*padding, "K1", "K2", "K3")))
    assert found["iep"] == 0  # the summary, by the alphabet, is all padding
    assert found["recall"] == 0.5
    assert found["hallucination"] == pytest.approx(100 / 103)


# ---------------------------------------------------------------- who is shown what


def test_the_summary_of_an_answer_is_blind() -> None:
    model = StubJudge()
    judged(answered(*said("K2", "J1")), model)
    mine = [body for body in model.bodies("summary") if "K2" in body and "K3" not in body]
    assert mine == ["They say K2. They say J1."]
    (head,) = {p.messages[0].text for p, key in model.calls if key.name == "summary"}
    assert not any(fact.text in head for fact in FACTS)
    assert "K1" not in mine[0]


def test_the_whole_answer_is_read_beside_all_that_is_so() -> None:
    model = StubJudge()
    judged(answered(*said("K2")), model)
    (body,) = model.bodies("facts")
    assert "bondmark-npc" in body
    assert "1. Mira: Good day.\n2. Ansel: They say K1.\n3. Ansel (to Mira only)" in body
    assert TABLE.situation in body
    assert "mark-player" not in body, "nothing private of a player"


def test_calls_are_keyed_apart_and_an_empty_answer_costs_none() -> None:
    model = StubJudge()
    judged(answered(*said("K1")), model)
    assert [(key.name, key.seat) for _, key in model.calls] == [
        ("knowledge", ""),
        ("summary", "player-1"),
        ("match", "player-1"),
        ("facts", "player-1"),
        ("transcript", ""),
        ("summary", ""),
        ("match", ""),
    ]
    assert all(prompt.temperature == 0 and prompt.schema for prompt, _ in model.calls)
    again = StubJudge()
    asyncio.run(anteval.ModelJudge(PLAN, again).judge(answered(*said("K1")), 2))
    assert {key.index for _, key in again.calls} == {2}


def test_answers_before_the_first_turn_and_snapshots_are_read_once_each() -> None:
    model = StubJudge()
    episode = played(
        learned(2, "player-1", *said("K1")),
        learned(2, "player-2"),
        learned(4, "player-1", *said("K1", "K2")),
        learned(4, "player-2"),
        before=said("K3"),
    )
    found = judged(episode, model, anteval.InformationPlan(3, snapshots=2))
    assert value(found["no_talk", "player-1"]) == pytest.approx(1 / 6)
    curve = [value(found[f"recall_at_{turn}", "player-1"]) for turn in (0, 2, 4)]
    assert curve == pytest.approx([1 / 6, 1 / 6, 2 / 6])
    assert [key.turn for _, key in model.calls if key.name == "facts"] == [4, 0, 2]
    assert "# What was said and done\nNothing yet." in model.bodies("facts")[1]


# ---------------------------------------------------------------- what will not do


def with_first(name: str, **values: object) -> Change:
    """The sheet with its first entry of this list changed."""

    def change(sheet: dict[str, object]) -> dict[str, object]:
        entries = sheet[name]
        assert isinstance(entries, list)
        return {**sheet, name: [{**entries[0], **values}, *entries[1:]]}

    return change


def doubled(name: str) -> Change:
    def change(sheet: dict[str, object]) -> dict[str, object]:
        entries = sheet[name]
        assert isinstance(entries, list)
        return {**sheet, name: [entries[0], *entries]}

    return change


def only(*points: str) -> Change:
    return lambda sheet: {"points": points}


FACT_IDS = "f1, f2, f3, f4, f5, f6"
NO_QUOTE = "expected a quote of at least three words"


@pytest.mark.parametrize(
    ("name", "change", "problem"),
    [
        ("knowledge", only("a", "b"), "points: expected at least 3 items"),
        ("summary", only("a", "b", "c", "d"), "points: expected at most 3 items"),
        ("summary", only("So it is K1", "so it is k1."), "found one twice"),
        ("summary", only("..."), "found an empty one"),
        ("match", with_first("pairs", known="p7"), 'known: expected one of p1, p2, p3, found "p7"'),
        ("match", doubled("pairs"), 'known: expected each id once at most, found "p1" 2 times'),
        ("match", with_first("pairs", learned_text="So K9"), "learned_text: expected the text of"),
        ("facts", with_first("facts", fact="f9"), f'fact: expected one of {FACT_IDS}, found "f9"'),
        (
            "facts",
            with_first("facts", fact="f2"),
            'fact: expected each id once at most, found "f2"',
        ),
        ("facts", with_first("facts", quote="they say K9"), f"f1: {NO_QUOTE}"),
        ("facts", with_first("beside", quote="say J1"), f"beside: {NO_QUOTE}"),
        ("facts", with_first("beside", quote="They say K1"), "words that no other entry has"),
        ("facts", doubled("beside"), "words that no other entry has"),
        ("transcript", with_first("facts", quote="they say K5"), f"f1: {NO_QUOTE}"),
        ("transcript", lambda sheet: {"facts": []}, "facts: expected at least 6 items"),
    ],
)
def test_a_sheet_with_a_wrong_id_count_or_quote_is_asked_for_again(
    name: str, change: Change, problem: str
) -> None:
    episode = answered(*said("K1", "J1"))
    plain = judged(episode)
    model = StubJudge(**{name: change})
    assert judged(episode, model) == plain
    again = [p.messages[-1].text for p, key in model.calls if key.attempt == 2]
    assert any(problem in text for text in again), again


@pytest.mark.parametrize(
    ("name", "lost"),
    [
        ("knowledge", {"iep", "oracle_facts"}),
        ("summary", {"iep", "oracle_facts"}),
        ("match", {"iep", "oracle_facts"}),
        (
            "facts",
            {"precision", "recall", "f1", "hallucination", "recall_place", "other_session"}
            | {"party_recall", "turns_per_fact", "tokens_per_fact"},
        ),
        ("transcript", {"oracle_transcript", "small_talk"}),
    ],
)
@pytest.mark.parametrize("how", ["down", "nonsense"])
def test_what_cannot_be_mended_is_a_failure_of_its_own_scores_and_no_0(
    name: str, lost: set[str], how: str
) -> None:
    down = ModelError("no reply in time", cause="timeout", tries=4)
    wrong: dict[str, object] = {name: down if how == "down" else lambda sheet: {"nothing": 1}}
    found = judged(answered(*said("K1", "J1")), StubJudge(**wrong, always=True))
    failed = {measure for (measure, _), v in found.items() if isinstance(v, ScoreFailure)}
    assert failed == lost
    of_the_party = {"party_recall", "turns_per_fact", "tokens_per_fact"}  # for want of an answer
    for verdict in found.values():
        if isinstance(verdict, ScoreFailure) and verdict.measure.name not in of_the_party:
            assert (verdict.cause, verdict.attempts) == (
                ("timeout", 4) if how == "down" else ("unreadable", 3)
            )
    assert value(found["iep", "player-2"]) == 0, "an empty answer needs no call"


def test_a_fatal_error_passes_through() -> None:
    fatal = ModelError("no key", cause="credentials", fatal=True)
    with pytest.raises(ModelError, match="no key"):
        judged(answered(), FakeModel(fatal))


def test_its_id_covers_what_a_value_rests_on_and_not_which_others_stand_beside_it() -> None:
    plans = (
        anteval.InformationPlan(3),
        anteval.InformationPlan(4),
        anteval.InformationPlan(3, controls=False),
        anteval.InformationPlan(3, snapshots=2),
    )
    three, four, *beside = (anteval.ModelJudge(plan, StubJudge()).id.settings for plan in plans)
    assert three != four
    assert beside == [three, three]


class TestModelJudge(JudgeContract):
    pure = False

    def judge(self) -> Judge:
        return anteval.ModelJudge(anteval.InformationPlan(2, snapshots=2), ImprovisingModel())

    def episodes(self) -> Sequence[Episode]:
        return (answered(*said("K1", "J1")),)

    def measures(self) -> Sequence[Measure]:
        return anteval.InformationPlan(2, snapshots=2).measures(TABLE.turns)


# ---------- the judge of facts beside labelled pairs of a statement and a fact


def sheet(stated: bool, quote: str) -> str:
    line = {"fact": "f1", "stated": stated, "quote": quote if stated else ""}
    return json.dumps({"facts": [line], "beside": []})
