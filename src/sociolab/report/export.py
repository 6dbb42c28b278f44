"""Export sections, episodes and scores as LaTeX, Markdown and CSV."""

from __future__ import annotations

import csv
import html
import io
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from sociolab.core.errors import ConfigError
from sociolab.core.ports import Line
from sociolab.core.user_files import write_atomically
from sociolab.report.finding import TIDY, tidy_rows
from sociolab.report.schema import RunResult, ScoreEntry
from sociolab.report.section import Section, TextTable
from sociolab.report.transcript_views import ScoreSheet, TranscriptView
from sociolab.report.words import instructions_notes, sanitize


def write_report(path: Path, text: str) -> None:
    """Write a text as UTF-8, all or nothing; ConfigError where the file cannot be written."""
    try:
        write_atomically(path, text)
    except OSError as error:
        raise ConfigError(
            f"the report cannot be written to {path} ({error.strerror}); name a file in a folder "
            "that exists"
        ) from error


# ------------------------------------------------------------------ Markdown


def markdown(sections: Sequence[Section]) -> str:
    """Sections as Markdown, with second-level headings, pipe tables, and notes as lists."""
    return "\n\n".join(part for section in sections for part in _markdown_parts(section)) + "\n"


def _markdown_parts(section: Section) -> list[str]:
    said = list(map(plain, section.sentences))
    if section.cautions:
        said += ["Limitations:", *_markdown_list(section.cautions)]
    tables: list[str] = []
    for table in section.tables:
        heading = f"### {plain(table.heading)}"
        tables += [heading, _markdown_table(table), *_markdown_list(table.all_notes)]
    head = [f"## {plain(section.title)}", *filter(None, [plain(section.verdict)])]
    head += [f"**{plain(sentence)}**" for sentence in section.warnings]
    figures = [f"*{plain(figure.caption)}: see the page.*" for figure in section.figures]
    return [*head, *(tables + said if section.verdict else said + tables), *figures]


def _markdown_list(lines: Sequence[str]) -> list[str]:
    return ["\n".join(f"- {plain(line)}" for line in lines)] if lines else []


def _markdown_table(table: TextTable) -> str:
    text_columns = {0, *table.words}
    rule = "|".join("---" if i in text_columns else "--:" for i in range(len(table.columns)))
    return "\n".join(
        [_markdown_row(table.columns), f"|{rule}|", *(_markdown_row(row) for row in table.rows)]
    )


def _markdown_row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(plain(cell) for cell in cells)} |"


def plain(text: str) -> str:
    """Text on one line, escaped so that nothing in it is Markdown or HTML, or ends a table cell."""
    # HTML entities for "<" and "&": not every Markdown renderer knows a backslash before them.
    flat = html.escape(" ".join(sanitize(text).split()), quote=False)
    escaped = re.sub(r"([\\`*_\[\]|#~$])", r"\\\1", flat)
    return re.sub(r"^(?:([-+=])(?=[-+=\s]|$)|(\d+)([.)])(?=\s|$))", _escape_list_mark, escaped)


def _escape_list_mark(match: re.Match[str]) -> str:
    mark, count, end = match.groups()
    return f"\\{mark}" if mark else f"{count}\\{end}"


def play_markdown(view: TranscriptView) -> str:
    """The episode as Markdown, to be pasted into a page."""
    cast = ", ".join(f"{plain(seat.name)}: {plain(seat.agent)}" for seat in view.seats)
    parts = [f"### {plain(view.title)}", f"*{cast}*"]
    for heading, text in view.scene:
        lines = "  \n".join(plain(line) for line in text.splitlines())  # two spaces break a line
        parts.append(f"**{plain(heading)}.** {lines}")
    for item in view.course:
        if isinstance(item, Line):
            who, text = plain(item.who), plain(item.text)
            line = f"**{who}**{text[len(who) :]}" if text.startswith(who) else text
            parts.append(f"{item.turn + 1}\\. {line}")
        else:
            parts.append(f"> {plain(item.text)}")
    parts.append(f"*Ended: {plain(view.ended)}.*")
    for sheet in view.sheets:
        parts += [f"Scores by {plain(sheet.judge)}:", _sheet_table(sheet)]
    parts += [f"*{plain(view.legend)}*"] if view.legend else []
    return "\n\n".join(parts) + "\n"


