"""A study is kept only if all of its plan can be; and what may be changed in it later."""

from __future__ import annotations

import shutil
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from sociolab.core import ConfigError
from sociolab.store import Store
from sociolab.studies import (
    StudySettings,
    completion_code,
    create,
    digest,
    invite,
    reissue,
    set_open,
    settings_of,
)
from sociolab.studies.play_plan import partner_cast_of
from sociolab.studies.settings import KINDS, example, plan_words
from sociolab.studies.setup import change_texts, read_study
from study_samples import played_run, settings


@pytest.fixture(scope="module")
def with_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("study") / "store.db"
    played_run(path)
    return path


def test_what_people_will_play_is_laid_out_at_once(tmp_path: Path) -> None:
    with Store.open(tmp_path / "s.db") as store:
        row = create(store, "talks", settings(play={"limit": 2, "plays": 2}))
        assert (row.kind, row.run, row.open) == ("play", "talks", False)
        trials = [each.trial for each in store.trials("talks")]
    assert len(trials) == 2 * 2 * 2  # tasks, plays, seats
    assert all({m.agent for m in trial.cast} == {"human", "scripted"} for trial in trials)


def test_a_folder_of_data_is_found_wherever_the_server_starts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(str(files("sociolab.worlds.sotopia") / "data"), tmp_path / "mine")
    monkeypatch.chdir(tmp_path)
    with Store.open(tmp_path / "s.db") as store:
        create(store, "talks", settings(play={"limit": 1, "plays": 1, "data": "mine"}))
        read = create(store, "read", settings(review={"limit": 1, "data": "mine"}))
    reviewed = StudySettings.model_validate(read.settings).review
    assert reviewed is not None
    assert reviewed.data == str(tmp_path / "mine")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    with Store.open(tmp_path / "s.db") as store:
        plan_of = StudySettings.model_validate(store.studies.get("talks").settings).play
    assert plan_of is not None
    assert partner_cast_of(plan_of).kit.data.hash


@pytest.mark.parametrize("kind", KINDS)
def test_every_example_is_a_study_once_it_has_a_contact(
    kind: str, tmp_path: Path, with_run: Path
) -> None:
    file, text = tmp_path / "study.toml", example(kind).replace("my-run", "played")
    file.write_text(text, "utf-8")
    with pytest.raises(ConfigError, match=r"name@example\.org\"; enter yours in .*study\.toml"):
        read_study(file)
    file.write_text(text.replace("name@example.org", "lab@uni.example"), "utf-8")
    name, found = read_study(file)
    assert name.startswith("my-")
    with Store.open(with_run) as store:
        if kind == "impressions":  # of a run of another world
            with pytest.raises(
                ConfigError, match=r"episodes of played with iep below 0\.5, found none"
            ):
                create(store, name, found)
        else:
            assert create(store, name, found).kind == kind


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
            create(store, "wrong", settings(**plan))
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
            create(store, "wrong", wanted)


@pytest.mark.parametrize("name", ["new", "import", "", "a b", "../up"])
def test_names_that_addresses_cannot_have_are_refused(tmp_path: Path, name: str) -> None:
    with Store.open(tmp_path / "s.db") as store, pytest.raises(ConfigError):
        create(store, name, settings())


def test_a_play_study_needs_the_name_of_its_run(with_run: Path) -> None:
    with Store.open(with_run) as store, pytest.raises(ConfigError, match='there is a run "played"'):
        create(store, "played", settings(play={}))


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
            "survey.0: a choice needs two choices or more",
        ),
        (
            {"title": "T", "play": {}, "survey": [{"name": "a", "text": "?"}] * 2},
            "two questions of the survey have the same name",
        ),
    ],
)
def test_settings_that_are_wrong_are_told_in_a_sentence(
    values: dict[str, Any], problem: str
) -> None:
    with pytest.raises(ConfigError, match=problem) as raised:
        settings_of(values, "study.toml")
    assert str(raised.value).startswith("study.toml: ")
    assert "\n" not in str(raised.value)


