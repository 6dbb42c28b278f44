"""Damage is found, and said in a clause each; a store in order has none."""

from __future__ import annotations

from pathlib import Path

import pytest

from sociolab.core.score import Score
from sociolab.store.calls import RunReplies
from sociolab.store.store import Store

from . import samples


@pytest.fixture
def filled(store: Store) -> Store:
    store.create_run("r", "world", {}, samples.plan(2))
    store.append("r", "t1", samples.moved(0))
    store.attach("r", "t1", "trace", b"a trace " * 500)
    store.verdicts.add("r", samples.JUDGE, [Score(samples.MEASURE, "ann", 5.0)], trial="t1")
    RunReplies(store, "r").keep(
        "k", samples.call(), "openai/x", samples.prompt("Hello."), samples.reply()
    )
    return store


def test_a_store_in_order_has_no_damage(filled: Store) -> None:
    assert list(filled.damage()) == []


@pytest.mark.parametrize(
    ("statement", "told"),
    [
        ("UPDATE attachments SET data = substr(data, 1, 20)", "the episodes of the run r: "),
        ("UPDATE trials SET body = '{'", "the episodes of the run r: "),
        ("UPDATE events SET body = '[\"moved\"'", "the episodes of the run r: "),
        (
            "UPDATE calls SET prompt = CAST(replace(CAST(prompt AS TEXT), 'Ann', 'Bob') AS BLOB)",
            "the calls of the run r: StoreError: the prompt of call 1 ",
        ),
        ("UPDATE verdicts SET kind = 'scare'", "the scores of the run r: "),
    ],
)
def test_what_was_changed_is_named(filled: Store, statement: str, told: str) -> None:
    filled.write(statement)
    found = list(filled.damage())
    assert len(found) == 1
    assert found[0].startswith(told)


def test_a_page_that_was_overwritten_is_damage(path: Path) -> None:
    with Store.open(path) as store:
        store.create_run("r", "world", {"long": "x" * 50_000}, samples.plan(40))
    content = bytearray(path.read_bytes())
    content[-8192:] = b"\xff" * 8192
    path.write_bytes(content)
    with Store.open(path) as store:
        assert list(store.damage())
