"""SOTOPIA's behaviour sheet (sections 6 and 7): a judge and raters fill it in alike."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from fake_models import FakeModel
from rating_runs import ADA, BEN, RUN, STUDY, build, open_study
from sociolab import result_of
from sociolab.analysis import agent_names, agreements
from sociolab.app import world_plugin
from sociolab.core import ConfigError, JudgeId, Score, ScoreFailure, Transcript, Unscored, Verdict
from sociolab.plugin.api import guide_judge, guides_from
from sociolab.report import setting_facts, summary, views_of
from sociolab.store import Store
from sociolab.studies import (
    RatedEpisode,
    RatingDraft,
    forget,
    import_ratings,
    keep_draft,
    next_episode,
    rate_study,
    rated_places,
    ratings_csv,
    ratings_in,
    submit,
)

SHEET = world_plugin("sotopia").guide("behaviour")
NAMES = tuple(one.name for one in SHEET.guides)


def answer(word: str, *quotes: tuple[int, str], why: str = "so it reads") -> dict[str, Any]:
    return {
        "reasoning": why,
        "quotes": [{"turn": turn, "quote": quote} for turn, quote in quotes],
        "answer": word,
    }


def reply(**ada: Mapping[str, Any]) -> str:
    """Of Ada what is given, else no; of Ben no throughout."""
    nos = {name: answer("no") for name in NAMES}
    return json.dumps({"person_1": {**nos, **ada}, "person_2": nos})


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    build(tmp_path / "store.db")
    with Store.open(tmp_path / "store.db") as opened:
        yield opened


def judged(store: Store, *replies: str) -> tuple[FakeModel, dict[tuple[str, str], Verdict]]:
    model = FakeModel(*replies)
    episode = next(store.episodes(RUN))
    verdicts = asyncio.run(guide_judge(SHEET, model, "behaviour").judge(episode))
    return model, {(str(one.seat), one.measure.name): one for one in verdicts}


def test_a_guide_that_is_not_there_is_told_with_those_that_are() -> None:
    with pytest.raises(ConfigError, match=r'of sotopia \(.*behaviour.*\), found "mood"'):
        world_plugin("sotopia").guide("mood")
    with pytest.raises(ConfigError, match="stss has no guide to rate its episodes by"):
        world_plugin("stss").guide()


def test_the_sheet_asks_what_the_run_declares_beside_the_seven() -> None:
    declared = world_plugin("sotopia").declared
    assert declared.order[-7:] == NAMES
    lower = [name for name in NAMES if declared.metric(name).better == "lower"]
    assert lower == ["persona_lost", "stalled", "unanswered", "opens_at_target"]
    assert declared.metric("rephrases").better == ""


def test_answers_become_shares_and_reasons_that_quote_the_turn(store: Store) -> None:
    # Ada opens with 25 (her goal says 30), asks for less after "forty", and was asked nothing.
    model, found = judged(
        store,
        reply(
            opens_at_target=answer("no", (4, "Would you take twenty-five, today")),
            persistent=answer("yes", (4, "4. Ada: WOULD you take twenty-five"), why="asks"),
            unanswered=answer("not applicable", why="Ben asks nothing"),
            creative=answer("cannot tell"),
        ),
    )
    yes, none = found[ADA, "persistent"], found[ADA, "unanswered"]
    assert isinstance(yes, Score)
    assert (yes.value, yes.reason) == (1, '4: "Would you take twenty-five" asks')
    assert isinstance(none, Unscored)
    assert (none.kind, none.why) == ("not applicable", "Ben asks nothing")
    assert found[ADA, "creative"].kind == "cannot tell"  # type: ignore[union-attr]
    assert found[BEN, "persistent"].value == 0  # type: ignore[union-attr]
    told = model.calls[0][0].messages[0].text
    assert "4. Ada: The cable is new, at least." in told
    assert SHEET.guides[0].look in told


def test_an_episode_shows_answers_as_words(store: Store) -> None:
    answers = {"persistent": answer("yes", (4, "would you take twenty-five"))}
    answers |= {"unanswered": answer("not applicable"), "creative": answer("cannot tell")}
    episode = next(store.episodes(RUN))
    sheet = guide_judge(SHEET, FakeModel(reply(**answers)))
    judge = JudgeId("fake/model", "model", role="sheet", sheet="behaviour")
    store.verdicts.add(RUN, judge, asyncio.run(sheet.judge(episode)), trial=episode.trial.id)
    (shown,) = views_of(store, RUN, lambda _: Transcript("", (), ()), [episode.trial.id])
    ada = {title: remarks[0] for title, remarks in shown.sheets[-1].rows if remarks[0]}
    assert {title: ada[title].value for title in ada} == {
        "Loses the persona": "no",
        "Stalls the conversation": "no",
        "Leaves a question unanswered": "not applicable",
        "Rephrases the other": "no",
        "Opens with the target": "no",
        "Persists in the goal": "yes",
        "Finds a creative solution": "cannot tell",
    }


def test_a_judge_that_had_nothing_to_say_is_not_named(store: Store) -> None:
    episode = next(store.episodes(RUN))
    store.verdicts.add(RUN, JudgeId("outcome", "formula"), (), trial=episode.trial.id)
    verdicts = asyncio.run(guide_judge(SHEET, FakeModel(reply())).judge(episode))
    judge = JudgeId("fake/model", "model", role="sheet", sheet="behaviour")
    store.verdicts.add(RUN, judge, verdicts, trial=episode.trial.id)
    result = result_of(store, RUN)
    assert "Judges: sheet:behaviour:fake/model." in summary(result)
    assert dict(setting_facts(result))["Judges"] == "sheet:behaviour:fake/model (LLM judge)"


def test_a_quote_that_is_not_in_its_turn_is_asked_for_again_and_then_a_failure(
    store: Store,
) -> None:
    wrong = reply(
        persistent=answer("yes", (4, "I will never pay forty")),
        stalled=answer("yes"),
        creative=answer("perhaps"),
    )
    model, found = judged(store, wrong, reply(persistent=answer("yes", (7, "Thirty it is"))))
    assert len(model.calls) == 2
    told = model.calls[1][0].messages[-1].text
    assert 'of turn 4 as quote, found "I will never pay forty"' in told
    assert "stalled of Ada: expected a turn and its words for a yes, found none" in told
    assert not [one for one in found.values() if isinstance(one, ScoreFailure)]
    model, found = judged(store, wrong, wrong, wrong)
    failed = [place for place, one in found.items() if isinstance(one, ScoreFailure)]
    assert failed == [(ADA, "stalled"), (ADA, "persistent"), (ADA, "creative")]


def test_what_is_not_applicable_is_not_missing_and_what_cannot_be_told_is(store: Store) -> None:
    judge = JudgeId("fake/model", "model", role="sheet", sheet="behaviour")
    kinds = [answer("yes", (1, "Is the red lamp")), answer("not applicable"), answer("cannot tell")]
    for episode, said in zip(store.episodes(RUN), kinds, strict=True):
        sheet = guide_judge(SHEET, FakeModel(reply(stalled=said)))
        store.verdicts.add(RUN, judge, asyncio.run(sheet.judge(episode)), trial=episode.trial.id)
    (entry,) = (
        one
        for one in result_of(store, RUN).scores
        if one.measure == "stalled" and one.agent == "openai/secret-model" and not one.by
    )
    assert (entry.value, entry.n, entry.unscored, entry.failures) == (1, 1, 1, 0)


# ------------------------------------------------------------------ raters


def fill(store: Store, number: int, score: Any, reason: str) -> tuple[str, tuple[str, ...]]:
    """Rater `number` answers alike for every question of the next episode; what is missing."""
    study = rate_study(store, store.studies.get(STUDY))
    who = store.studies.participants(STUDY)[number - 1]
    play = next_episode(store, study, who)
    assert isinstance(play, RatedEpisode)
    for place in rated_places(store, study, play):
        keep_draft(store, who.pk, play.trial, place, RatingDraft(score, reason, 1.0))
    return play.trial, tuple(one.what for one in submit(store, study, who, play))


def test_raters_quote_for_a_yes_and_may_give_no_answer(store: Store, tmp_path: Path) -> None:
    open_study(store, guide="behaviour", dimensions=("stalled",))
    wanted = 'quote the turn that shows it, such as 3: "its words"'
    assert fill(store, 1, 1.0, "always the same")[1] == (wanted, wanted)
    assert "of turn 3 as they stand there" in fill(store, 1, 1.0, '3: "never said so" again')[1][0]
    first, lacking = fill(store, 1, 1.0, "7: “thirty it is” once more")
    assert lacking == ()
    fill(store, 1, "not applicable", "nothing to stall")
    given = {(one.episode, one.seat): one.score for one in ratings_in(store, RUN, STUDY)}
    assert given[first, ADA] == 1
    assert sorted(map(str, given.values())) == ["1.0", "1.0", "not applicable", "not applicable"]
    file = tmp_path / "ratings.csv"
    file.write_text(ratings_csv(ratings_in(store, RUN, STUDY)), "utf-8")
    assert ",stalled,not applicable," in file.read_text("utf-8")
    import_ratings(file, RUN, name="again", store=store.path)
    again = {(one.episode, one.seat): one.score for one in ratings_in(store, RUN, "again")}
    assert again == given
    forget(store, STUDY, "r1")
    assert ratings_in(store, RUN, STUDY) == ()


def test_agreement_as_worked_by_hand(store: Store, tmp_path: Path) -> None:
    # Six seats. anna: y y y n n -, ben: y y n n y y, the judge: y n n n y y; "-" cannot tell.
    seats = [(f"fair{n:02}", seat) for n in range(3) for seat in (ADA, BEN)]
    anna = ["yes", "yes", "yes", "no", "no", "cannot tell"]
    ben = ["yes", "yes", "no", "no", "yes", "yes"]
    rows = [
        f"{episode},{seat},{rater},stalled,{word},so it is"
        for rater, words in (("anna", anna), ("ben", ben))
        for (episode, seat), word in zip(seats, words, strict=True)
    ]
    file = tmp_path / "ratings.csv"
    file.write_text("episode,seat,rater,dimension,score,reason\n" + "\n".join(rows), "utf-8")
    import_ratings(file, RUN, store=store.path)
    judge, measure = JudgeId("m", "model", role="sheet", sheet="behaviour"), SHEET.guides[1].measure
    for (episode, seat), value in zip(seats, (1, 0, 0, 0, 1, 1), strict=True):
        store.verdicts.add(RUN, judge, [Score(measure, seat, value)], trial=episode)
    found = agreements(store, [RUN])
    people, beside = (one.agreement for one in found.observations)
    # People: 5 pairs, 3 alike; 6 of 10 answers are yes: chance .36 + .16, (.6 - .52) / .48.
    assert people.pairs == 5
    assert people.same == pytest.approx(0.6)
    assert people.first == people.second == pytest.approx(0.6)
    assert people.value == pytest.approx(0.08 / 0.48)
    # Judge and anna y/y n/y n/y n/n y/n, and ben y/y n/y n/n n/n y/y y/y: 7 of 11 alike; the judge
    # says yes in 5 of 11, people in 7 of 11: chance (5 * 7 + 6 * 4) / 121.
    assert beside.pairs == 11
    assert beside.same == pytest.approx(7 / 11)
    assert beside.value == pytest.approx((7 / 11 - 59 / 121) / (1 - 59 / 121))
    (section,) = found.sections
    assert [table.heading for table in section.tables] == [
        "Among people",
        "sheet:behaviour:m and people",
    ]
    document = found.document()
    assert document["yes_no"][0]["agreement"]["pairs"] == 5


def test_a_model_is_renamed_on_its_sheets_too(store: Store) -> None:
    measure, (episode, *_) = SHEET.guides[1].measure, store.trial_ids(RUN)
    plain = JudgeId("openai/m", "model")
    for judge in (plain, replace(plain, role="sheet", sheet="behaviour")):
        store.verdicts.add(RUN, judge, [Score(measure, ADA, 1)], trial=episode)
    assert agent_names(store, [RUN], {"openai/m": "M"}).judges == {
        "openai/m": "M",
        "sheet:behaviour:openai/m": "sheet:behaviour:M",
    }
    mine = agent_names(store, [RUN], {"sheet:behaviour:openai/m": "Mine"})
    assert mine.judge("sheet:behaviour:openai/m") == "sheet:behaviour:Mine"
    assert mine.judge("openai/m") == "openai/m"


def test_who_only_answered_questions_rated_no_scale(store: Store, tmp_path: Path) -> None:
    file = tmp_path / "ratings.csv"
    rows = "fair00,1,anna,goal,7\nfair00,1,anna,stalled,no\nfair00,1,ben,stalled,yes\n"
    file.write_text("episode,seat,rater,dimension,score\n" + rows, "utf-8")
    import_ratings(file, RUN, store=store.path)
    found = agreements(store, [RUN])
    assert [one.name for one in found.ratings.raters] == ["anna", "ben"]
    people = found.sections[0]
    assert people.sentences[0].startswith(
        "1 person gave 1 rating on 1 dimension for 1 seat of 1 episode"
    )
    assert people.tables[0].rows == (("anna", "1", "1", "\N{EN DASH}"),)
    assert people.cautions[0].startswith("One rater only")
    assert {row["figure"] for row in found.rows()} == {"Cohen's kappa"}


# ------------------------------------------------------------------ a sheet of one's own


def test_a_table_makes_a_sheet_of_scales_and_questions(store: Store, tmp_path: Path) -> None:
    file = tmp_path / "manners.toml"
    file.write_text(
        '[greets]\ntitle = "Greets"\nquestion = "Do they greet?"\nlook = "A hello counts."\n'
        '[warmth]\ntitle = "Warmth"\nquestion = "How warm?"\nlook = "Tone."\nlow = -2\nhigh = 2\n',
        "utf-8",
    )
    greets, warmth = guides_from(file)
    assert greets.measure.yes_no
    assert warmth.points == (-2, -1, 0, 1, 2)
    file.write_text('[greets]\ntitle = "Greets"\nlow = 3\n', "utf-8")
    with pytest.raises(ConfigError, match=r"manners\.toml: greets\.question"):
        guides_from(file)
    with pytest.raises(ConfigError, match=r"\(dimensions, behaviour\), found"):
        world_plugin("sotopia").guide("manners")
