"""What a shell offers after TAB."""

from __future__ import annotations

from pathlib import Path

import pytest

from cli.conftest import Sociolab
from sociolab import RunConfig, run


@pytest.fixture
def offered(sociolab: Sociolab, tmp_path: Path) -> Sociolab:
    run(RunConfig(limit=6, seed=1, name="first", store=tmp_path / "s.db"))

    def complete(*words: str) -> object:
        line = " ".join(("sociolab", *words))
        return sociolab(
            _SOCIOLAB_COMPLETE="complete_bash",
            COMP_WORDS=line,
            COMP_CWORD=str(len(words)),
            SOCIOLAB_STORE=str(tmp_path / "s.db"),
        ).out.split()

    return complete  # type: ignore[return-value]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("report", "f"), {"first"}),
        (("compare", "f"), {"first"}),
        (("list", "episodes", "--run", "f"), {"first"}),
        (("run", "stss"), {"stss", "stss-talk"}),
        (("run", "sotopia", "--agent", "s"), {"scripted"}),
        (("rank", "first", "--metric", "financ"), {"financial"}),
        (("report", "no"), set()),
    ],
)
def test_names_are_offered(words: tuple[str, ...], expected: set[str], offered: Sociolab) -> None:
    assert set(offered(*words)) == expected  # type: ignore[call-overload]


def test_tasks_of_the_store_are_offered(offered: Sociolab) -> None:
    assert len(offered("run", "sotopia", "--tasks", "")) == 6  # type: ignore[arg-type]


def test_without_a_store_nothing_is_offered_made_or_complained_of(
    sociolab: Sociolab, tmp_path: Path
) -> None:
    done = sociolab(
        _SOCIOLAB_COMPLETE="complete_bash", COMP_WORDS="sociolab report f", COMP_CWORD="2",
        SOCIOLAB_STORE=str(tmp_path / "none.db"),
    )  # fmt: skip
    assert (done.out.strip(), done.err) == ("", "")
    assert not (tmp_path / "none.db").exists()
