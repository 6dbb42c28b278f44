"""The documents as a site with search, built without a network: `make docs`.

    .venv/bin/python tools/site.py

Copies docs/ into build/docs, takes in the pages elsewhere in the repository that they link to (such
as PAPER.md of a world, and this repository's README as the first page), adds the API reference
(`tools/api.py`), and lets Zensical build site/ from it. A link that leads nowhere ends it with exit
code 1.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from api import write_reference

ROOT = Path(__file__).resolve().parent.parent
PAGES = ROOT / "build" / "docs"
LINK = re.compile(r"(\]\()([^)#\s]+)((?:#[^)\s]*)?\))")


def placed(file: Path) -> Path:
    """Where a file of the repository stands among the pages."""
    docs = ROOT / "docs"
    return PAGES / (file.relative_to(docs) if file.is_relative_to(docs) else
                    Path("repository") / file.relative_to(ROOT))  # fmt: skip


def take(file: Path, taken: set[Path]) -> None:
    """Copy a page with its links led to where the others stand, and the pages that it links to."""
    if file in taken:
        return
    taken.add(file)
    to = placed(file)
    to.parent.mkdir(parents=True, exist_ok=True)
    if file.suffix != ".md":
        shutil.copy(file, to)
        return
    wanted: list[Path] = []

    def led(found: re.Match[str]) -> str:
        before, link, after = found.groups()
        target = (file.parent / link).resolve()
        if "://" in link or link.startswith("mailto:") or not target.is_relative_to(ROOT):
            return found.group(0)
        if target.is_dir():
            target = target / "README.md"
        if not target.is_file():
            return found.group(0)  # Zensical tells
        wanted.append(target)
        return f"{before}{os.path.relpath(placed(target), to.parent)}{after}"

    to.write_text(LINK.sub(led, file.read_text("utf-8")), "utf-8")
    for one in wanted:
        take(one, taken)


def main() -> int:
    """Make the pages and build the site; Zensical's exit code."""
    shutil.rmtree(PAGES, ignore_errors=True)
    taken: set[Path] = set()
    for file in sorted((ROOT / "docs").rglob("*")):
        if file.is_file() and "__pycache__" not in file.parts:
            take(file, taken)
    write_reference(PAGES / "api.md", PAGES / "api")
    zensical = Path(sys.executable).with_name("zensical")
    done = subprocess.run([zensical, "build", "--clean", "--strict"], cwd=ROOT, check=False)
    if not done.returncode:
        sys.stdout.write(f"Open in a browser: {(ROOT / 'site' / 'index.html').as_uri()}\n")
        sys.stdout.write("With search, which needs a server: python3 -m http.server -d site\n")
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
