"""A judge that breaks has failed in its scores, and in nothing else."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

import pytest

from sociolab import result_of
from sociolab.core import (
    UNNAMED_MEASURE,
    Episode,
    JudgeId,
    Measure,
    ModelError,
    Score,
    ScoreFailure,
    Verdict,
    WorldError,
)
from sociolab.runner import play_all, progress, verdicts_of
from sociolab.store import Store
from tiny_runs import RUN, CountingJudge, Speaker, play_run, statuses, table, trial

OWN = JudgeId("own", "rules", "1")
WARMTH, PACE = Measure("warmth", 0, 10), Measure("pace", 0, 10)


def fine(episode: Episode) -> tuple[Verdict, ...]:
    seats = episode.trial.task.seats
    return (*(Score(WARMTH, seat, 7.0) for seat in seats), Score(PACE, None, 5.0))


@dataclass
class OwnJudge:
    """Somebody's judge: `say` makes its verdicts, or breaks."""

    say: Callable[[Episode], object]
    id: JudgeId = OWN

    async def judge(self, episode: Episode, judging: int = 0) -> tuple[Verdict, ...]:
        return self.say(episode)  # type: ignore[return-value]


def breaks_at(*trials: str) -> OwnJudge:
    def say(episode: Episode) -> object:
        if episode.trial.id in trials:
            raise ValueError("it fell\nfrom the bench")
        return fine(episode)

    return OwnJudge(say)


def said(store: Store, number: int) -> list[Verdict]:
    rows = store.verdicts.judgings(RUN, OWN, f"t{number}")
    return [verdict for row in rows for verdict in row.verdicts]


def test_the_trial_stays_played_and_the_other_judges_go_on(store: Store) -> None:
    counting = CountingJudge()
    made = table(store, Speaker(), breaks_at("t1", "t3"), counting)
    assert play_run(made) is None
    assert statuses(store) == ["played"] * 5
    assert made.tally.failed == 0
    assert sorted(counting.judged) == [f"t{n}" for n in range(5)]


def test_each_of_its_scores_has_failed_with_the_judge_the_exception_and_the_line(
    store: Store,
) -> None:
    play_run(table(store, Speaker(), breaks_at("t1")))
    failures = [one for one in said(store, 1) if isinstance(one, ScoreFailure)]
    assert [(one.measure, one.seat) for one in failures] == [
        (WARMTH, "x"),
        (WARMTH, "y"),
        (PACE, None),
    ]
    for one in failures:
        assert one.cause == "plugin"
        assert "the judge own broke on the episode t1" in one.problem
        assert "ValueError: it fell from the bench" in one.problem
        assert "test_broken_judges.py" in one.problem
    assert all(isinstance(one, Score) for one in said(store, 0))


def test_what_it_breaks_before_it_named_a_score_is_named_when_the_run_is_over(
    store: Store,
) -> None:
    play_run(table(store, Speaker(), breaks_at("t0", "t1", "t2")), episodes=1)
    for number in range(3):
        measures = {one.measure for one in said(store, number)}
        assert measures == {WARMTH, PACE}, f"t{number}"
    entries = {e.measure: e for e in result_of(store, RUN).scores if e.judge == "own" and not e.by}
    assert {name: (e.n, e.failures) for name, e in entries.items()} == {
        "warmth": (4, 6),
        "pace": (2, 3),
    }


def test_a_judge_that_never_says_a_word_has_failed_in_whatever_it_is_for(store: Store) -> None:
    play_run(table(store, Speaker(), breaks_at(*(f"t{n}" for n in range(5)))))
    for number in range(5):
        (failure,) = said(store, number)
        assert isinstance(failure, ScoreFailure)
        assert (failure.measure, failure.seat) == (UNNAMED_MEASURE, None)
    assert result_of(store, RUN).failures.scores == {"plugin": 5}


def test_the_failures_of_broken_code_go_as_the_mended_code_judges(store: Store) -> None:
    def coded(judge: OwnJudge, code: str) -> OwnJudge:
        return OwnJudge(judge.say, JudgeId("own", "rules", "1", code=code * 16))

    player = Speaker()
    old = coded(breaks_at("t0", "t1", "t2"), "a")
    new = coded(breaks_at("t2"), "b")
    other = OwnJudge(old.say, JudgeId("own", "rules", "2"))
    play_run(table(store, player, old, other))
    asyncio.run(play_all(table(store, player, new), store.trials(RUN), 2))

    def failed(judge: OwnJudge) -> list[str | None]:
        rows = store.verdicts.judgings(RUN, judge.id)
        return [row.trial for row in rows if isinstance(row.verdicts[0], ScoreFailure)]

    assert failed(new) == ["t2"]
    assert failed(old) == ["t2"]
    assert failed(other) == ["t0", "t1", "t2"]
    assert len(list(store.verdicts.judgings(RUN, old.id))) == 3  # what it scored stays


