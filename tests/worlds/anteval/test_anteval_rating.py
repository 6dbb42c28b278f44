"""People rate sessions by what shows; their ratings stand beside IEP and G. All raters here are
simulated, and named so: their figures say nothing of people."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from statistics import correlation, fmean

import pytest

from anteval_cases import FACT_MARKS, INTENTION_MARK, PRIVATE, episode_of, says, session
from sociolab import RunConfig, run
from sociolab.analysis import agreements
from sociolab.core import Action, ConfigError, Moved, Score
from sociolab.plugin.api import RatingGuide
from sociolab.store import Store
from sociolab.studies import import_ratings
from sociolab.worlds import anteval

GUIDES = {
    "informativeness": anteval.load_information.guide,
    "expressiveness": anteval.load_intention.guide,
}


@pytest.mark.parametrize(("name", "guide"), GUIDES.items())
def test_each_world_has_a_scale_of_its_own_with_worked_points(
    name: str, guide: Callable[[], RatingGuide]
) -> None:
    (one,) = guide().guides
    assert (one.name, one.points) == (name, (1, 2, 3, 4, 5))
    assert [point for point, _ in one.examples] == [1, 3, 5]


def test_raters_see_the_table_and_nothing_private_and_do_not_rate_the_npc() -> None:
    for form, guide in (
        ("information", anteval.load_information),
        ("intention", anteval.load_intention),
    ):
        one = session(form)  # type: ignore[arg-type]
        marked = Action("speak", "Hush.", fields={"uses": "stealth"})
        episode = episode_of(
            one,
            says(0, "player-1", "Good day."),
            says(1, anteval.NPC, "Psst.", "player-2"),
            Moved(2, "player-2", (Action("act", "nods"), marked)),
        )
        shown = guide.guide().rated_scene(episode)
        assert shown.seats == ("player-1", "player-2", "player-3")
        assert [(line.name, line.text, line.spoken) for line in shown.lines] == [
            ("Mira", "Good day.", True),
            ("Ansel", "(to Tom only): Psst.", False),
            ("Tom", "[nods]: Hush.", False),
        ]
        assert "Ansel" in shown.context
        assert "seen-npc" in shown.context
        for private in (*PRIVATE, *FACT_MARKS, INTENTION_MARK, "stealth"):
            assert private not in repr(shown)


def test_an_episode_of_another_world_cannot_be_rated() -> None:
    episode = episode_of(session())
    task = episode.trial.task.__class__("t", ("a",), "c", '{"other": 1}')
    other = episode.__class__(episode.trial.__class__("x", "w", task, (), 0, 0), ())
    with pytest.raises(ConfigError, match="expected a session of AntEval"):
        anteval.load_information.guide().rated_scene(other)


def simulated(store: Path, name: str, means: str, scores: dict[tuple[str, str], float]) -> None:
    """Two simulated raters of everything: one at the score, one a point off."""
    lines = ["episode,seat,rater,dimension,score"]
    for (trial, seat), score in scores.items():
        point = round(score)
        off = point + (1 if point < 5 else -1)
        lines += [f"{trial},{seat},simulated-1,{means},{point}"]
        lines += [f"{trial},{seat},simulated-2,{means},{off}"]
    file = store.with_name(f"{name}.csv")
    file.write_text("\n".join(lines), "utf-8")
    import_ratings(file, name, name="simulated", store=store)


@pytest.fixture(scope="module")
def rated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of each world; simulated raters give informativeness as 1 + 4 x IEP, rounded, and
    expressiveness by the seat."""
    path = tmp_path_factory.mktemp("rated") / "s.db"
    for world in ("information", "intention"):
        settings = {"sessions": "12", "turns": "20", "prompts": "paper"}
        run(RunConfig(world=f"anteval-{world}", settings=settings, name=world, store=path))
    with Store.open(path, create=False) as store:
        iep = {
            (row.trial, verdict.seat): 1 + 4 * float(verdict.value)
            for row in store.verdicts.judgings("information")
            for verdict in row.verdicts
            if isinstance(verdict, Score) and verdict.measure.name == "iep"
        }
        trials = store.trials("intention")
    simulated(path, "information", "informativeness", iep)  # type: ignore[arg-type]
    seats = {
        (row.trial.id, member.seat): float(1 + place + number % 2)
        for number, row in enumerate(trials)
        for place, member in enumerate(row.trial.cast[:3])
    }
    simulated(path, "intention", "expressiveness", seats)
    return path


def test_ratings_of_informativeness_stand_beside_iep(rated: Path) -> None:
    with Store.open(rated, create=False) as store:
        found = agreements(store, ["information"])
        wanted = [
            (1 + 4 * float(v.value), float(v.value))
            for row in store.verdicts.judgings("information")
            for v in row.verdicts
            if isinstance(v, Score) and v.measure.name == "iep"
        ]
    (one,) = found.validities
    # Of two raters at s and one point off, the mean is s + .5, or 4.5 where s is 5.
    means = [min(round(point) + 0.5, 4.5) for point, _ in wanted]
    assert (one.dimension, one.metric, one.judge) == ("informativeness", "iep", "record")
    assert one.pearson.n == 36
    assert one.pearson.value == pytest.approx(correlation(means, [iep for _, iep in wanted]))
    assert one.pearson.low is not None
    text = repr(found.sections)
    assert "informativeness and information exchange precision" in text
    assert "simulated-1" in text
    assert "informativeness" in {row["metric"] for row in found.rows()}


def test_a_metric_of_whole_sessions_stands_beside_the_mean_of_their_players(rated: Path) -> None:
    with Store.open(rated, create=False) as store:
        found = agreements(store, ["intention"])
    (one,) = found.validities
    assert (one.dimension, one.metric, one.pearson.n) == ("expressiveness", "f_o", 12)
    # Scripted players use every skill they mean to: F_o is 1 throughout, so there is no r.
    assert one.pearson.value is None


def test_a_judge_that_gave_only_the_metric_can_be_named(rated: Path) -> None:
    with Store.open(rated, create=False) as store:
        assert len(agreements(store, ["information"], ["record"]).validities) == 1
        with pytest.raises(ConfigError, match=r'no judge "nobody" scored .*; choose one of record'):
            agreements(store, ["information"], ["nobody"])


def test_the_mean_of_the_raters_is_that_of_the_runs_report(rated: Path) -> None:
    from sociolab import result_of

    with Store.open(rated, create=False) as store:
        entries = result_of(store, "intention").scores
    (entry,) = [e for e in entries if e.measure == "expressiveness" and not e.by]
    # Seats get 1, 2, 3 or 2, 3, 4, and half a point more from the second rater.
    assert entry.value == pytest.approx(fmean([2.5, 3.5]))
    assert entry.judge == "simulated"
