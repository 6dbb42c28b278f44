"""People and the heuristic judge on the small run, worked by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from declared_worlds import declared
from report.small_run import GOAL, HEURISTIC, RUN
from sociolab.analysis import agreements, load_ratings
from sociolab.analysis.agreement import Agreements, build_sections, kappa_on_scale
from sociolab.analysis.ratings import MODELS, OTHERS, PEOPLE, RULES, agent_group
from sociolab.core import Agent, AgentKind, ConfigError, JudgeId, Score, ScoreFailure, Unscored
from sociolab.stats import Estimate, agreement_report
from sociolab.store import Store
from sociolab.studies import import_ratings

# Episode, seat, the heuristic judge's goal (in the small run), and goals by P and Q.
GOALS = (
    ("lamp-AA", "ann", 4, 4, 6),
    ("lamp-AA", "bob", 6, 6, 6),
    ("lamp-AS", "ann", 5, 7, 6),
    ("lamp-AS", "bob", 7, 9, 7),
    ("bike-AS", "bob", None, 3, None),
    ("noise-AA", "ann", 8, 8, 10),
    ("noise-AA", "bob", 10, 10, 10),
)


def rate(store: Store, tmp_path: Path, raters: str = "PQ", name: str = "people") -> None:
    lines = [
        f"{episode},{seat},{rater},goal,{scores['PQ'.index(rater)]}"
        for episode, seat, _, *scores in GOALS
        for rater in raters
        if scores["PQ".index(rater)] is not None
    ]
    file = tmp_path / f"{name}.csv"
    file.write_text("episode,seat,rater,dimension,score\n" + "\n".join(lines), "utf-8")
    import_ratings(file, RUN, name=name, store=tmp_path / "store.db")


@pytest.fixture
def found(store: Store, tmp_path: Path) -> Agreements:
    rate(store, tmp_path)
    return agreements(store, [RUN])


def text(found: Agreements) -> str:
    return " ".join(
        sentence
        for section in found.sections
        for sentence in (*section.sentences, *section.cautions)
    )


def test_people_among_themselves_as_worked_by_hand(found: Agreements) -> None:
    # 4-6, 6-6, 7-6, 9-7, 8-10, 10-10: exact 2 of 6, within one 3 of 6, in bins of width 2
    # (2 3, 3 3, 3 3, 4 3, 4 4, 4 4) 4 of 6: kappa (2/3 - 1/5) / (4/5). One play has one rater.
    (cell,) = (c for c in found.report.people if c.group is None)
    assert cell.agreement.exact.value == pytest.approx(1 / 3)
    assert cell.agreement.near.value == pytest.approx(1 / 2)
    assert cell.agreement.kappa.value == pytest.approx((2 / 3 - 0.2) / 0.8)
    assert (cell.raters, cell.agreement.left_out) == (2, 1)


def test_the_judge_beside_people_as_worked_by_hand(found: Agreements) -> None:
    # Judge 4 6 5 7 8 10, people 5 6 6.5 8 9 10: products 316.5 - 40 * 44.5 / 6, squares
    # 290 - 1600 / 6 and 348.25 - 44.5^2 / 6. Differences -1 0 -1.5 -1 -1 0.
    (cell,) = (c for c in found.report.judges if c.group is None)
    products = 316.5 - 40 * 44.5 / 6
    squares = (290 - 1600 / 6) * (348.25 - 44.5**2 / 6)
    assert cell.judge == "heuristic"
    assert cell.pearson.value == pytest.approx(products / squares**0.5)
    assert cell.spread.bias.value == pytest.approx(-0.75)
    # 5 lies below 6 to 7, by one point; all others lie inside.
    assert cell.spread.inside.value == pytest.approx(5 / 6)
    assert (cell.spread.below, cell.spread.above, cell.failed) == (1, 0, 1)


def test_plays_by_models_and_by_rules_stand_apart(found: Agreements) -> None:
    # The two plays of the other seat than alpha's are scripted; one of them has no score.
    counts = {cell.group: cell.pearson.n for cell in found.report.judges}
    assert counts == {None: 6, MODELS: 5, RULES: 1}
    (table,) = (t for s in found.sections for t in s.tables if t.heading.startswith("Correlation"))
    assert table.columns[:4] == ("metric", "played by", "seats", "r")
    assert [row[1:3] for row in table.rows] == [("all", "6"), ("models", "5"), ("rules", "1")]


def test_sentences_say_what_cannot_be_concluded(found: Agreements) -> None:
    said = text(found)
    assert "No model judged: this says nothing about a model judge." in said
    assert "Only 3 scenarios" in said
    assert "2 raters: the intervals are over scenarios, not over people" in said
    assert "this says nothing about seats played by people" in said
    assert "Missing scores: GOAL 1." in said
    assert "SOTOPIA" not in said


def test_one_rater_shows_no_agreement_and_no_range(store: Store, tmp_path: Path) -> None:
    rate(store, tmp_path, "P")
    found = agreements(store, [RUN])
    assert "One rater only" in text(found)
    assert "Randolph" not in text(found)
    headings = [table.heading for section in found.sections for table in section.tables]
    assert not [h for h in headings if "range" in h or h.startswith("Two people")]


def test_a_judge_at_the_end_of_a_scale_shows_no_bias(store: Store, tmp_path: Path) -> None:
    # The heuristic judge sees no broken rule anywhere: 0, the top of -10 to 0.
    file = tmp_path / "social.csv"
    rows = [
        f"{e},{s},P,social_rules,{score}"
        for (e, s, *_), score in zip(GOALS, (0, -2) * 4, strict=False)
    ]
    file.write_text("episode,seat,rater,dimension,score\n" + "\n".join(rows), "utf-8")
    import_ratings(file, RUN, store=tmp_path / "store.db")
    found = agreements(store, [RUN])
    assert "In SOC it gives every seat the same score, at one end of the scale" in text(found)
    assert "No r for SOC" in text(found)


def test_a_rater_in_two_sets_is_one_person_and_a_set_can_be_chosen(
    store: Store, tmp_path: Path
) -> None:
    rate(store, tmp_path)
    once = agreements(store, [RUN])
    rate(store, tmp_path, "P", name="experts")
    twice = agreements(store, [RUN])
    assert twice.report == once.report, "nobody is compared with herself"
    assert "Ratings of several sets are pooled: experts and people (" in text(twice)

    (rater,) = agreements(store, [RUN], sets=["experts"]).ratings.raters
    assert (rater.name, rater.ratings) == ("P", 7)
    told = r'--ratings: expected a set of ratings \(experts, people\), found "crowd"'
    with pytest.raises(ConfigError, match=told):
        agreements(store, [RUN], sets=["crowd"])


def test_what_a_person_rated_otherwise_in_a_second_set_counts_as_the_mean(
    store: Store, tmp_path: Path
) -> None:
    rate(store, tmp_path, "P")
    file = tmp_path / "again.csv"
    file.write_text("episode,seat,rater,dimension,score\nlamp-AA,ann,P,goal,7\n", "utf-8")
    import_ratings(file, RUN, name="again", store=tmp_path / "store.db")
    rows = agreements(store, [RUN]).ratings.people
    assert [row.value for row in rows if row.item.startswith(f"{RUN} lamp-AA ann")] == [5.5]


def test_a_run_without_ratings_is_refused_with_what_to_do(store: Store) -> None:
    with pytest.raises(ConfigError, match="sociolab import ratings FILE --run RUN"):
        agreements(store, [RUN])


def test_a_person_who_cannot_tell_has_given_no_rating(store: Store, tmp_path: Path) -> None:
    rate(store, tmp_path)
    unsure = JudgeId("web", "people", "w1")
    store.verdicts.add(RUN, unsure, [Unscored(GOAL, "ann", "?")], trial="lamp-AA")
    store.verdicts.add(RUN, unsure, [Score(GOAL, "bob", 5)], trial="lamp-AA", judging=1)
    found = load_ratings(store, [RUN])
    # Who is not named is told by the number of the judging.
    assert [(r.name, r.ratings) for r in found.raters] == [
        ("P", 7),
        ("Q", 6),
        ("web/2", 1),
    ]


def test_people_without_any_judge_are_compared_among_themselves(
    store: Store, tmp_path: Path
) -> None:
    rate(store, tmp_path)
    for row in list(store.verdicts.judgings(RUN, HEURISTIC)):
        store.verdicts.delete(RUN, HEURISTIC, trial=row.trial)
    found = agreements(store, [RUN])
    assert [section.title for section in found.sections] == ["How far people agree"]


def test_a_judge_that_scored_nothing_of_it_is_refused(store: Store, tmp_path: Path) -> None:
    rate(store, tmp_path)
    with pytest.raises(ConfigError, match="scored what people rated; choose one of heuristic"):
        agreements(store, [RUN], ["goal check"])


def test_sotopias_figures_stand_only_beside_a_model_judge(store: Store, tmp_path: Path) -> None:
    rate(store, tmp_path)
    ratings = load_ratings(store, [RUN])
    object.__setattr__(ratings, "judge_ids", {"heuristic": JudgeId("heuristic", "model")})
    report = agreement_report(ratings.people, ratings.judges, {"goal": (0, 10)})
    said = " ".join(c for section in build_sections(ratings, report, 5) for c in section.cautions)
    assert "SOTOPIA's Table 1 (GPT-4 and its raters, episodes by models): SEC 0.22" in said
    assert "KNO 0.19" not in said  # nobody here played as a person


def test_charts_tell_their_figures_to_those_who_do_not_see_them(found: Agreements) -> None:
    figures = [figure for section in found.sections for figure in section.figures]
    assert len(figures) == 1
    # -1.5 lies nearest to -2: halves go away from zero.
    assert "GOAL: \N{MINUS SIGN}2: 1, \N{MINUS SIGN}1: 3, +0: 2" in figures[0].chart.description


def test_an_interval_of_kappa_is_shown_to_its_ends() -> None:
    wide = Estimate(0.58, 3, 3, -1.21, 2.38, "t")
    shown = kappa_on_scale(wide, 5)
    assert (shown.value, shown.low, shown.high) == (0.58, -0.25, 1.0)


def test_a_document_holds_all_figures(found: Agreements) -> None:
    document = found.document()
    assert document["bins"] == 5
    assert document["judges"] == {"heuristic": "heuristic"}
    assert document["judge_and_people"][0]["pearson"]["n"] == 6
    tables = {table["id"]: table for part in document["sections"] for table in part["tables"]}
    first = tables["agreement.correlation"]["findings"][0]
    assert first["about"] == {"judge": "heuristic", "played": "all"}
    assert (first["metric"], first["seats"], first["failed"]) == ("goal", 6, 1)


@pytest.mark.parametrize(
    ("kind", "who"),
    [
        ("person", PEOPLE),
        ("model", MODELS),
        ("imported", OTHERS),
        ("rules", RULES),
        ("plugin", OTHERS),
        ("own code", OTHERS),
    ],
)
@pytest.mark.parametrize("label", ["human", "human-like", "a/b", "python:x", "scripted", "m@abcd"])
def test_who_played_is_never_read_off_the_label(kind: AgentKind, who: str, label: str) -> None:
    assert agent_group(Agent(label, kind)) == who


def test_a_judge_that_failed_on_every_rated_play_owes_its_scores(
    store: Store, tmp_path: Path
) -> None:
    rate(store, tmp_path)
    judge = JudgeId("openai/broken", "model", "1")
    for trial, seat in (("lamp-AA", "ann"), ("lamp-AA", "bob"), ("lamp-AS", "ann")):
        failure = ScoreFailure(GOAL, seat, "timeout", "no reply in time")
        store.verdicts.add(RUN, judge, [failure], trial=trial)
    found = agreements(store, [RUN])
    (section,) = [
        one for one in found.sections if one.title == "openai/broken compared with people"
    ]
    assert section.cautions == ("3 scores expected from it are missing.",)
    between = found.sections[-1]
    assert between.title == "Judges compared with each other"
    assert any(
        "No seat that people rated was scored by both" in sentence for sentence in between.sentences
    )
    assert all(table.rows for table in between.tables), "an empty table"


def test_where_nothing_varies_no_interval_is_claimed_in_words(store: Store, tmp_path: Path) -> None:
    file = tmp_path / "same.csv"
    rows = [f"lamp-AA,{seat},{rater},goal,5" for seat in ("ann", "bob") for rater in "PQ"]
    file.write_text("episode,seat,rater,dimension,score\n" + "\n".join(rows), "utf-8")
    import_ratings(file, RUN, store=tmp_path / "store.db")
    people = next(s for s in agreements(store, [RUN]).sections if s.title.startswith("How far"))
    assert "kappa 1.00 without an interval)" in people.sentences[1]
    assert not any("an interval from so few" in caution for caution in people.cautions)


def test_an_alpha_that_is_the_same_everywhere_runs_from_nowhere_to_nowhere(
    store: Store, tmp_path: Path
) -> None:
    lines = [
        f"{episode},{seat},{rater},{dimension},{score}"
        for dimension in ("goal", "knowledge", "believability")
        for episode, seat, _, *scores in GOALS
        for rater, score in zip("PQ", scores, strict=True)
        if score is not None
    ]
    file = tmp_path / "alike.csv"
    file.write_text("episode,seat,rater,dimension,score\n" + "\n".join(lines), "utf-8")
    import_ratings(file, RUN, name="alike", store=tmp_path / "store.db")
    found = agreements(store, [RUN])
    # 1 - (26 / 12) / (2 x 515 / 132), of the twelve scores in six pairs
    assert "alpha (interval) is 0.72 in each of 3 dimensions." in text(found)
    (table,) = (t for s in found.sections for t in s.tables if t.heading.startswith("Two people"))
    assert [row[:3] for row in table.rows][-2:] == [
        ("mean of all", "6", "\N{EN DASH}"),
        ("all scores", "\N{EN DASH}", "18"),
    ]


def test_a_run_that_nobody_rated_is_named(store: Store, tmp_path: Path) -> None:
    rate(store, tmp_path)
    store.create_run(
        "other",
        "sotopia",
        {},
        [row.trial for row in store.trials(RUN)],
        declared("sotopia", [row.trial for row in store.trials(RUN)]),
    )
    sections = agreements(store, [RUN, "other"]).sections
    cautions = next(s for s in sections if s.title == "How far people agree").cautions
    assert "Nobody rated an episode of other: no conclusion about it is possible." in cautions
