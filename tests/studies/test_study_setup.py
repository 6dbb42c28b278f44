"""A study is kept only if all of its plan can be; and what may be changed in it later."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from sociolab.core import ConfigError
from sociolab.store import Store
from sociolab.studies import (
    StudySettings,
    completion_code,
    create_study,
    hash_secret,
    invite,
    parse_settings,
    reissue,
)
from study_samples import played_run, settings


@pytest.fixture(scope="module")
def with_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("study") / "store.db"
    played_run(path)
    return path


def test_what_people_will_play_is_laid_out_at_once(tmp_path: Path) -> None:
    with Store.open(tmp_path / "s.db") as store:
        row = create_study(store, "talks", settings(play={"limit": 2, "plays": 2}))
        assert (row.kind, row.run, row.open) == ("play", "talks", False)
        trials = [each.trial for each in store.trials("talks")]
    assert len(trials) == 2 * 2 * 2  # tasks, plays, seats
    assert all({m.agent for m in trial.cast} == {"human", "scripted"} for trial in trials)


@pytest.mark.parametrize(
    ("plan", "problem"),
    [
        ({"play": {"world": "stss"}}, 'people cannot take a seat in "stss"'),
        ({"play": {"world": "chess"}}, 'there is no world "chess"'),
        ({"play": {"tasks": "no-such-tag"}}, "matches no task"),
        ({"play": {"partners": ["nobody"]}}, 'there is no agent called "nobody"'),
        ({"play": {"partners": ["here/model"]}}, 'no endpoint called "here"'),
        ({"play": {"judges": ["nobody"]}}, 'there is no judge called "nobody"'),
        ({"play": {"people": 3}}, "3 people cannot sit in"),
        ({"play": {"data": "nowhere"}}, "an imported data set"),
        ({"rate": {"run": "nothing"}}, 'there is no run "nothing"'),
        ({"rate": {"run": "played", "episodes": ["e"]}}, 'that was played, found "e"'),
        ({"rate": {"run": "played", "dimensions": ["wit"]}}, 'found "wit"'),
        ({"impressions": {"run": "nothing"}}, 'there is no run "nothing"'),
        ({"review": {"world": "stss"}}, 'scenarios of sotopia; found the world "stss"'),
        ({"review": {"tasks": "no-such-tag"}}, "matches no task"),
    ],
)
def test_a_plan_that_cannot_be_is_refused_and_leaves_nothing(
    with_run: Path, plan: dict[str, Any], problem: str
) -> None:
    with Store.open(with_run) as store:
        before = (store.studies.all(), store.runs())
        with pytest.raises(ConfigError, match=problem):
            create_study(store, "wrong", settings(**plan))
        assert (store.studies.all(), store.runs()) == before


@pytest.mark.parametrize(
    ("seat", "scores", "problem"),
    [
        ("nobody", {"goal": 5}, 'found "nobody"'),
        ("", {}, "expected scores"),
        ("", {"wit": 5}, 'found "wit"'),
        ("", {"goal": 11}, "expected goal from 0 to 10, found 11"),
    ],
)
def test_references_of_a_test_are_checked(
    with_run: Path, seat: str, scores: dict[str, float], problem: str
) -> None:
    with Store.open(with_run) as store:
        trial = store.trials("played")[0].trial
        reference = {
            "episode": trial.id,
            "seat": seat or trial.task.seats[0],
            "scores": scores,
        }
        wanted = settings(rate={"run": "played", "references": [reference]})
        with pytest.raises(ConfigError, match=problem):
            create_study(store, "wrong", wanted)


@pytest.mark.parametrize("name", ["new", "import", "", "a b", "../up"])
def test_names_that_addresses_cannot_have_are_refused(tmp_path: Path, name: str) -> None:
    with Store.open(tmp_path / "s.db") as store, pytest.raises(ConfigError):
        create_study(store, name, settings())


def test_a_play_study_needs_the_name_of_its_run(with_run: Path) -> None:
    with Store.open(with_run) as store, pytest.raises(ConfigError, match='there is a run "played"'):
        create_study(store, "played", settings(play={}))


@pytest.mark.parametrize(
    ("values", "problem"),
    [
        ({}, "title: this is needed"),
        ({"title": "T"}, "a study does one of play, rate, impressions, review; found none"),
        ({"title": "T", "play": {}, "review": {}}, "found play and review"),
        ({"title": "T", "play": {"seets": 2}}, "play.seets: there is no such field"),
        ({"title": "T", "play": {"each": 0}}, 'play.each: expected 1 or more, found "0"'),
        (
            {"title": "T", "play": {}, "survey": [{"name": "a", "text": "?", "kind": "choice"}]},
            'survey "a": a choice needs two choices or more',
        ),
        (
            {"title": "T", "play": {}, "survey": [{"name": "a", "text": "?"}] * 2},
            'a name of its own for each question, found "a" twice',
        ),
    ],
)
def test_settings_that_are_wrong_are_told_in_a_sentence(
    values: dict[str, Any], problem: str
) -> None:
    with pytest.raises(ConfigError, match=problem) as raised:
        parse_settings(values, "study.toml")
    assert str(raised.value).startswith("study.toml: ")
    assert "\n" not in str(raised.value)


def test_links_are_known_by_their_hash_only(tmp_path: Path) -> None:
    with Store.open(tmp_path / "s.db") as store:
        create_study(store, "s", settings())
        made = invite(store, "s", 50)
        assert len({link.secret for link in made}) == len({link.participant for link in made}) == 50
        row = store.studies.participant_of_link(hash_secret(made[7].secret))
        assert row is not None
        assert row.id == made[7].participant
        again = reissue(store, "s", row.id)
        assert store.studies.participant_of_link(hash_secret(made[7].secret)) is None
        store.scrub()
    data = (tmp_path / "s.db").read_bytes()
    assert not any(link.secret.encode() in data for link in (*made, again))


@pytest.mark.parametrize("count", [0, 1001])
def test_a_number_of_links_that_cannot_be_is_refused(tmp_path: Path, count: int) -> None:
    with Store.open(tmp_path / "s.db") as store:
        create_study(store, "s", settings())
        with pytest.raises(ConfigError, match="1 to 1000 links"):
            invite(store, "s", count)


def test_each_participant_has_a_code_that_another_study_does_not_give(tmp_path: Path) -> None:
    with Store.open(tmp_path / "s.db") as store:
        one, other = (
            StudySettings.model_validate(create_study(store, name, settings()).settings)
            for name in ("one", "other")
        )
    codes = {completion_code(study, who) for study in (one, other) for who in ("p-a", "p-b")}
    assert len(codes) == 4
    assert completion_code(one, "p-a") == completion_code(one, "p-a")
    assert all(len(code) == 10 and code.isalnum() for code in codes)
    assert completion_code(settings(completion_code="DONE"), "p-a") == "DONE"