def _sheet_table(sheet: ScoreSheet) -> str:
    lines = [
        " | ".join(["", "measure", *(plain(name) for name in sheet.columns), ""]).strip(),
        "|---" + "|--:" * len(sheet.columns) + "|",
    ]
    for title, remarks in sheet.rows:
        cells = (plain(remark.value) if remark else "" for remark in remarks)
        lines.append(" | ".join(["", plain(title), *cells, ""]).strip())
    return "\n".join(lines)


# ------------------------------------------------------------------ LaTeX


_HEAD = (
    "% Needs \\usepackage{booktabs}, \\usepackage{graphicx} for wide tables, and with pdfLaTeX\n"
    "% \\usepackage[T1]{fontenc}; words in other scripts than Latin need XeLaTeX or LuaLaTeX, and\n"
    "% a font that has them (\\usepackage{fontspec} \\setmainfont{...}).\n"
)
_WIDE = 80
"""Width of a row in characters above which a table is scaled down to the text width."""
_CHARACTERS = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': "''",
    "\N{MINUS SIGN}": "$-$",
    "±": r"$\pm$",
    "\N{EN DASH}": "--",
    "…": r"\dots{}",
    "·": r"$\cdot$",
    "\N{MULTIPLICATION SIGN}": r"$\times$",
    "\N{REPLACEMENT CHARACTER}": "?",
    "\N{DOWNWARDS ARROW}": r"$\downarrow$",
    "≤": r"$\leq$",
    "≥": r"$\geq$",
    "`": r"\textasciigrave{}",
    # At the beginning of a row, "[" would be taken for an option of the preceding "\\".
    "[": "{[}",
    "]": "{]}",
}
_INVISIBLE = re.compile("[\N{LEFT-TO-RIGHT MARK}\N{RIGHT-TO-LEFT MARK}\u202a-\u202e\u2066-\u2069]")


def latex(sections: Sequence[Section]) -> str:
    """Sections as LaTeX: a `table` for each table, labelled tab:SECTION-NUMBER, with sentences as
    comments. Notes stand within each table, so that it is not copied without them."""
    parts = [_HEAD]
    used: set[str] = set()
    for section in sections:
        sentences = (section.title, *section.warnings, *section.sentences, *section.cautions)
        if section.verdict:
            sentences = (section.title, section.verdict, *sentences[1:])
        parts.append("".join(f"% {_flat(sentence)}\n" for sentence in sentences))
        slug = re.sub(r"[^a-z0-9]+", "-", section.title.lower()).strip("-")[:60] or "section"
        name = _unused_name(slug, used)
        parts += [
            _latex_table(table, f"tab:{name}-{i}") for i, table in enumerate(section.tables, 1)
        ]
    return "\n".join(parts)


def _latex_table(table: TextTable, label: str) -> str:
    text_columns = {0, *table.words}
    columns = "".join("l" if i in text_columns else "r" for i in range(len(table.columns)))
    notes = ". ".join(_capitalized(text) for text in table.all_notes if text)
    body = [
        rf"\begin{{tabular}}{{{columns}}}",
        r"\toprule",
        _latex_row(table.columns),
        r"\midrule",
        *(_latex_row(row) for row in table.rows),
        r"\bottomrule",
        r"\end{tabular}",
    ]
    if _characters(table) > _WIDE:
        body = [r"\resizebox{\linewidth}{!}{%", *body, "}"]
    return "\n".join(
        [
            r"\begin{table}[htbp]",
            r"\centering",
            rf"\caption{{{escaped(table.heading).rstrip('.')}.}}",
            rf"\label{{{label}}}",
            *body,
            *([rf"\par\smallskip\parbox{{\linewidth}}{{\footnotesize {notes}.}}"] if notes else []),
            r"\end{table}",
            "",
        ]
    )


