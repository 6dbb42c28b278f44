"""Who counted for a score, and since when."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from declared_worlds import declared
from sociolab.core import ConfigError, Episode
from sociolab.plugin import ResidentOutcome
from sociolab.store import Store
from sociolab.worlds import stss
from stss_tasks import MEDICINE, PARTY
from trace_cases import Life, at, lived, talk
from web_towns import CUT, WHOLE, first_trial, town_store


def by_who(found: tuple[ResidentOutcome, ...]) -> dict[str, ResidentOutcome]:
    return {one.who: one for one in found}


def test_a_guest_counts_from_the_minute_at_which_it_has_been_there_long_enough() -> None:
    bea = Life("bea").goes("tue 18:10", "Cafe: terrace", "join the party")
    cid = Life("cid").goes("tue 19:58", "Cafe: terrace", "join the party").does("tue 19:59", "hum")
    given = lived(Life("ada"), bea, cid, Life("dan"), Life("eve"), Life("fay"))
    found = by_who(stss.resident_outcomes(stss.score(PARTY, given), 10))
    assert (found["bea"].counts, found["bea"].since) == (True, at("tue 18:15"))
    assert (found["cid"].counts, found["cid"].since) == (False, None)
    assert found["cid"].when == ((at("tue 19:58"), at("tue 19:59")),)
    assert found["dan"].words == "was never told"
    any_moment = by_who(
        stss.resident_outcomes(stss.score(PARTY, given, stss.ScoreSettings(least=0)), 10)
    )
    assert any_moment["cid"].since == at("tue 19:58:10")


def test_a_guest_who_leaves_and_comes_back_counts_when_its_minutes_add_up() -> None:
    bea = Life("bea").goes("tue 18:10", "Cafe: terrace", "join the party").does("tue 18:13", "hum")
    bea.does("tue 18:30", "join the party")
    given = lived(Life("ada"), bea, Life("cid"), Life("dan"), Life("eve"), Life("fay"))
    assert by_who(stss.resident_outcomes(stss.score(PARTY, given), 10))["bea"].since == at(
        "tue 18:32"
    )


def test_a_helper_counts_when_the_first_of_its_errands_is_done() -> None:
    bea = Life("bea").goes("tue 10:00", "Clinic: pharmacy", "buy medicine")
    bea.goes("tue 11:00", "Cottage: room", "bring medicine")
    asked = talk("mon 09:00", "ada", "bea", "Could you buy medicine for me?", "Yes.")
    given = lived(Life("ada"), bea, Life("cid"), Life("dan"), Life("eve"), Life("fay"), asked)
    found = by_who(stss.resident_outcomes(stss.score(MEDICINE, given), 10))
    assert (found["bea"].counts, found["bea"].since) == (True, at("tue 10:05"))
    assert not found["cid"].counts


def test_those_who_count_are_those_whom_the_verdicts_name(tmp_path: Path) -> None:
    path = town_store(tmp_path)
    with Store.open(path) as store:
        found = stss.replay(store, WHOLE, first_trial(path))
    counted = [found.lived.names[one.who] for one in found.outcomes if one.counts]
    overall = next(row.verdict for row in found.verdicts if row.verdict.measure.name == "overall")
    assert getattr(overall, "reason", "") == found.why
    assert ": ".join(found.why.split(": ")[1:]) == ", ".join(counted) + "."
    assert found.score is not None
    assert getattr(overall, "value", None) == found.score.goal
    assert not found.other_rules
    for one in found.outcomes:
        inside = [start < (one.since or 0) <= end for start, end in one.when]
        assert any(inside) == one.counts


def test_days_that_are_not_over_have_no_score_and_nobody_counts(tmp_path: Path) -> None:
    path = town_store(tmp_path)
    with Store.open(path) as store:
        found = stss.replay(store, CUT, first_trial(path))
    assert found.score is None
    assert found.outcomes == ()
    assert found.why == "No score: the simulation has not come to its end."
    assert found.lived.trajectory.trace.steps == 20 * 360


def test_the_least_minutes_are_those_of_the_run_and_other_rules_are_named(tmp_path: Path) -> None:
    path = town_store(tmp_path)
    with Store.open(path) as store:
        trial = first_trial(path)
        episode = store.episode(WHOLE, trial)
        _copy(store, "longer", episode, {"world_settings": {"least": 90}})
        found = stss.replay(store, "longer", trial)
        assert found.score is not None
        assert found.score.least == 90
        assert not found.other_rules, "there are no verdicts yet"
        for row in store.verdicts.scores(WHOLE):
            store.verdicts.add("longer", row.judge, [row.verdict], trial=trial)
        assert stss.replay(store, "longer", trial).other_rules
        _copy(store, "broken", episode, {"world_settings": {"least": "many"}})
        with pytest.raises(ConfigError, match="settings of the run cannot be read"):
            stss.replay(store, "broken", trial)


def test_a_task_of_something_else_is_told_in_a_sentence(tmp_path: Path) -> None:
    path = town_store(tmp_path)
    with Store.open(path) as store:
        episode = store.episode(WHOLE, first_trial(path))
    other = replace(episode.trial, task=replace(episode.trial.task, content='{"goal": 1}'))
    with pytest.raises(ConfigError, match="does not fit this world"):
        stss.read_content(Episode(other, episode.events))


def _copy(store: Store, name: str, episode: Episode, settings: dict[str, object]) -> None:
    store.create_run(name, "stss", settings, [episode.trial], declared("stss", [episode.trial]))  # type: ignore[arg-type]
    for event in episode.events:
        store.append(name, episode.trial.id, event)
