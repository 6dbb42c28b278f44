"""Sections for the terminal."""

from __future__ import annotations

from rich.console import Console

from sociolab.report.section import Section, TextTable
from sociolab.report.terminal import printed


def test_a_table_without_rows_or_headings_is_printed_all_the_same() -> None:
    tables = (TextTable("nothing", ("", "n"), ()), TextTable("empty", ("",), (("",),)))
    console = Console(record=True, width=80)
    with console.capture() as shown:
        console.print(printed([Section("t", tables=tables)]))
    assert "nothing" in shown.get()
