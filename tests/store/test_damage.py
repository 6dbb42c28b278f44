"""Damage is named, row by row; a store in order has none, and what is not named does no harm."""

from __future__ import annotations

import random
import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest

from bundles import text_of
from sociolab.core import Score, SociolabError
from sociolab.store import RunReplies, Store, export_run, find_damage
from sociolab.store.schema import CHECKED

from . import samples


@pytest.fixture
def filled(path: Path) -> Path:
    with Store.open(path) as store:
        store.create_run("r", "world", {}, samples.plan(2))
        store.append("r", "t1", samples.moved(0))
        store.append("r", "t1", samples.moved(1))
        store.attach("r", "t1", "trace", b"a trace " * 500)
        store.verdicts.add("r", samples.JUDGE, [Score(samples.MEASURE, "ann", 5.0)], trial="t1")
        RunReplies(store, "r").keep(
            "k", samples.call(), "openai/x", samples.prompt("Hello."), samples.reply()
        )
    return path


def found_in(path: Path) -> list[str]:
    """What is damaged, or why the store cannot even be opened."""
    try:
        with Store.open(path) as store:
            return list(find_damage(store))
    except SociolabError as error:
        return [str(error)]


def test_a_store_in_order_has_no_damage(filled: Path) -> None:
    assert found_in(filled) == []


def test_every_table_but_the_search_index_has_a_checksum(filled: Path) -> None:
    connection = sqlite3.connect(filled)
    names = {name for (name,) in connection.execute(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'episode_words%'"
    )}  # fmt: skip
    assert {*CHECKED} == names
    for table, columns in CHECKED.items():
        has = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
        assert [one for one in has if one != "pk"] == columns.replace("\n", " ").replace(
            ",", " "
        ).split()
    connection.close()


@pytest.mark.parametrize(
    ("old", "new", "named"),
    [
        (b"the fence", b"the fenca", "events, row 2, 1 (run r, episode t1) was changed"),
        (b"terra", b"tessa", "runs, row 1 (run r) was changed"),
        (b"a broken player", b"a brokem player", "trials, row 1 (run r, episode t2) was changed"),
        (b"so it seems", b"so it reems", "scores, row 1, 0 (run r, episode t1) was changed"),
        (b"a reply to it", b"a reply to in", "calls, row 1 (run r, episode t1) was changed"),
        (b"m/dear", b"m/deer", "failed attempts, row 1 (run r, episode t1) was changed"),
    ],
)
def test_a_letter_that_was_changed_is_named(path: Path, old: bytes, new: bytes, named: str) -> None:
    with Store.open(path) as store:
        store.create_run("r", "terra", {}, samples.plan(2))
        store.append("r", "t1", samples.moved(0))
        store.append("r", "t1", samples.moved(1, "About the fence."))
        store.set_status("r", "t2", "failed", "plugin", "a broken player")
        said = Score(samples.MEASURE, "ann", 5.0, "so it seems")
        store.verdicts.add("r", samples.JUDGE, [said], trial="t1")
        reply = replace(samples.reply(), text="a reply to it")
        RunReplies(store, "r").keep("k", samples.call(), "m/x", samples.prompt("Hello."), reply)
        RunReplies(store, "r").keep_attempt(samples.call(), "m/dear", samples.attempt())
    assert found_in(path) == []
    content = path.read_bytes()
    assert content.count(old) == 1
    path.write_bytes(content.replace(old, new))
    assert found_in(path) == [named]


def test_what_is_written_again_is_no_damage(filled: Path) -> None:
    with Store.open(filled) as store:
        store.rename_run("r", "s")
        store.set_settings("s", {"other": 1})
        store.set_status("s", "t1", "failed", "plugin", "broken")
        store.vacuum()
        store.delete_run("s")
        assert list(find_damage(store)) == []


def test_a_page_that_was_overwritten_is_damage(path: Path) -> None:
    with Store.open(path) as store:
        store.create_run("r", "world", {"long": "x" * 50_000}, samples.plan(40))
    content = bytearray(path.read_bytes())
    content[-8192:] = b"\xff" * 8192
    path.write_bytes(content)
    assert found_in(path)


def exported(path: Path, file: Path) -> str:
    """The run as it can be read, or why it cannot."""
    try:
        with Store.open(path) as store:
            export_run(store, "r", file)
        return text_of(file)
    except SociolabError as error:
        return str(error)


def test_a_flipped_bit_is_named_or_changes_nothing(filled: Path, tmp_path: Path) -> None:
    sound = filled.read_bytes()
    before = exported(filled, tmp_path / "before.zip")
    used = [at for at, byte in enumerate(sound) if byte]
    chance, named = random.Random(5), 0
    for number in range(120):
        content = bytearray(sound)
        at = chance.choice(used)
        content[at] ^= 1 << chance.randrange(8)
        copy = tmp_path / f"{number}.db"
        copy.write_bytes(content)
        if found_in(copy):
            named += 1
        else:
            assert exported(copy, tmp_path / "after.zip") == before, f"byte {at} unnoticed"
    assert named > 60
