"""Units that are worth a test alone, from inside: studies."""

from __future__ import annotations

import re
import shutil
from importlib.resources import files
from pathlib import Path

import pytest

from sociolab.core import ConfigError
from sociolab.runner import Waits
from sociolab.store import Store
from sociolab.studies import (
    StudySettings,
    create_study,
    invite,
    set_open,
)
from sociolab.studies.live_episodes import log_blocked
from sociolab.studies.play_plan import load_partner_cast
from sociolab.studies.settings import KINDS, example, plan_rows
from sociolab.studies.setup import change_texts, read_study
from study_samples import played_run, settings


def test_who_blocks_is_told_of_once(caplog: pytest.LogCaptureFixture) -> None:
    seen = Waits()
    seen.begin_step("a", -1.0)
    log_blocked("chat", seen)
    log_blocked("chat", seen)
    seen.end_step()
    log_blocked("chat", seen)
    assert [one.getMessage().startswith("study chat: a blocks") for one in caplog.records] == [True]


@pytest.fixture(scope="module")
def with_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("study") / "store.db"
    played_run(path)
    return path


def test_a_folder_of_data_is_found_wherever_the_server_starts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(str(files("sociolab.worlds.sotopia") / "data"), tmp_path / "mine")
    monkeypatch.chdir(tmp_path)
    with Store.open(tmp_path / "s.db") as store:
        create_study(store, "talks", settings(play={"limit": 1, "plays": 1, "data": "mine"}))
        read = create_study(store, "read", settings(review={"limit": 1, "data": "mine"}))
    reviewed = StudySettings.model_validate(read.settings).review
    assert reviewed is not None
    assert reviewed.data == str(tmp_path / "mine")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    with Store.open(tmp_path / "s.db") as store:
        plan_of = StudySettings.model_validate(store.studies.get("talks").settings).play
    assert plan_of is not None
    assert load_partner_cast(plan_of).kit.data.hash


def test_the_example_recruits_once_its_last_part_is_uncommented(tmp_path: Path) -> None:
    first, _, last = example("play").partition("# Conditions:")
    last = re.sub(r"(?m)^# (?=\[|\w+ = )", "", last).replace("cc=CODE", "cc=C1A2B")
    first = first.replace("Name of the researcher, name@example.org", "lab@uni.edu")
    file = tmp_path / "talks.toml"
    file.write_text(f"{first}# {last}", "utf-8")
    name, found = read_study(file)
    with Store.open(tmp_path / "store.db") as store:
        create_study(store, name, found)
    assert found.recruit is not None
    assert found.recruit.questions[0].quotas == {"every week": 2}
    assert found.conditions[0].partners == ("scripted",)


@pytest.mark.parametrize("kind", KINDS)
def test_every_example_is_a_study_once_it_has_a_contact(
    kind: str, tmp_path: Path, with_run: Path
) -> None:
    file, text = tmp_path / "study.toml", example(kind).replace("my-run", "played")
    file.write_text(text, "utf-8")
    with pytest.raises(ConfigError, match=r"name@example\.org\"; enter yours in .*study\.toml"):
        read_study(file)
    file.write_text(
        text.replace("Name of the researcher, name@example.org", "lab@uni.edu"), "utf-8"
    )
    name, found = read_study(file)
    assert name.startswith("my-")
    with Store.open(with_run) as store:
        if kind == "impressions":  # of a run of another world
            with pytest.raises(
                ConfigError, match=r"episodes of played with iep below 0\.5, found none"
            ):
                create_study(store, name, found)
        else:
            assert create_study(store, name, found).kind == kind


def test_texts_are_worded_anew_and_the_plan_stays(tmp_path: Path) -> None:
    with Store.open(tmp_path / "s.db") as store:
        old = StudySettings.model_validate(create_study(store, "s", settings()).settings)
        change_texts(store, "s", {"title": "Another", "consent": "Other words."})
        new = StudySettings.model_validate(store.studies.get("s").settings)
        assert new == old.model_copy(update={"title": "Another", "consent": "Other words."})
        with pytest.raises(ConfigError, match="title"):
            change_texts(store, "s", {"title": ""})
        with pytest.raises(ConfigError, match="found survey"):
            change_texts(store, "s", {"survey": ""})


def test_a_consent_that_somebody_gave_stays_on_record(tmp_path: Path) -> None:
    with Store.open(tmp_path / "s.db") as store:
        create_study(store, "s", settings())
        who = invite(store, "s", 1)[0]
        store.studies.set_state(store.studies.participant("s", who.participant).pk, "consented")
        with pytest.raises(ConfigError, match="1 participant agreed to the present text"):
            change_texts(store, "s", {"consent": "Something else."})
        change_texts(store, "s", {"thanks": "Thank you!"})


@pytest.mark.parametrize("contact", ["Name of the researcher, name@example.org", "a@example.com"])
def test_nobody_is_let_in_while_the_contact_is_a_placeholder(tmp_path: Path, contact: str) -> None:
    with Store.open(tmp_path / "s.db") as store:
        create_study(store, "s", settings(contact=contact))
        with pytest.raises(
            ConfigError, match=r"^contact: expected your name and an address at which"
        ):
            set_open(store, "s", is_open=True)
        assert not store.studies.get("s").open
        change_texts(store, "s", {"contact": "Ruth Klein, ruth.klein@uni.edu"})
        set_open(store, "s", is_open=True)
        assert store.studies.get("s").open


def test_what_it_takes_to_pass_is_told_only_where_there_is_a_test() -> None:
    reference = {"episode": "e", "seat": "s", "scores": {"goal": 1}}
    for references, told in (((), False), ((reference,), True)):
        values = {"title": "T", "rate": {"run": "r", "references": references}}
        titles = [title for title, _ in plan_rows(StudySettings.model_validate(values))]
        assert ("To pass" in titles) is told
