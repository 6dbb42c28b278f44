"""`sociolab compare`: two agents on the tasks that both played, and consistency over repeats."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from sociolab.analysis.compare_runs import CompareRequest, Conclusions, compare_runs
from sociolab.analysis.curve import follow_runs
from sociolab.analysis.episode_pairs import (
    ComparedPairs,
    compared_pairs,
    with_episodes,
)
from sociolab.app.queries import open_store
from sociolab.app.results import write_pairs
from sociolab.app.transcripts import transcript_of
from sociolab.app.user_files import free_file
from sociolab.cli.output import page_of, say, show_sections
from sociolab.core.errors import ConfigError

if TYPE_CHECKING:
    from sociolab.analysis.compare_runs import Gate
    from sociolab.store.store import Store


@dataclass(frozen=True, slots=True)
class Extras:
    """What is asked for beside the figures: pairs of episodes, as text and as a file; gates."""

    pairs_shown: int = 5
    every: bool = False
    pairs_file: Path | None = None
    rules: tuple[str, ...] = ()


def compare(
    wanted: CompareRequest, extras: Extras, *, html: Path | None, store: Path | None, as_json: bool
) -> None:
    """Print the conclusions as text or JSON, and write them as a page if asked.

    Exits with 1 where a rule of `--fail-if` holds.
    """
    rules = _rules(extras)
    if extras.pairs_file is not None:
        free_file(extras.pairs_file, "--pairs")
    with open_store(store) as opened:
        found = compare_runs(opened, wanted)
        pairs, gates = _pairs(opened, found, extras), _gates(found, rules)
        if html is not None:
            extra = (
                (with_episodes(opened, pairs, transcript_of),)
                if pairs and extras.pairs_shown
                else ()
            )
            page_of(opened, wanted.runs, (*found.sections, *extra), html)
    shown = (pairs.section,) if pairs and extras.pairs_shown else ()
    document = partial(_document, found, pairs, gates)
    show_sections((*found.sections, *shown), document, as_json=as_json, html=html)
    if pairs is not None and extras.pairs_file is not None:
        say(f"wrote {write_pairs(pairs, extras.pairs_file):,} pairs to {extras.pairs_file}")
    for gate in gates:
        say(gate.sentence)
    if any(gate.failed for gate in gates):
        raise typer.Exit(1)


def _rules(extras: Extras) -> tuple[Any, ...]:
    if not extras.rules:
        return ()
    from sociolab.analysis.compare_runs import rule_of

    return tuple(rule_of(text) for text in extras.rules)


def _pairs(store: Store, found: Conclusions, extras: Extras) -> ComparedPairs | None:
    """The pairs of episodes; ConfigError where they are asked for and there are none."""
    if found.comparison is not None:
        return compared_pairs(store, found.comparison, extras.pairs_shown, every=extras.every)
    if extras.pairs_file is not None or extras.every:
        raise ConfigError("--pairs and --all are for two agents; name both: --agent A --with B")
    return None


def _gates(found: Conclusions, rules: Sequence[Any]) -> tuple[Gate, ...]:
    if not rules:
        return ()
    from sociolab.analysis.compare_runs import gates_of

    if found.comparison is None:
        raise ConfigError("--fail-if is for two agents; name both: --agent A --with B")
    return gates_of(found.comparison, rules)


def _document(
    found: Conclusions, pairs: ComparedPairs | None, gates: Sequence[Gate]
) -> dict[str, Any]:
    told = {"gates": [gate.document() for gate in gates]} if gates else {}
    return found.document() | {"pairs": pairs.document() if pairs else []} | told


def follow(wanted: CompareRequest, *, html: Path | None, store: Path | None, as_json: bool) -> None:
    """Print how an agent's scores go over runs, such as checkpoints, as text or JSON; write the
    page if asked."""
    with open_store(store) as opened:
        found = follow_runs(opened, wanted)
        page_of(opened, wanted.runs, [found.section], html)
    show_sections([found.section], found.document, as_json=as_json, html=html)


def ks_of(text: str) -> tuple[int, ...]:
    """ "1,2,4" as numbers, each once, in order; ConfigError for anything else."""
    if not re.fullmatch(r"\s*[1-9]\d{0,3}\s*(,\s*[1-9]\d{0,3}\s*)*", text):
        raise ConfigError(
            f'--k: expected numbers from 1 with commas, such as 1,2,4; found "{text}"'
        )
    return tuple(sorted({int(part) for part in text.split(",")}))
