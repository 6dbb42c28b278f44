"""The mind in docs/stss.md, as it stands there: it lives, and it keeps the contract."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs" / "stss.md"

COMMAND = (
    "run stss --agent python:my_mind:Hermit --background scripted --limit 1 --store runs.db --json"
)


def _blocks(folder: Path) -> list[str]:
    """Write each Python block of the page under the name in its first line; the names."""
    found = re.findall(r"```python\n# (\w+\.py)\n(.*?)```", DOCS.read_text("utf-8"), re.DOTALL)
    for name, text in found:
        (folder / name).write_text(text, "utf-8")
    return [name for name, _ in found]


def test_the_documented_mind_keeps_the_contract_and_lives(tmp_path: Path) -> None:
    assert _blocks(tmp_path) == ["my_mind.py", "test_my_mind.py"]
    checked = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_my_mind.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert checked.returncode == 0, checked.stdout
    lived = subprocess.run(
        [sys.executable, "-m", "sociolab", *COMMAND.split()],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert lived.returncode == 0, lived.stderr
    assert '"played": 1' in lived.stdout
