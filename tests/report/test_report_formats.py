"""Scores and sections as CSV, Markdown and LaTeX: complete, labelled, and safe to open."""

from __future__ import annotations

import csv
import io
import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from sociolab import RunResult, Section
from sociolab.report import TextTable, agent_grids, grid_text, run_section
from sociolab.report.export import (
    ENTRY_COLUMNS,
    csv_text,
    entries_csv,
    escaped,
    latex,
    markdown,
    plain,
)
from sociolab.report.finding import documents
from sociolab.report.score_tables import transpose_wide

HOSTILE = (
    "<script>alert(1)</script>",
    "=HYPERLINK(1)",
    "+1+cmd|' /C calc'!A0",
    "@SUM(A1)",
    "  =1+1",
    "a|b|c",
    r"\input{/etc/passwd} 50 % $x_1^2$ #a & ~b",
    "\N{RIGHT-TO-LEFT OVERRIDE}abc\N{RIGHT-TO-LEFT MARK}",
    "line\nbreak\r\n# heading",
    "[link](javascript:x) ![i](y) `code` *b* _c_",
    "a\x00\x1b[2Jb \ud800",
    "---",
    "x" * 1_000_000,
)


def table(text: str) -> TextTable:
    return TextTable(text, ("label", text), ((text, "1.00"),), (text,))


def rows_of(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_every_entry_is_a_row_with_the_documented_columns(result: RunResult) -> None:
    rows = rows_of(entries_csv([result, result]))
    assert tuple(rows[0]) == ENTRY_COLUMNS
    assert len(rows) == 2 * len(result.scores)
    goal = next(r for r in rows if (r["agent"], r["measure"], r["by"]) == (
        "openai/alpha", "goal", ""))  # fmt: skip
    assert float(goal["value"]) == pytest.approx(7.3333333)
    assert (goal["n"], goal["interval"]) == ("12", "t")
    assert (goal["run"], goal["world"], goal["judge"]) == ("small", "sotopia", "heuristic")
    assert {row["by"] for row in rows} >= {"", "partner=scripted", "type=bargain"}


def test_a_missing_figure_is_an_empty_cell_not_a_zero(result: RunResult) -> None:
    unscored = [row for row in rows_of(entries_csv([result])) if row["measure"] == "believability"]
    assert unscored
    assert {row["value"] for row in unscored} == {""}
    assert {row["n"] for row in unscored} == {"0"}


@pytest.mark.parametrize("text", HOSTILE)
def test_no_cell_of_a_csv_is_a_formula_and_none_is_lost(text: str) -> None:
    limit = csv.field_size_limit(2_000_000)
    shown = table(text)
    rows = list(csv.reader(io.StringIO(csv_text(shown.columns, shown.rows))))
    csv.field_size_limit(limit)
    assert [len(row) for row in rows] == [2, 2]
    for cell in (rows[0][1], rows[1][0]):
        assert not re.match(r"\s*[=+@]", cell)
        assert "\x1b" not in cell


def test_negative_figures_stay_figures_in_a_csv() -> None:
    text = csv_text(("a", "b", "c", "d"), [(-0.5, "-0.5", "-", "−0.41 ±0.2")])  # noqa: RUF001
    assert text.splitlines()[1] == "-0.5,-0.5,-,−0.41 ±0.2"  # noqa: RUF001


def test_a_sheet_takes_words_for_words_even_behind_a_minus() -> None:
    assert csv_text(("a",), [("-cmd|x",)]).splitlines()[1] == "'-cmd|x"


@pytest.mark.parametrize("text", HOSTILE)
def test_a_row_of_a_markdown_table_stays_one_row(text: str) -> None:
    lines = markdown([Section("t", tables=(table(text),))]).splitlines()
    cells = [line for line in lines if line.startswith("|")]
    assert len(cells) == 3
    assert all(len(re.findall(r"(?<!\\)\|", line)) == 3 for line in cells)
    assert not any("<" in line for line in lines)


def test_nothing_at_the_beginning_of_a_line_is_a_list_or_a_rule() -> None:
    assert plain("- a") == r"\- a"
    assert plain("---") == r"\---"
    assert plain("1. a") == r"1\. a"
    assert (plain("2.30 ±0.3"), plain("-0.5")) == ("2.30 ±0.3", "-0.5")


def test_latex_escapes_its_specials() -> None:
    assert escaped(r"\{}$&#%_~^<>|") == (
        r"\textbackslash{}\{\}\$\&\#\%\_\textasciitilde{}\textasciicircum{}"
        r"\textless{}\textgreater{}\textbar{}"
    )
    assert escaped("−2.51 ±0.35") == r"$-$2.51 $\pm$0.35"  # noqa: RUF001
    assert escaped("a--b---c") == "a-{}-b-{}-{}-c"
    assert escaped("[x]") == "{[}x{]}"
    assert escaped("a\nb") == "a b"


def typeset(engine: str, head: str, sections: list[Section], folder: Path) -> str:
    """The log of LaTeX, which found no error."""
    (folder / "tables.tex").write_text(latex(sections), encoding="utf-8")
    (folder / "page.tex").write_text(
        "\\documentclass{article}" + head + "\\usepackage{booktabs,graphicx}\n"
        "\\begin{document}\\input{tables}\\end{document}\n",
        encoding="utf-8",
    )
    command = [engine, "-interaction=nonstopmode", "-halt-on-error", "page.tex"]
    done = subprocess.run(command, cwd=folder, capture_output=True, timeout=60, check=False)
    log = (folder / "page.log").read_text("utf-8", "replace")
    assert done.returncode == 0, [line for line in log.splitlines() if line.startswith("!")]
    return log


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="needs pdflatex")
def test_pdflatex_sets_what_is_written_of_runs_with_awkward_names(
    result: RunResult, tmp_path: Path
) -> None:
    awkward = "a_b--c 50 % & é ą «ß» #1 $x^2$ {y}~\\ [z] −2.50 ±1 ≤ 3 × … –"  # noqa: RUF001
    named = [text[:200] for text in (*HOSTILE, awkward) if text.isprintable() or "\n" in text]
    sections = [Section(text, (text,), tables=(table(text),)) for text in named]
    real = run_section(result.model_copy(update={"run": awkward}), details=True)
    typeset("pdflatex", "\\usepackage[T1]{fontenc}", [real, *sections], tmp_path)


