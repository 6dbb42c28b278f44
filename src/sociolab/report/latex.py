"""Sections as LaTeX: tables in booktabs style, with captions that say what the figures are."""

from __future__ import annotations

import re
from collections.abc import Sequence

from sociolab.report.legible import legible
from sociolab.report.section import Section, TextTable

_HEAD = (
    "% Needs \\usepackage{booktabs}, \\usepackage{graphicx} for wide tables, and with pdfLaTeX\n"
    "% \\usepackage[T1]{fontenc}; words in other scripts than Latin need XeLaTeX or LuaLaTeX, and\n"
    "% a font that has them (\\usepackage{fontspec} \\setmainfont{...}).\n"
)
_WIDE = 80
"""Characters of a row from which a table is scaled to the width of the text."""
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
    "≤": r"$\leq$",
    "≥": r"$\geq$",
    "`": r"\textasciigrave{}",
    # At the beginning of a row it would be taken for an option of the row's end before it.
    "[": "{[}",
    "]": "{]}",
}
_INVISIBLE = re.compile("[\N{LEFT-TO-RIGHT MARK}\N{RIGHT-TO-LEFT MARK}\u202a-\u202e\u2066-\u2069]")


def latex(sections: Sequence[Section]) -> str:
    """A `table` for each table, labelled tab:<section>-<number>; sentences go as comments.

    A caption ends with the table's notes, so that no table can be copied without them.
    """
    parts = [_HEAD]
    taken: set[str] = set()
    for section in sections:
        said = (section.title, *section.said, *section.cautions)
        parts.append("".join(f"% {_flat(sentence)}\n" for sentence in said))
        name = _free(_slug(section.title), taken)
        parts += [_table(table, f"tab:{name}-{i}") for i, table in enumerate(section.tables, 1)]
    return "\n".join(parts)


def _table(table: TextTable, label: str) -> str:
    left = {0, *table.words}
    columns = "".join("l" if i in left else "r" for i in range(len(table.columns)))
    caption = ". ".join(_sentence(text) for text in (table.heading, *table.notes) if text)
    body = [
        rf"\begin{{tabular}}{{{columns}}}",
        r"\toprule",
        _row(table.columns),
        r"\midrule",
        *(_row(row) for row in table.rows),
        r"\bottomrule",
        r"\end{tabular}",
    ]
    if _width(table) > _WIDE:
        body = [r"\resizebox{\linewidth}{!}{%", *body, "}"]
    return "\n".join(
        [
            r"\begin{table}[htbp]",
            r"\centering",
            rf"\caption{{{caption}.}}",
            rf"\label{{{label}}}",
            *body,
            r"\end{table}",
            "",
        ]
    )


def _width(table: TextTable) -> int:
    """How many characters the longest cells of each column make, with two between columns."""
    columns = zip(table.columns, *table.rows, strict=True)
    return sum(max(len(cell) for cell in column) + 2 for column in columns)


def _row(cells: Sequence[str]) -> str:
    return " & ".join(escaped(cell) for cell in cells) + r" \\"


def _sentence(text: str) -> str:
    return escaped(text[:1].upper() + text[1:]).rstrip(".")


def escaped(text: str) -> str:
    """Text on one line in which nothing is a command."""
    apart = re.sub("-(?=-)", "-\0", _flat(text))  # two of them would become one dash
    return "".join(_CHARACTERS.get(one, one) for one in apart).replace("\0", "{}")


def _flat(text: str) -> str:
    """One line without marks of direction, which most engines cannot set."""
    return " ".join(_INVISIBLE.sub("", legible(text)).split())


def _slug(text: str) -> str:
    """What may stand in a label."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")[:60] or "section"


def _free(slug: str, taken: set[str]) -> str:
    """The slug, or with a number what is still free."""
    found, number = slug, 1
    while found in taken:
        number += 1
        found = f"{slug}-{number}"
    taken.add(found)
    return found
