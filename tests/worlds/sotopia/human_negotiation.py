"""People who divide things, with what they did on record, as SOTOPIA conversations with labels.

CaSiNo (Chawla et al., NAACL 2021) and Deal or No Deal (Lewis et al., EMNLP 2017), which this
repository does not hold. The actions that submit, accept and reject a deal are taken out: a reader
has the words alone, and the label is what the two then did.

    python tests/worlds/sotopia/human_negotiation.py OUT --each 20 --seed 1

writes so many of each, drawn by lot, as a set for `sociolab judge --validate SPEC --data OUT`.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from sociolab.core import digest

Row: TypeAlias = dict[str, Any]

NAMES = ("Robin", "Sam")
CASINO, DEAL = "CaSiNo", "Deal or No Deal"
POINTS = {"High": 5, "Medium": 4, "Low": 3}
_DEEDS = ("Submit-Deal", "Accept-Deal", "Reject-Deal", "Walk-Away")
_REPOSITORY = Path(__file__).parents[3]


def folder() -> Path:
    """Where the two data sets lie, if they are at hand."""
    shared = Path(os.environ.get("SOCIOLAB_SHARED", _REPOSITORY.parent / "shared"))
    return shared / "data" / "human_negotiation"


def casino(file: str = "casino_train.json.gz") -> list[Row]:
    """The conversations of a file; `points` are those that the two were paid for."""
    with gzip.open(folder() / file, "rt", encoding="utf-8") as source:
        return [_of_casino(one) for one in json.load(source)]


def _of_casino(one: dict[str, Any]) -> Row:
    people = dict(zip(sorted(one["participant_info"]), NAMES, strict=True))
    log = one["chat_logs"]
    deeds = [line for line in log if line["text"] in _DEEDS]
    label: Row = {"outcome": "nothing"}
    if deeds and deeds[-1]["text"] == "Accept-Deal":
        submitted = next(line for line in reversed(deeds) if line["text"] == "Submit-Deal")
        whose = "issue2youget" if people[submitted["id"]] == NAMES[0] else "issue2theyget"
        got = {good: int(n) for good, n in submitted["task_data"][whose].items()}
        label = {"outcome": "agreed", "terms": {_packages(good): n for good, n in got.items()}}
    elif not deeds or deeds[-1]["text"] != "Walk-Away":
        raise ValueError(f"{one['dialogue_id']}: neither a deal nor none")
    worth = [
        {
            _packages(good): POINTS[priority]
            for priority, good in one["participant_info"][who]["value2issue"].items()
        }
        for who in people
    ]
    return {
        "id": f"casino-{one['dialogue_id']}",
        "kind": CASINO,
        "context": f"{' and '.join(NAMES)} are about to go camping, each on a trip of their own. "
        "There are extra packages of food, water and firewood to divide between them.",
        "people": NAMES,
        "goals": [_goal(dict.fromkeys(values, 3), values) for values in worth],
        "lines": [
            (people[line["id"]], "speak", line["text"])
            for line in log
            if line["text"] not in _DEEDS and line["text"].strip()
        ],
        "labels": [label],
        "points": [one["participant_info"][who]["outcomes"]["points_scored"] for who in people],
    }


def _packages(good: str) -> str:
    return f"packages of {good.lower()}"


def deal_or_no_deal() -> list[Row]:
    """The conversations of the validation split, each once, those that broke off left out.

    Where the two submitted different deals, the record holds no common one: "cannot tell".
    """
    with gzip.open(folder() / "dealornodeal_val.txt.gz", "rt", encoding="utf-8") as source:
        rows = list(source)
    found: dict[frozenset[str], Row] = {}
    for number, line in enumerate(rows, 1):
        text, output = _part(line, "dialogue"), _part(line, "output").split()
        turned = re.sub("YOU:|THEM:", lambda w: "THEM:" if w[0] == "YOU:" else "YOU:", text)
        if output[0] != "<disconnect>":
            found.setdefault(
                frozenset((text, turned)), _of_deal(f"deal-{number}", line, text, output)
            )
    return list(found.values())


def _of_deal(id: str, line: str, text: str, output: Sequence[str]) -> Row:
    goods = ("books", "hats", "balls")
    mine, theirs = (
        [int(n) for n in _part(line, name).split()] for name in ("input", "partner_input")
    )
    counts = dict(zip(goods, mine[::2], strict=True))
    label: Row = {"outcome": "nothing"}
    if output[0] == "<disagree>":
        label = {"outcome": "cannot tell"}
    elif output[0] != "<no_agreement>":
        got = [int(part.partition("=")[2]) for part in output]
        if [a + b for a, b in zip(got[:3], got[3:], strict=True)] != mine[::2]:
            raise ValueError(f"{id}: a deal that does not divide everything")
        label = {"outcome": "agreed", "terms": dict(zip(goods, got[:3], strict=True))}
    who = {"YOU": NAMES[0], "THEM": NAMES[1]}
    lines = [part.strip().partition(": ") for part in text.split("<eos>")]
    return {
        "id": id,
        "kind": DEAL,
        "context": f"{' and '.join(NAMES)} divide some books, hats and balls between them. What "
        "they are worth to either is not known to the other.",
        "people": NAMES,
        "goals": [
            _goal(counts, dict(zip(goods, one[1::2], strict=True))) for one in (mine, theirs)
        ],
        "lines": [(who[w], "speak", said) for w, _, said in lines if said != "<selection>"],
        "labels": [label],
    }


def _part(line: str, name: str) -> str:
    found = re.search(rf"<{name}> (.*?) </{name}>", line)
    assert found, name
    return found[1]


def _goal(counts: dict[str, int], values: dict[str, int]) -> Row:
    return {"kind": "division", "counts": counts, "values": values}


def row_of(found: Row) -> Row:
    """The row as a set holds it."""
    return {name: value for name, value in found.items() if name != "points"}


def drawn(rows: Sequence[Row], most: int, seed: int) -> list[Row]:
    """So many with words in them, by lot."""
    spoken = [row for row in rows if row["lines"]]
    return sorted(spoken, key=lambda row: digest("human", seed, row["id"]))[:most]


def written(out: Path, each: int, seed: int) -> Iterator[Path]:
    """Write a set of so many of each; the files."""
    out.mkdir(parents=True)
    manifest = out / "set.toml"
    about = "People's negotiations; the label is what they did, which is not always what they said."
    manifest.write_text(f'world = "sotopia"\nkind = "outcome"\nabout = "{about}"\n')
    yield manifest
    for name, rows in (("casino", casino()), ("deal", deal_or_no_deal())):
        path = out / f"{name}.jsonl"
        lines = [json.dumps(row_of(row), ensure_ascii=False) for row in drawn(rows, each, seed)]
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        yield path


if __name__ == "__main__":
    wanted = argparse.ArgumentParser(description=__doc__)
    wanted.add_argument("out", type=Path, help="a folder to make, outside the repository")
    wanted.add_argument("--each", type=int, default=20)
    wanted.add_argument("--seed", type=int, default=1)
    given = wanted.parse_args()
    for path in written(given.out, given.each, given.seed):
        print(path)