@pytest.mark.skipif(shutil.which("xelatex") is None, reason="needs xelatex")
def test_xelatex_sets_other_scripts(tmp_path: Path) -> None:
    typeset(
        "xelatex", "\\usepackage{fontspec}", [Section("t", tables=(table("中文 λ"),))], tmp_path
    )


@pytest.mark.parametrize("text", HOSTILE)
def test_nothing_in_a_latex_table_is_a_command_of_the_text(text: str) -> None:
    found = latex([Section(text, sentences=(text,), tables=(table(text),))])
    commands = set(re.findall(r"\\([a-zA-Z]+)", re.sub(r"(?m)^%.*$", "", found)))
    assert commands <= {
        "begin", "end", "centering", "caption", "label", "toprule", "midrule", "bottomrule",
        "resizebox", "linewidth", "textbackslash", "textasciitilde", "textasciicircum",
        "textless", "textgreater", "textbar", "textasciigrave", "pm", "cdot", "dots",
        "par", "smallskip", "parbox", "footnotesize",
    }  # fmt: skip
    body = found[found.index("\\begin{table}") :]
    unescaped = body.replace("\\{", "").replace("\\}", "")
    assert unescaped.count("{") == unescaped.count("}")
    assert not re.search("[\u202a-\u202e\u200e\u200f]", body)
    said = found[: found.index("\\begin{table}")]
    assert all(line.startswith("%") or not line.strip() for line in said.splitlines())


def test_labels_of_latex_tables_are_unique(result: RunResult) -> None:
    section = run_section(result, details=True)
    labels = re.findall(r"\\label\{(.*?)\}", latex([section, section]))
    assert len(labels) == len(set(labels)) == 2 * len(section.tables)
    assert all(re.fullmatch(r"tab:[a-z0-9-]+", label) for label in labels)


def test_a_table_says_that_figures_are_heuristic_and_players_scripted(result: RunResult) -> None:
    tables = latex([run_section(result)]).split("\\begin{table}")
    heuristic = [one for one in tables if "judge: heuristic}" in one.replace(".}", "}")]
    assert heuristic
    assert all("not comparable with an LLM judge" in one for one in heuristic)
    by_agent = next(one for one in heuristic if "Mean score per agent" in one)
    assert "Scripted: rule-based, a baseline rather than a language model" in by_agent


def test_captions_are_short_and_the_notes_stand_below(result: RunResult) -> None:
    text = latex([run_section(result, details=True)])
    captions = re.findall(r"\\caption\{(.*)\}", text)
    assert captions
    assert max(len(caption.split()) for caption in captions) <= 30
    assert text.index("\\bottomrule") < text.index("BEL = believability (0 to 10)")


def test_a_wide_latex_table_is_scaled_and_a_narrow_one_is_not() -> None:
    assert "resizebox" not in latex([Section("t", tables=(table("x"),))])
    assert "resizebox" in latex([Section("t", tables=(table("x" * 50),))])


def test_counts_have_their_own_columns_where_a_row_shares_them(result: RunResult) -> None:
    grid = next(grid for grid in agent_grids(result) if "heuristic" in grid.heading)
    differing = grid_text(result, grid)
    assert differing.rows[0][1:] != ()
    assert any("(9, 3 failed, " in cell for row in differing.rows for cell in row)
    one = replace(grid, columns=grid.columns[:1], rows=tuple(
        replace(row, cells=row.cells[:1]) for row in grid.rows))  # fmt: skip
    assert grid_text(result, one).columns == ("agent", "SOC", "n", "failed", "invalid turns")
    assert [row[2:4] for row in grid_text(result, one).rows] == [("12", "0"), ("10", "2")]


def test_a_table_that_is_wider_than_long_is_turned(result: RunResult) -> None:
    grid = agent_grids(result)[0]
    wide = replace(grid, columns=("a", "b", "c", "d"), rows=tuple(
        replace(row, cells=row.cells[:1] * 4) for row in grid.rows))  # fmt: skip
    long = transpose_wide(wide)
    assert (long.corner, long.columns) == ("metric", tuple(row.label for row in grid.rows))
    assert [row.label for row in long.rows] == ["a", "b", "c", "d"]
    assert long.rows[2].cells == tuple(row.cells[0] for row in grid.rows)
    assert transpose_wide(long) is long


def test_a_section_can_be_read_by_programs() -> None:
    section = Section("t", ("said",), ("not so",), (table("x"),))
    assert documents([section]) == [
        {
            "title": "t",
            "said": ["said"],
            "cautions": ["not so"],
            "tables": [
                {"heading": "x", "columns": ["label", "x"], "rows": [["x", "1.00"]], "notes": ["x"]}
            ],
        }
    ]
