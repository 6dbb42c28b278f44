"""`sociolab analyze`: a function of one's own over stored runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from cli.conftest import Sociolab


def test_the_findings_of_a_function_are_printed_and_written(
    sociolab: Sociolab, tmp_path: Path
) -> None:
    sociolab("run", "sotopia", "--limit", "4", "--name", "first")
    kinds = ("html", "latex", "markdown", "csv")
    files = [word for kind in kinds for word in (f"--{kind}", str(tmp_path / kind))]
    done = sociolab("analyze", "python:weekdays:by_weekday", "first", *files)
    assert done.code == 0, done.err
    assert "Mean by weekday" in done.out
    assert all((tmp_path / kind).stat().st_size for kind in kinds)
    done = sociolab("analyze", "python:weekdays:by_weekday", "first", "--json")
    assert done.document["sections"][0]["tables"][0]["id"] == "weekdays.days"


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("python:weekdays:nothing", 'has no "nothing"'),
        ("python:nowhere:f", 'there is no module "nowhere"'),
        ("weekdays", "expected python:package.module:function"),
        ("python:builtins:len", "python:builtins:len broke"),
        ("python:builtins:print", "expected a sociolab.Section or a list of them, found NoneType"),
        ("python:weekdays:SAY", "expected a function"),
    ],
)
def test_what_is_no_analysis_is_refused_in_a_sentence(
    sociolab: Sociolab, spec: str, message: str
) -> None:
    sociolab("run", "sotopia", "--limit", "1", "--name", "first")
    done = sociolab("analyze", spec, "first")
    assert done.code == 2
    assert message in done.sentence
