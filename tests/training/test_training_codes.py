"""Examples of Python classes: their code is named, and told where one label stands for two."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import pytest

from sociolab import RunConfig, run
from sociolab.core import ConfigError
from sociolab.training import ExportOptions, export_training
from training_cases import lines

AGENT = """
from sociolab.core.episode import Action
from sociolab.core.ports import Reply

class Greeter:
    async def reply(self, request, memory):
        return Reply((Action("speak", "{word}"),))
"""
LABEL = "python:greeter_of_two_codes:Greeter"


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two runs of one label, whose file was changed between them."""
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    for word in ("Hello", "Goodbye"):
        (tmp_path / "greeter_of_two_codes.py").write_text(AGENT.format(word=word), "utf-8")
        sys.modules.pop("greeter_of_two_codes", None)
        importlib.invalidate_caches()
        run(
            RunConfig(
                agents=(LABEL,), partner="scripted", judges=("none",), settings={"turns": "2"},
                limit=1, name=word.lower(), store=tmp_path / "s.db",
            )
        )  # fmt: skip
    return tmp_path / "s.db"


def test_codes_are_named_told_and_selected(store: Path, tmp_path: Path) -> None:
    runs = ["hello", "goodbye"]
    both = export_training(
        runs, tmp_path / "both.jsonl", ExportOptions("turns", agent=LABEL), store
    )
    rows = lines(tmp_path / "both.jsonl")
    codes = {row["run"]: str(row["code"]) for row in rows}
    assert len(set(codes.values())) == 2
    (note,) = both.notes
    marks = ", ".join(f"@{codes[name][:4]} in {name}" for name in runs)
    assert note.startswith(f"{LABEL} ran other code from run to run ({marks})")
    assert note.endswith("--agent LABEL@MARK keeps one.")
    named = f"{LABEL}@{codes['goodbye'][:4]}"
    one = export_training(runs, tmp_path / "one.jsonl", ExportOptions("sft", agent=named), store)
    assert one.notes == ()
    found = [row["metadata"] for row in lines(tmp_path / "one.jsonl")]
    assert {(row["run"], row["code"]) for row in found} == {("goodbye", codes["goodbye"])}
    with pytest.raises(ConfigError, match=named):
        export_training(
            runs, tmp_path / "x.jsonl", ExportOptions("sft", agent=f"{LABEL}@none"), store
        )


def test_other_players_have_no_code(store: Path, tmp_path: Path) -> None:
    export_training(
        ["hello"], tmp_path / "t.jsonl", ExportOptions("turns", agent="scripted"), store
    )
    assert {row["code"] for row in lines(tmp_path / "t.jsonl")} == {None}