def test_links_are_known_by_their_hash_only(tmp_path: Path) -> None:
    with Store.open(tmp_path / "s.db") as store:
        create(store, "s", settings())
        made = invite(store, "s", 50)
        assert len({link.secret for link in made}) == len({link.participant for link in made}) == 50
        row = store.studies.participant_of_link(digest(made[7].secret))
        assert row is not None
        assert row.id == made[7].participant
        again = reissue(store, "s", row.id)
        assert store.studies.participant_of_link(digest(made[7].secret)) is None
        store.scrub()
    data = (tmp_path / "s.db").read_bytes()
    assert not any(link.secret.encode() in data for link in (*made, again))


@pytest.mark.parametrize("count", [0, 1001])
def test_a_number_of_links_that_cannot_be_is_refused(tmp_path: Path, count: int) -> None:
    with Store.open(tmp_path / "s.db") as store:
        create(store, "s", settings())
        with pytest.raises(ConfigError, match="1 to 1000 links"):
            invite(store, "s", count)


def test_each_participant_has_a_code_that_another_study_does_not_give(tmp_path: Path) -> None:
    with Store.open(tmp_path / "s.db") as store:
        one, other = (
            StudySettings.model_validate(create(store, name, settings()).settings)
            for name in ("one", "other")
        )
    codes = {completion_code(study, who) for study in (one, other) for who in ("p-a", "p-b")}
    assert len(codes) == 4
    assert completion_code(one, "p-a") == completion_code(one, "p-a")
    assert all(len(code) == 10 and code.isalnum() for code in codes)
    assert completion_code(settings(completion_code="DONE"), "p-a") == "DONE"


def test_texts_are_worded_anew_and_the_plan_stays(tmp_path: Path) -> None:
    with Store.open(tmp_path / "s.db") as store:
        old = StudySettings.model_validate(create(store, "s", settings()).settings)
        change_texts(store, "s", {"title": "Another", "consent": "Other words."})
        new = StudySettings.model_validate(store.studies.get("s").settings)
        assert new == old.model_copy(update={"title": "Another", "consent": "Other words."})
        with pytest.raises(ConfigError, match="title"):
            change_texts(store, "s", {"title": ""})
        with pytest.raises(ConfigError, match="found survey"):
            change_texts(store, "s", {"survey": ""})


def test_a_consent_that_somebody_gave_stays_on_record(tmp_path: Path) -> None:
    with Store.open(tmp_path / "s.db") as store:
        create(store, "s", settings())
        who = invite(store, "s", 1)[0]
        store.studies.set_state(store.studies.participant("s", who.participant).pk, "consented")
        with pytest.raises(ConfigError, match="1 participant agreed to the present text"):
            change_texts(store, "s", {"consent": "Something else."})
        change_texts(store, "s", {"thanks": "Thank you!"})


@pytest.mark.parametrize("contact", ["Name of the researcher, name@example.org", "a@example.com"])
def test_nobody_is_let_in_while_the_contact_is_a_placeholder(tmp_path: Path, contact: str) -> None:
    with Store.open(tmp_path / "s.db") as store:
        create(store, "s", settings(contact=contact))
        with pytest.raises(ConfigError, match=r"^contact: expected an address at which"):
            set_open(store, "s", is_open=True)
        assert not store.studies.get("s").open
        change_texts(store, "s", {"contact": "Ruth Klein, ruth.klein@uni.example"})
        set_open(store, "s", is_open=True)
        assert store.studies.get("s").open


def test_what_it_takes_to_pass_is_told_only_where_there_is_a_test() -> None:
    reference = {"episode": "e", "seat": "s", "scores": {"goal": 1}}
    for references, told in (((), False), ((reference,), True)):
        values = {"title": "T", "rate": {"run": "r", "references": references}}
        titles = [title for title, _ in plan_words(StudySettings.model_validate(values))]
        assert ("To pass" in titles) is told
