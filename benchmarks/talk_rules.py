"""How often the rules that read talks agree with people: per condition, talks and notes.

    PYTHONPATH=tests .venv/bin/python benchmarks/talk_rules.py [--show] [FILES...]

FILES hold labelled talks; without them those of tests/worlds/stss/talk/talks are read, and
the README there says how often the rules agreed when they first met each. `--show` lists every
disagreement.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from sociolab.worlds.stss.talk.findings import Finding
from sociolab.worlds.stss.talk.rules.conversation import findings_in_talk
from sociolab.worlds.stss.talk.rules.note import findings_in_note
from worlds.stss.talk.labelled_talks import TALKS, LabelledTalk, labelled_talks


class Compared(NamedTuple):
    """One condition of one talk or note: what the rules found, what people say."""

    case: LabelledTalk
    text: str
    finding: Finding
    label: bool

    @property
    def key(self) -> tuple[str, str]:
        """What agreement is counted for."""
        return self.text, self.finding.condition.kind


def compared(case: LabelledTalk) -> Iterator[Compared]:
    """All conditions of a talk, then of its note."""
    for finding in findings_in_talk(case.occasion, case.lines):
        yield Compared(case, "talk", finding, case.labels[finding.condition.id])
    for finding in findings_in_note(case.occasion, case.note):
        yield Compared(case, "note", finding, case.note_labels[finding.condition.id])


def report(path: Path, show: bool) -> None:
    """Print the agreement on one file."""
    cases = labelled_talks(path)
    started = time.perf_counter()
    found = [one for case in cases for one in compared(case)]
    spent = (time.perf_counter() - started) / max(1, len(cases))
    asked = Counter(one.key for one in found)
    right = Counter(one.key for one in found if one.finding.met == one.label)
    print(f"{path.name}: {len(cases)} talks, {spent * 1000:.2f} ms each with its note")
    for text, kind in sorted(asked, reverse=True):
        n, agreed = asked[text, kind], right[text, kind]
        print(f"  {text}  {kind:13} {agreed:4} of {n:4}  {agreed / n:.3f}")
    total = sum(right.values())
    print(f"  all                {total:4} of {len(found):4}  {total / max(1, len(found)):.3f}")
    if show:
        _show([one for one in found if one.finding.met != one.label])


def _show(wrong: list[Compared]) -> None:
    for one in wrong:
        condition = one.finding.condition
        says = f"found {one.finding.met}, people say {one.label}"
        print(f"\n{one.case.id} {one.text} {condition.id}: {says}; {one.finding.quote!r}")
        print(f"  now {one.case.occasion.now:%a %H:%M}, here {one.case.occasion.here}")
        print(f"  {condition.text}")
        if one.text == "note":
            print(f"  S: {one.case.note}")
            continue
        for line in one.case.lines:
            seat = "P" if line.who == one.case.occasion.performer.id else "O"
            print(f"  {seat}: {line.text}")


def main() -> None:
    """Read the arguments, print a table for each file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--show", action="store_true")
    wanted = parser.parse_args()
    for path in wanted.files or sorted(TALKS.glob("*.jsonl")):
        report(path, wanted.show)


if __name__ == "__main__":
    main()
