"""The catalogue of sentences: each is used, with the values that stand in it, and in one place."""

from __future__ import annotations

import ast
import re
import string
import tomllib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

import sociolab
from sociolab import Catalogue, Count, Finding
from sociolab.core import Measure
from sociolab.report import Sentence
from sociolab.report.catalogue import write
from sociolab.report.finding import as_data
from sociolab.stats import Estimate, mean, pearson

ROOT = Path(sociolab.__file__).parent


def catalogue_files() -> Iterator[Path]:
    yield from (path for path in ROOT.glob("report/notes/*.toml") if path.stem != "shared")
    yield from ROOT.glob("worlds/*/notes/*.toml")


def opened(path: Path) -> str:
    """How a module opens the catalogue of this file."""
    package = ".".join(("sociolab", *path.parent.relative_to(ROOT).parts))
    source = "" if package == "sociolab.report.notes" else f', "{package}"'
    return f'Catalogue("{path.stem}"{source})'


def modules(path: Path) -> Iterator[str]:
    """The source of what speaks by the catalogue of this file."""
    for module in ROOT.rglob("*.py"):
        source = module.read_text("utf-8")
        if re.search(rf"^\w+ = {re.escape(opened(path))}$", source, re.MULTILINE):
            yield source


def said(path: Path) -> Iterator[tuple[str, set[str]]]:
    """The ids of a catalogue that are called by name, each with the values that it is given."""
    for source in modules(path):
        tree = ast.parse(source)
        speaker = next(
            target.id
            for node in tree.body
            if isinstance(node, ast.Assign)
            and ast.unparse(node.value) == opened(path).replace('"', "'")
            for target in node.targets
            if isinstance(target, ast.Name)
        )
        for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
            if ast.unparse(call.func) != speaker or any(one.arg is None for one in call.keywords):
                continue
            for part in ast.walk(call.args[0]):
                if isinstance(part, ast.Constant) and isinstance(part.value, str):
                    yield part.value, {str(one.arg) for one in call.keywords}


def fields(template: str) -> set[str]:
    """What stands in a sentence, and the metric of whose scale its numbers are."""
    parsed = [*string.Formatter().parse(template)]
    scaled = any("scaled" in (form or "") for _, _, form, _ in parsed)
    return {name for _, name, _, _ in parsed if name} | ({"metric"} if scaled else set())


@pytest.mark.parametrize("path", [*catalogue_files()], ids=opened)
def test_every_sentence_is_said_with_just_its_values(path: Path) -> None:
    written = tomllib.loads(path.read_text("utf-8"))
    for note, values in said(path):
        if note in written["notes"]:
            assert values == fields(written["notes"][note]), f"{path.name}: {note}"
    source = "".join(modules(path))
    for entry in (*written.get("notes", ()), *written.get("tables", ())):
        assert f'"{entry}"' in source, f"{path.name}: nobody says {entry}"


@pytest.mark.parametrize("path", [*catalogue_files()], ids=opened)
def test_every_sentence_that_is_said_is_there(path: Path) -> None:
    notes = tomllib.loads(path.read_text("utf-8")).get("notes", {})
    assert {note for note, _ in said(path)} <= {*notes}


@pytest.mark.parametrize("path", [*catalogue_files()], ids=opened)
def test_columns_that_are_named_are_described(path: Path) -> None:
    written = tomllib.loads(path.read_text("utf-8"))
    shared = tomllib.loads((ROOT / "report/notes/shared.toml").read_text("utf-8"))["columns"]
    for table in written.get("tables", {}).values():
        if isinstance(table.get("columns"), list):
            assert {*table["columns"]} <= {"counts", *written.get("columns", ()), *shared}


def test_a_sentence_stands_once() -> None:
    seen: dict[str, str] = {}
    for path in catalogue_files():
        for note, template in tomllib.loads(path.read_text("utf-8")).get("notes", {}).items():
            assert template not in seen, f"{path.stem}.{note} and {seen[template]} are one sentence"
            seen[template] = f"{path.stem}.{note}"


def test_values_are_written_by_their_type() -> None:
    estimate = mean([1.0, 2.0, 3.0, 4.0], ["a", "b", "c", "d"])
    assert write(estimate, part="value") == "2.50"
    assert write(estimate).startswith("2.50 [")
    line = pearson([1, 2, 3, 5], [1, 2, 4, 4], ["a", "b", "c", "d"])
    assert write(line, "stars", "value") == "0.88"
    assert write(replace(line, p=0.01), "stars", "value") == "0.88**"
    assert write(Estimate(2.0, 9, 3, 1.5, 2.5, "t"), part="margin") == "2.00 ±0.50"
    assert write(Estimate(2.0, 9, 3, 1.0, 2.5, "t"), part="margin") == "2.00 [1.00, 2.50]"
    assert write(None) == "\N{EN DASH}"
    assert write(Count("rater", 1)) == "1 rater"
    assert write(1234) == "1,234"
    assert write(-0.5, "signed") == "\N{MINUS SIGN}0.50"
    assert write(0.123, "percent") == "12 %"
    assert write((0.1, 0.2), "scaled", metric=Measure("m", 0, 1)) == "[0.100, 0.200]"
    assert write(0.004, "money") == "$0.00400"
    assert write(12.0, "~money") == "~$12.00"
    assert write(0.0312, "equals") == "= 0.031"
    assert write(0.0001, "equals") == "< 0.001"
    assert write((-10, 10)) == "[\N{MINUS SIGN}10.00, 10.00]"
    assert write((7, 8), "comma") == "7, 8"
    assert write((1200, 1680), part="range") == "1,200\N{EN DASH}1,680"
    assert write((0, 0), "money", "range") == "$0.00"
    assert write((None, None), "money", "range") == write(None)
    assert write(["a", "b", "c"], "or") == "a, b or c"
    assert write(["a", "b", "c"], "semicolon") == "a; b; c"
    assert write(["a", "b", "c"]) == "a, b and c"


def test_all_that_rows_count_has_columns() -> None:
    file = {"tables": {"t": {"heading": "", "columns": ["metric", "counts"]}}}
    rows = [Finding(counts=(Count("seat", 4),)), Finding(counts=(Count("person", 1200),))]
    table = Catalogue("t", file).table("t", rows)
    assert table.columns == ("metric", "seats", "people")
    assert [row[1:] for row in table.rows] == [("4", write(None)), (write(None), "1,200")]


def test_numbers_of_a_sentence_are_on_the_scale_of_its_metric() -> None:
    formats = {"notes": {"least": "{metric}: {least:scaled}"}}
    say = Catalogue("scales", formats)
    assert say("least", metric=Measure("share", 0, 1), least=0.25) == "share: 0.250"
    assert say("least", metric=Measure("goal", 0, 10), least=0.25) == "goal: 0.25"


def test_a_note_is_its_sentence_and_keeps_what_stands_in_it() -> None:
    note = Catalogue("panel")("left_out", metrics=["a", "b"])
    assert note == "Not given by all of these judges, and left out: a, b"
    assert isinstance(note, Sentence)
    assert as_data(note) == {
        "id": "panel.left_out",
        "values": {"metrics": ["a", "b"]},
        "text": str(note),
    }
