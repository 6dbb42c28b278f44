"""Ratings in .xlsx files, written by openpyxl."""

from __future__ import annotations

import sys
import zipfile
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

import pytest

from report.small_run import RUN, build
from sociolab.core import ConfigError
from sociolab.store import Store
from sociolab.studies import import_ratings, ratings_in

HEAD = ("episode", "seat", "rater", "dimension", "score", "reason", None, " ")


@pytest.fixture
def lab(tmp_path: Path) -> Path:
    build(tmp_path / "store.db")
    return tmp_path


def save(lab: Path, *rows: Sequence[object], more: bool = False) -> Path:
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    if more:
        book.create_sheet("Notes").append(["not ratings"])
    book.save(lab / "ratings.xlsx")
    return lab / "ratings.xlsx"


def test_a_sheet_is_read_as_its_csv_would_be(lab: Path) -> None:
    file = save(
        lab,
        HEAD,
        ("lamp-AA", 1, "ann", "goal", 7.0, "late", None),
        (),
        ("lamp-AA", "2", 17.0, "goal", "3", None, datetime(2026, 3, 1)),
        ("lamp-AA", 2, "ann", "goal", None, None, None),
        more=True,
    )
    said = import_ratings(file, store=lab / "store.db")
    assert said[0] == 'read the sheet "Sheet", the first of 2'
    assert "blank cells, which are no ratings: 1" in said
    with Store.open(lab / "store.db") as store:
        rows = ratings_in(store, RUN, "people")
    assert {(row.seat, row.rater, row.score) for row in rows} == {
        ("ann", "ann", 7),
        ("bob", "17", 3),
    }


def test_numbers_that_lost_digits_are_no_ids(lab: Path) -> None:
    ids = (1.0912345678901234e15, 12, 5e19, 10**15)
    file = save(lab, HEAD, *((number, 1, "ann", "goal", 7) for number in ids))
    with pytest.raises(ConfigError) as error:
        import_ratings(file, RUN, store=lab / "store.db")
    for row in (2, 4, 5):
        assert f"row {row}: expected an id as episode" in str(error.value)
    assert 'row 3: expected an episode of small, found "12"' in str(error.value)


def test_another_archive_is_no_spreadsheet(lab: Path) -> None:
    pytest.importorskip("openpyxl")
    with zipfile.ZipFile(lab / "ratings.xlsx", "w") as archive:
        archive.writestr("ratings.csv", "episode")
    with pytest.raises(ConfigError, match="expected a spreadsheet"):
        import_ratings(lab / "ratings.xlsx", RUN, store=lab / "store.db")


def test_without_openpyxl_the_sentence_names_it(lab: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    (lab / "ratings.xlsx").write_bytes(b"PK\x03\x04")
    with pytest.raises(ConfigError, match="pip install openpyxl, or save it as CSV"):
        import_ratings(lab / "ratings.xlsx", RUN, store=lab / "store.db")


def test_a_spreadsheet_with_a_flipped_byte_is_refused(lab: Path) -> None:
    file = save(lab, HEAD, *(("lamp-AA", 1, f"r{n}", "goal", 7.0, "late", None) for n in range(9)))
    whole = file.read_bytes()
    with zipfile.ZipFile(file) as book:
        sheet = book.getinfo("xl/worksheets/sheet1.xml")
    for place in range(sheet.header_offset + 80, sheet.header_offset + 80 + 40):
        file.write_bytes(whole[:place] + bytes([whole[place] ^ 0x55]) + whole[place + 1 :])
        with pytest.raises(ConfigError, match=r"ratings\.xlsx"):
            import_ratings(file, store=lab / "store.db")


def test_an_empty_first_sheet_is_named(lab: Path) -> None:
    file = save(lab, more=True)
    with pytest.raises(ConfigError, match=r"found none \(read the sheet .*, the first of 2\)"):
        import_ratings(file, RUN, store=lab / "store.db")
