"""The importers of real play: a source becomes a data set of labelled examples."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from sociolab.worlds.anteval.importing.crd3.examples import extract
from sociolab.worlds.anteval.importing.crd3.turns import episode_files, read_episode
from sociolab.worlds.anteval.importing.data_set import Found, keep
from sociolab.worlds.anteval.importing.dnd import examples_file, read_examples
from sociolab.worlds.anteval.importing.fireball import read_session, session_files
from sociolab.worlds.anteval.importing.quality import CRD3
from sociolab.worlds.anteval.importing.transcript import read_transcript, transcript_files
from sociolab.worlds.anteval.virtual_dm.example import Example


def import_dnd(source: Path, target: Path) -> tuple[str, ...]:
    """A file in our open format into the new folder `target`; sentences on what was read."""
    examples = read_examples(source)
    found = Found("dnd", examples, {"rows": len(examples)}, {}, "as the file's authors declare")
    return keep(found, source, [examples_file(source)], target)


def import_crd3(source: Path, target: Path) -> tuple[str, ...]:
    """A clone of CRD3, or its folder of cleaned data, into the new folder `target`."""
    files = episode_files(source)
    examples: list[Example] = []
    read: Counter[str] = Counter()
    dropped: Counter[str] = Counter()
    for file in files:
        episode = read_episode(file)
        found = extract(episode)
        examples += found.examples
        dropped.update(found.dropped)
        read.update({"episodes": 1, "turns": len(episode.turns)})
    read["exchanges about a check"] = len(examples) + dropped.total()
    made = Found("crd3", tuple(examples), read, dict(dropped.most_common()), "CC BY-SA 4.0")
    return (*keep(made, source, files, target), str(CRD3))


def import_fireball(source: Path, target: Path) -> tuple[str, ...]:
    """FIREBALL's records, a file or a folder of them, into the new folder `target`."""
    files = session_files(source)
    examples: list[Example] = []
    read: Counter[str] = Counter()
    dropped: Counter[str] = Counter()
    for file in files:
        session = read_session(file)
        examples += session.examples
        dropped.update(session.dropped)
        read.update({"sessions": 1, "records": session.records})
    found = Found("fireball", tuple(examples), read, dict(dropped.most_common()), "CC BY 4.0")
    return keep(found, source, files, target)


def import_transcript(source: Path, target: Path) -> tuple[str, ...]:
    """A marked transcript, or a folder of them, into the new folder `target`."""
    files = transcript_files(source)
    examples = tuple(example for file in files for example in read_transcript(file))
    read = {"transcripts": len(files)}
    found = Found("dnd-transcript", examples, read, {}, "as the transcripts' authors declare")
    return keep(found, source, files, target)
