"""Recognise a file that an import cannot read, and say what helps.

The formats stand in foreign_formats.toml, special ones before general ones: the first that fits
is taken.
"""

from __future__ import annotations

import json
import re
import tomllib
import zipfile
import zlib
from collections.abc import Collection
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from sociolab.core.errors import ConfigError
from sociolab.core.unpacking import open_unpacked

_HEAD = 16 * 1024 * 1024
"""Bytes of a file that are looked at: the first record of a JSON file has to end in them."""
_ZIP = b"PK\x03\x04"
_TEXT = 20_000
"""Characters that a pattern is looked for in."""


class ForeignFormat(BaseModel):
    """A format, and how it is recognised: any of the ways that are given.

    `id` is what code calls it by, of those whose tables are read. `read_by` are formats of
    `sociolab import` that read it, so that their own error stands. `advice` ends the sentence;
    {path} in it is the file's. `starts` are first bytes (after `offset`), `folder` names in a
    folder, `members` of a zip archive (patterns), `keys` lists of keys that the first JSON record
    has together ("a.b": b in a, or in the first item of a), `columns` lists of columns of a table,
    `pattern` a regular expression found in a text that is no JSON.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    advice: str
    id: str = ""
    read_by: tuple[str, ...] = ()
    starts: tuple[str, ...] = ()
    offset: int = 0
    folder: tuple[str, ...] = ()
    members: tuple[str, ...] = ()
    keys: tuple[tuple[str, ...], ...] = ()
    columns: tuple[tuple[str, ...], ...] = ()
    pattern: str = ""


def explain_refusal(path: Path, format: str, problem: str, page: str) -> str:
    """Why a file could not be imported in a format, in one sentence: what it looks like and what
    to do; else the problem that was met and, where the file is of no known format, the `page` that
    says what is read ("": there is none)."""
    facts = _read_facts(path)
    match = next((each for each in _formats() if _fits(each, path, facts)), None)
    if match and format not in match.read_by:
        return f"{path} looks like {match.name}: {match.advice.replace('{path}', str(path))}"
    if match or not page or str(path) not in problem or not path.exists():
        return problem
    return f"{problem}; {page} says what {format} reads"


def recognize_table(columns: Collection[str]) -> ForeignFormat | None:
    """The format whose columns or JSON keys a table has."""
    names = frozenset(columns)
    fits = (each for each in _formats() if any(map(names.issuperset, each.columns + each.keys)))
    return next(fits, None)


@cache
def _formats() -> tuple[ForeignFormat, ...]:
    text = files("sociolab.core").joinpath("foreign_formats.toml").read_text("utf-8")
    return tuple(map(ForeignFormat.model_validate, tomllib.loads(text)["formats"]))


@dataclass(frozen=True, slots=True)
class _FileFacts:
    """What formats are recognised by: the beginning of a file, and what it holds."""

    head: bytes = b""
    text: str = ""
    record: object = None
    columns: frozenset[str] = frozenset()
    members: tuple[str, ...] = ()


def _read_facts(path: Path) -> _FileFacts:
    try:
        if zipfile.is_zipfile(path):
            with zipfile.ZipFile(path) as archive:
                return _FileFacts(head=_ZIP, members=tuple(archive.namelist()))
        with open_unpacked(path, _HEAD) as file:
            head = file.read(_HEAD)
        if head.startswith(_ZIP):
            return _FileFacts()  # damaged: nobody could unpack it
    except (OSError, EOFError, zlib.error, zipfile.BadZipFile, ConfigError):
        return _FileFacts()
    utf16 = head.startswith((b"\xff\xfe", b"\xfe\xff"))
    text = head.decode("utf-16" if utf16 else "utf-8-sig", "ignore")
    try:  # the first record of JSON, JSON lines or an array
        record = json.JSONDecoder().raw_decode(text.lstrip("[ \r\n\t"))[0]
    except (ValueError, RecursionError):
        record = None
    if isinstance(record, dict):
        return _FileFacts(head, record=record)
    header = text[:_TEXT].lstrip("\r\n").partition("\n")[0]
    columns = frozenset(cell.strip('" \r') for cell in re.split(r"[,;\t]", header))
    return _FileFacts(head, text[:_TEXT], columns=columns)


def _fits(format: ForeignFormat, path: Path, facts: _FileFacts) -> bool:
    start = facts.head[format.offset :]
    return (
        any(start.startswith(mark.encode("latin-1")) for mark in format.starts)
        or any(any(path.glob(name)) for name in format.folder if path.is_dir())
        or any(re.fullmatch(name, member) for name in format.members for member in facts.members)
        or any(all(_has(facts.record, key.split(".")) for key in keys) for keys in format.keys)
        or any(facts.columns.issuperset(columns) for columns in format.columns)
        or bool(format.pattern and re.search(format.pattern, facts.text, re.MULTILINE))
    )


def _has(value: object, keys: list[str]) -> bool:
    """Whether a JSON value has a nested key; of a list, its first item counts."""
    if isinstance(value, list) and value:
        value = value[0]
    if not keys:
        return True
    return isinstance(value, dict) and keys[0] in value and _has(value[keys[0]], keys[1:])
