"""A line that is wrong is told in words for somebody who wrote it by hand."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from sociolab.core.errors import ConfigError
from sociolab.worlds.sotopia.dataset import read_lines
from sociolab.worlds.sotopia.scenarios import Record, Scenario
from sotopia_cases import casting, character

ADA = character(0).model_dump_json()
MARKET = casting().scenario.model_dump_json()


def problem(path: Path, content: str | bytes, kind: type[Record]) -> str:
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    with pytest.raises(ConfigError) as refused:
        read_lines(path, kind)
    return str(refused.value).removeprefix(f"{path}, ")


def of_person(tmp_path: Path, content: str | bytes) -> str:
    return problem(tmp_path / "characters.jsonl", content, type(character(0)))


def with_facts(facts: str) -> str:
    return MARKET.replace('"facts":null', f'"facts":{facts}', 1)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("- id: ada", "line 1: expected a JSON object (invalid number at column 2), found - id"),
        ("{\n", "line 1: expected a JSON object (EOF while parsing an object at column 1)"),
        (f"[{ADA}]", 'line 1: expected a JSON object, found [{"id"'),
        (f"{ADA}\n\n{{]", "line 3: expected a JSON object"),
    ],
)
def test_what_is_no_json_object_is_told_with_the_rule(
    tmp_path: Path, content: str, told: str
) -> None:
    said = of_person(tmp_path, content)
    assert said.startswith(told)
    assert said.endswith("; each line is one record, {...}")


@pytest.mark.parametrize("encoding", ["latin-1", "utf-16"])
def test_another_encoding_is_told_with_the_line(tmp_path: Path, encoding: str) -> None:
    content = f"{ADA}\n{ADA.replace('Mia', 'Mía')}\n".encode(encoding)
    said = of_person(tmp_path, content)
    assert re.match(r"line [12]: expected UTF-8, found the byte 0x\w\w; save the file", said)


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ('"age":31,', "", "line 1: age is missing"),
        ('"age"', '"ages"', 'line 1: "ages" is no field; is "age" meant?'),
        ('"seat0"', '"se at"', 'line 1: id: expected letters (a to z), digits, ".", "_" and "-"'),
        ("31", '"old"', "line 1: age: input should be a valid integer"),
    ],
)
def test_a_wrong_field_is_told_without_regular_expressions(
    tmp_path: Path, old: str, new: str, told: str
) -> None:
    assert of_person(tmp_path, ADA.replace(old, new, 1)).startswith(told)


def test_a_field_of_an_inner_record_is_suggested_too(tmp_path: Path) -> None:
    line = MARKET.replace('"text"', '"txt"', 1)
    said = problem(tmp_path / "scenarios.jsonl", line, Scenario)
    assert said == 'line 1: "goals.0.txt" is no field; is "text" meant?'


@pytest.mark.parametrize(
    ("facts", "told"),
    [
        ('{"item":"a lamp"}', "goals.0.facts: 'kind' is missing, which says what facts these are"),
        ('{"kind":"time"}', "goals.0.facts: expected 'kind' to be one of 'price', 'division', "),
    ],
)
def test_facts_of_no_kind_are_told_which_kinds_there_are(
    tmp_path: Path, facts: str, told: str
) -> None:
    assert told in problem(tmp_path / "scenarios.jsonl", with_facts(facts), Scenario)


def test_a_file_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"cannot be read \(No such file"):
        read_lines(tmp_path / "nowhere.jsonl", Scenario)