def _characters(table: TextTable) -> int:
    """The width of a table: the longest cell of each column, with two characters between
    columns."""
    columns = zip(table.columns, *table.rows, strict=True)
    return sum(max(len(cell) for cell in column) + 2 for column in columns)


def _latex_row(cells: Sequence[str]) -> str:
    return " & ".join(escaped(cell) for cell in cells) + r" \\"


def _capitalized(text: str) -> str:
    word = text[1:2].isalpha()  # a symbol, such as p or n, stays lower-case
    return escaped((text[:1].upper() if word else text[:1]) + text[1:]).rstrip(".")


def escaped(text: str) -> str:
    """Text on one line, escaped so that nothing in it is a LaTeX command."""
    apart = re.sub("-(?=-)", "-\0", _flat(text))  # two hyphens would become a dash
    return "".join(_CHARACTERS.get(character, character) for character in apart).replace("\0", "{}")


def _flat(text: str) -> str:
    """Text on one line, without direction marks, which most LaTeX engines cannot set."""
    return " ".join(_INVISIBLE.sub("", sanitize(text)).split())


def _unused_name(slug: str, used: set[str]) -> str:
    """The slug, with a number if it was used before; the name is added to `used`."""
    name, number = slug, 1
    while name in used:
        number += 1
        name = f"{slug}-{number}"
    used.add(name)
    return name


# ------------------------------------------------------------------ CSV


ENTRY_COLUMNS = (
    "run",
    "world",
    "agent",
    "by",
    "judge",
    "method",
    "measure",
    "value",
    "low",
    "high",
    "interval",
    "n",
    "clusters",
    "failures",
    "unscored",
    "failed_turns",
    "turns_asked",
    "disputed",
    "unconfirmed",
    "cannot_tell",
    "bounds_low",
    "bounds_high",
    "instructions",
)
"""Columns of `entries_csv`, as in docs/result.md; `by` reads "type=bargain; partner=scripted"."""
_FORMULA = re.compile(r"\s*[=+\-@|]")
"""The beginning of a cell that a spreadsheet would execute."""
_FIGURE = re.compile(r"-|[+-]?\d[\d,.]*(e[+-]?\d+)?( ?%)?")


def entries_csv(results: Iterable[RunResult]) -> str:
    """A row for each score entry of these runs; a missing figure is an empty cell."""
    return csv_text(
        ENTRY_COLUMNS,
        (_entry_row(result, entry) for result in results for entry in result.scores),
    )


def findings_csv(sections: Iterable[Section]) -> str:
    """A row for each figure of the findings in all tables (`report.finding.tidy_rows`)."""
    rows = tidy_rows(table for section in sections for table in section.tables)
    return csv_text(TIDY, ([row[name] for name in TIDY] for row in rows))


def csv_text(columns: Sequence[str], rows: Iterable[Sequence[str | float | None]]) -> str:
    """CSV with a header row. None is an empty cell; texts that a spreadsheet would take for a
    formula are quoted."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow([_cell(title) for title in columns])
    writer.writerows([_cell(value) for value in row] for row in rows)
    return file.getvalue()


def _cell(value: str | float | None) -> str:
    if value is None:
        return ""
    if not isinstance(value, str):
        return repr(value)
    text = sanitize(value)
    harmless = _FIGURE.fullmatch(text) or not _FORMULA.match(text)
    return text if harmless else f"'{text}"


def _entry_row(result: RunResult, entry: ScoreEntry) -> tuple[str | float | None, ...]:
    low, high = entry.bounds or (None, None)
    notes = instructions_notes(result, (entry.judge,))
    cells: dict[str, Any] = dict(entry) | {
        "run": result.run,
        "world": result.world,
        "by": "; ".join(f"{name}={value}" for name, value in entry.by.items()),
        "bounds_low": low,
        "bounds_high": high,
        "instructions": "; ".join(note.removeprefix("instructions: ") for note in notes),
    }
    return tuple(cells[column] for column in ENTRY_COLUMNS)
