"""Read bundles without the package's reader, and make others of them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

MANIFEST = "manifest.json"


def parts_of(bundle: Path) -> dict[str, str]:
    """The text of each part, the manifest included."""
    with ZipFile(bundle) as archive:
        return {name: archive.read(name).decode() for name in archive.namelist()}


def text_of(bundle: Path) -> str:
    """All that is in a bundle, as text to search in."""
    return "".join(f"{name}\n{text}" for name, text in parts_of(bundle).items())


def lines_of(bundle: Path, part: str = "") -> list[dict[str, Any]]:
    """The lines of a part, or of all of a run's own parts."""
    texts = parts_of(bundle)
    del texts[MANIFEST]
    chosen = [text for name, text in texts.items() if (name == part if part else "/" not in name)]
    return [json.loads(line) for text in chosen for line in text.splitlines()]


def write_parts(bundle: Path, parts: Mapping[str, str], about: Mapping[str, Any]) -> None:
    """A bundle of these parts; its manifest fits them, unless `about` has other parts."""
    entries = {
        name: {
            "lines": text.count("\n"),
            "bytes": len(text.encode()),
            "sha256": hashlib.sha256(text.encode()).hexdigest(),
        }
        for name, text in parts.items()
    }
    with ZipFile(bundle, "w", ZIP_DEFLATED) as archive:
        for name, text in parts.items():
            archive.writestr(name, text)
        archive.writestr(MANIFEST, json.dumps({"parts": entries, **about}))


def change_part(bundle: Path, part: str, change: Callable[[str], str]) -> None:
    """Change the text of a part, and its hash in the manifest with it."""
    texts = parts_of(bundle)
    about = json.loads(texts.pop(MANIFEST))
    del about["parts"]
    write_parts(bundle, {**texts, part: change(texts[part])}, about)