def test_while_a_judge_is_waited_for_it_is_known_which(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress, "PATIENCE", -1.0)
    seen: list[tuple[str, ...]] = []

    def say(episode: Episode) -> object:
        seen.append(made.tally.waits.clauses())
        return fine(episode)

    made = table(store, Speaker(), OwnJudge(say))
    play_run(made, episodes=1)
    assert seen[0] == ("waiting 0 s for the judge own in task0",)


def test_a_judge_that_was_mended_judges_again_and_is_scored(store: Store) -> None:
    player = Speaker()
    play_run(table(store, player, breaks_at("t0", "t1", "t2", "t3", "t4")))
    asked = len(player.asked)
    asyncio.run(play_all(table(store, player, OwnJudge(fine)), store.trials(RUN), 2))
    assert len(player.asked) == asked
    assert all(isinstance(one, Score) for n in range(5) for one in said(store, n))
    assert result_of(store, RUN).failures.scores == {}


@pytest.mark.parametrize(
    ("given", "found"),
    [
        (None, "found None"),
        ("seven", "found 'seven'"),
        ([7.0], "found 7.0 among them"),
        ((Score(WARMTH, "nobody", 3.0),), "found one on 'nobody'"),
    ],
)
def test_what_is_no_verdict_fails_in_one_sentence(store: Store, given: object, found: str) -> None:
    play_run(table(store, Speaker(), OwnJudge(lambda episode: given)))
    assert statuses(store) == ["played"] * 5
    (failure,) = said(store, 0)
    assert isinstance(failure, ScoreFailure)
    assert failure.problem.startswith("the judge own: expected ")
    assert failure.problem.endswith(found)


def test_a_list_of_verdicts_serves_as_well(store: Store) -> None:
    play_run(table(store, Speaker(), OwnJudge(lambda episode: list(fine(episode)))))
    assert all(isinstance(one, Score) for one in said(store, 0))


class TakesOne:
    id = OWN

    async def judge(self, episode: Episode) -> tuple[Verdict, ...]:
        return fine(episode)


class NeedsBoth:
    id = OWN

    async def judge(self, episode: Episode, judging: int) -> tuple[Verdict, ...]:
        return fine(episode)


class AtOnce:
    id = OWN

    def judge(self, episode: Episode, judging: int = 0) -> tuple[Verdict, ...]:
        return fine(episode)


@pytest.mark.parametrize("judge", [TakesOne(), AtOnce()])
def test_a_wrong_signature_is_told_with_the_right_one(store: Store, judge: OwnJudge) -> None:
    play_run(table(store, Speaker(), judge))
    (failure,) = said(store, 0)
    assert isinstance(failure, ScoreFailure)
    assert 'expected "async def judge(self, episode, judging)"' in failure.problem
    assert "\n" not in failure.problem


def test_the_documented_signature_is_called_as_it_is_documented(store: Store) -> None:
    play_run(table(store, Speaker(), NeedsBoth()))  # type: ignore[arg-type]
    assert all(isinstance(one, Score) for one in said(store, 0))


def test_a_call_of_a_judge_that_failed_is_a_failure_by_its_cause(store: Store) -> None:
    def say(episode: Episode) -> object:
        raise ModelError("no reply", cause="timeout", tries=4)

    play_run(table(store, Speaker(), OwnJudge(say)))
    (failure,) = said(store, 0)
    assert isinstance(failure, ScoreFailure)
    assert (failure.cause, failure.attempts) == ("timeout", 4)


def test_an_error_that_every_call_would_meet_still_stops_the_run(store: Store) -> None:
    def say(episode: Episode) -> object:
        raise ModelError("no key", cause="credentials", fatal=True)

    stopped = play_run(table(store, Speaker(), OwnJudge(say)), episodes=1)
    assert stopped is not None
    assert statuses(store) == ["played", *["planned"] * 4]
    assert said(store, 0) == []


class StumblesAtOnce:
    id = OWN

    def judge(self, episode: Episode, judging: int = 0) -> tuple[Verdict, ...]:
        return len(3)  # type: ignore[arg-type,return-value]


def test_nor_is_one_inside_a_judge_that_is_not_async() -> None:
    with pytest.raises(WorldError, match=r"the judge own broke .*TypeError.*test_broken_judges"):
        asyncio.run(verdicts_of(StumblesAtOnce(), Episode(trial(0), ())))  # type: ignore[arg-type]


def test_a_type_error_inside_a_judge_is_not_taken_for_a_wrong_signature() -> None:
    def say(episode: Episode) -> object:
        return len(3)  # type: ignore[arg-type]

    with pytest.raises(WorldError, match=r"the judge own broke .*TypeError.*test_broken_judges"):
        asyncio.run(verdicts_of(OwnJudge(say), Episode(trial(0), ())))
