"""A data set of examples in a folder of its own: the examples, and what is known about them."""

from __future__ import annotations

import hashlib
import json
import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from sociolab.core.errors import ConfigError
from sociolab.worlds.anteval.importing.dnd import EXAMPLES, write_examples
from sociolab.worlds.anteval.virtual_dm.example import Example

ABOUT = "about.json"


@dataclass(frozen=True, slots=True)
class Found:
    """What an importer made of its source.

    `read` says what was read, by kind; `dropped` what gave no example, by reason.
    """

    format: str
    examples: tuple[Example, ...]
    read: Mapping[str, int]
    dropped: Mapping[str, int]
    licence: str


def keep(found: Found, source: Path, files: Sequence[Path], target: Path) -> tuple[str, ...]:
    """Write the data set into the new folder `target`, whole or not at all; what to print about it.

    `files` are what was read; a hash of them is kept, and of `source` the name alone.
    """
    if target.exists():
        raise ConfigError(f"{target} exists already; import under another name, or remove it")
    if not found.examples:
        raise ConfigError(
            f"{source}: no check was found that can be told to be somebody's; expected at least "
            f"one ({_listed(found.dropped) or 'none was met'})"
        )
    about = _about(found, source, files)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(dir=target.parent, prefix=".importing-") as partial:
            folder = Path(partial) / "data"
            folder.mkdir()
            write_examples(folder / EXAMPLES, found.examples)
            text = json.dumps(about, ensure_ascii=False, indent=2) + "\n"
            (folder / ABOUT).write_text(text, "utf-8")
            os.replace(folder, target)
    except OSError as error:
        raise ConfigError(f"{target} cannot be written ({error.strerror})") from error
    return _told(found)


def _about(found: Found, source: Path, files: Sequence[Path]) -> Mapping[str, object]:
    return {
        "format": found.format,
        "source": source.resolve().name,
        "sha256": _fingerprint(files),
        "licence": found.licence,
        **_counts(found.examples),
        "skills": dict(Counter(la.skill for ex in found.examples for la in ex.labels)),
        "read": dict(found.read),
        "dropped": dict(found.dropped),
    }


def _fingerprint(files: Sequence[Path]) -> str:
    """The SHA-256 of a file; of several, that of a line for each: its SHA-256 and its name."""
    hashes = [hashlib.sha256(path.read_bytes()).hexdigest() for path in files]
    if len(files) == 1:
        return hashes[0]
    lines = (f"{each}  {path.name}\n" for each, path in zip(hashes, files, strict=True))
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def _counts(examples: Sequence[Example]) -> Mapping[str, int]:
    return {
        "episodes": len({example.group for example in examples}),
        "examples": len(examples),
        "labels": sum(len(example.labels) for example in examples),
        "strict": sum(example.strict for example in examples),
    }


def _told(found: Found) -> tuple[str, ...]:
    counts = _counts(found.examples)
    each = counts["examples"] / counts["episodes"]
    lines = [
        f"{counts['examples']} examples of {counts['episodes']} episodes ({each:.1f} each), "
        f"{counts['labels']} labels, {counts['strict']} examples strict"
    ]
    if found.read:
        lines.append(f"read: {_listed(found.read)}")
    if found.dropped:
        lines.append(f"dropped: {_listed(found.dropped)}")
    return tuple(lines)


def _listed(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{number} {what}" for what, number in counts.items())
