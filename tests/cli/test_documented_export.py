"""The commands, parts, lines and columns of docs/export.md are those of the files."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from pyarrow import parquet

from bundles import MANIFEST, lines_of, parts_of
from cli.conftest import Sociolab
from sociolab.endpoint import EndpointSettings, start_in_process
from sociolab.store import CALLS, LEDGER, SCORES, TURNS
from sociolab.store.parquet import TableColumn

PAGE = (Path(__file__).parents[2] / "docs" / "export.md").read_text("utf-8")


@pytest.fixture(scope="module")
def exported(
    sociolab_in: Callable[[Path], Sociolab], tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """The folder in which every command of the page was given, on a run of models."""
    folder = tmp_path_factory.mktemp("exported")
    sociolab = sociolab_in(folder)
    with start_in_process(EndpointSettings(latency_ms=1, characters=60)) as endpoint:
        assert sociolab(
            "run", "sotopia", "--agent", "openai/x", "--judge", "openai/j", "--limit", 2,
            "--base-url", endpoint.url, "--name", "small",
        ).code == 0  # fmt: skip
    commands = "".join(re.findall(r"```sh\n(.*?)```", PAGE, re.DOTALL)).splitlines()
    assert len(commands) == 3
    for line in commands:
        done = sociolab(*line.split()[1:])
        assert done.code == 0, (line, done.err)
    return folder


def documented(heading: str) -> dict[str, str]:
    """The rows of a table with this heading: the first cell, and the rest."""
    table = PAGE[PAGE.index(f"| {heading} |") :].split("\n\n")[0]
    rows = [row.strip("| ").split(" | ", 1) for row in table.splitlines()[2:]]
    return {first.strip("`"): rest for first, rest in rows}


def test_every_part_and_field_of_a_bundle_is_documented(exported: Path) -> None:
    bundle = exported / "small.zip"
    parts = [part for part in parts_of(bundle) if part != MANIFEST]
    documented_parts = documented("part")
    assert [*documented_parts][: len(PARTS)] == [part for part in parts if "/" not in part]
    for part in PARTS:
        fields = {name for line in lines_of(bundle, part) for name in line} - {"line"}
        missing = {name for name in fields if f"`{name}`" not in documented_parts[part]}
        assert not missing, part
    kinds = {line["event"][0] for line in lines_of(bundle, "events.jsonl")}
    assert kinds <= {*documented("kind")}
    manifest = json.loads(parts_of(bundle)[MANIFEST])
    assert [*manifest] == [*documented("key")]
    assert all(f"`{name}`" in documented("key")["about"] for name in manifest["about"])


PARTS = (
    "run.jsonl", "tasks.jsonl", "trials.jsonl", "events.jsonl", "calls.jsonl",
    "call_failures.jsonl", "attempts.jsonl", "judgings.jsonl", "attachments.jsonl", "notes.jsonl",
)  # fmt: skip


@pytest.mark.parametrize(
    ("name", "columns"),
    [("scores", SCORES), ("turns", TURNS), ("calls", CALLS), ("ledger", LEDGER)],
)
def test_every_column_of_a_table_is_documented_as_it_is(
    exported: Path, name: str, columns: dict[str, TableColumn]
) -> None:
    section = PAGE[PAGE.index(f"### {name}.parquet") :].split("\n### ")[0]
    rows = re.findall(r"(?m)^\| `(\w+)` \| (\w+) \| (.*) \|$", section)
    assert rows == [(each, column.type, column.meaning) for each, column in columns.items()]
    table = parquet.read_table(exported / "tables" / f"{name}.parquet")
    assert table.num_rows
    assert table.schema.names == [*columns]
    for field in table.schema:
        column = columns[field.name]
        assert field.metadata == {b"meaning": column.meaning.encode()}
        if "null" not in column.meaning:
            assert table[field.name].null_count == 0, field.name


@pytest.mark.parametrize("reader", ["pandas", "polars", "duckdb"])
def test_the_tables_are_read_by_what_people_use(exported: Path, reader: str) -> None:
    module = pytest.importorskip(reader)
    for name in ("scores", "turns", "calls", "ledger"):
        file = exported / "tables" / f"{name}.parquet"
        rows = len(module.read_parquet(str(file)))
        assert rows == parquet.read_metadata(file).num_rows
