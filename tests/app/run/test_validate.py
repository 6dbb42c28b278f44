"""Readers and judges beside labels: figures by hand, what resumes, what is wrong with a set."""

from __future__ import annotations

import json
import shutil
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from statsmodels.stats.proportion import proportion_confint

from own_code import writer
from sociolab.app import ValidationConfig, load_world, validate
from sociolab.app.run.validate import document, section
from sociolab.core import ConfigError
from sociolab.endpoint import EndpointServer, EndpointSettings, start_in_thread

REPOSITORY = Path(__file__).parents[3]

GOALS = [
    {"kind": "price", "role": role, "item": "the lamp", "listed": 50, "target": 40}
    for role in ("seller", "buyer")
]
LINES = [["Ann", "speak", "{price} for the lamp?"], ["Bo", "speak", "Fine with me then."]]


def row(id: str, said: str, *labels: object) -> dict[str, Any]:
    """A conversation in which Ann asks this price; a label is a price, None, or "?"."""
    return {
        "id": id,
        "context": "Ann sells a lamp to Bo.",
        "people": ["Ann", "Bo"],
        "goals": GOALS,
        "lines": [["Ann", "speak", f"{said} for the lamp?"], LINES[1]],
        "labels": [
            {"outcome": "cannot tell"}
            if label == "?"
            else {"outcome": "nothing"}
            if label is None
            else {"outcome": "agreed", "terms": label}
            for label in labels
        ],
    }


ROWS = [
    row("right", "40", 40),
    row("either", "41", "?", None),
    row("none", "42", None),
    row("mistaken", "43", 44),
    row("missed", "nothing", 45),
    row("invented", "46", None),
    row("no-figure", "47", "?"),
    row("unsure", "maybe", 48),
    row("no-quote", "elsewhere", 49),
]
"""3 of 9 answers are right, 4 wrong (mistaken, missed, 2 invented), 1 cannot tell, 1 fails."""


def answer(prompt: str) -> str:
    """A reader that believes that the price which is asked is paid; but see ROWS."""
    said = prompt.split("Ann: ")[1].split(" for the lamp")[0]
    reply: dict[str, Any] = {"outcome": "agreed", "price": None, "in_words": ""}
    reply |= {"offer": f"{said} for the lamp?", "acceptance": "Fine with me then."}
    if said in ("nothing", "42"):
        return json.dumps(reply | {"outcome": "nothing" if said == "nothing" else "still open"})
    if said in ("maybe", "41"):
        return json.dumps(reply | {"outcome": "cannot tell"})
    if said == "elsewhere":
        return json.dumps(reply | {"price": 49, "acceptance": "Sold to the lady."})
    return json.dumps(reply | {"price": float(said)})


@pytest.fixture
def endpoint() -> Iterator[EndpointServer]:
    def respond(chat: Any) -> str:
        return answer(next(m.text for m in chat.messages if m.role == "user"))

    with start_in_thread(EndpointSettings(responder=respond)) as running:
        yield running


def written(folder: Path, rows: list[dict[str, Any]], **manifest: str) -> Path:
    """A set in a folder."""
    folder.mkdir(exist_ok=True)
    fields = {"world": "sotopia", "kind": "outcome"} | manifest
    text = "".join(f"{name} = {json.dumps(value)}\n" for name, value in fields.items())
    (folder / "set.toml").write_text(text)
    (folder / "rows.jsonl").write_text("".join(f"{json.dumps(one)}\n" for one in rows))
    return folder


def config(tmp_path: Path, data: Path, **more: Any) -> ValidationConfig:
    return ValidationConfig.model_validate(
        {"judge": "openai/m", "data": data, "store": tmp_path / "s.db", **more}
    )


def test_agreement_counts_what_is_right_and_wrong_and_nothing_else(
    tmp_path: Path, endpoint: EndpointServer
) -> None:
    data = written(tmp_path / "lamps", ROWS, about="Made up for this test.")
    found = validate(config(tmp_path, data, base_url=endpoint.url))
    assert {one.item.id: one.outcome for one in found.compared} == {
        "right": "right",
        "either": "right",
        "none": "right",
        "mistaken": "mistaken",
        "missed": "missed",
        "invented": "invented",
        "no-figure": "invented",
        "unsure": "cannot tell",
        "no-quote": "failed",
    }
    (row,) = found.findings
    agreement: Any = row.estimate
    assert (row.about, str(row.figure("items")), agreement.n) == ({"kind": "price"}, "9 items", 7)
    assert agreement.value == pytest.approx(3 / 7)
    # A rate of single items: Clopper and Pearson's of 3 in 7.
    ends = proportion_confint(3, 7, method="beta")
    assert (agreement.low, agreement.high) == pytest.approx(ends)
    assert found.judge.label == "reader:openai/m"
    shown = document(found)
    assert shown["agreement"][0] | {"low": 0, "high": 0} == {
        "kind": "price", "items": 9, "points": 9, "right": 3, "missed": 1, "invented": 2,
        "mistaken": 1, "cannot_tell": 1, "failed": 1, "agreement": pytest.approx(3 / 7),
        "low": 0, "high": 0, "interval": "end", "note": "",
    }  # fmt: skip
    (mistaken,) = (one for one in shown["answers"] if one["item"] == "mistaken")
    assert (mistaken["labels"], mistaken["answer"]) == (["$44"], "$43")
    assert mistaken["text"] == ["Ann: 43 for the lamp?", "Bo: Fine with me then."]
    assert 'turn 2: "Fine with me then"' in mistaken["shown"]
    told = section(found)
    assert told.cautions == ("Made up for this test.",)
    differences = [cells[0] for cells in told.tables[1].rows]
    assert differences == ["missed", "invented", "no-figure", "mistaken", "unsure", "no-quote"]


def test_the_same_command_asks_nothing_again(tmp_path: Path, endpoint: EndpointServer) -> None:
    data = written(tmp_path / "lamps", ROWS[:3])
    first = validate(config(tmp_path, data, base_url=endpoint.url, limit=2))
    assert len(first.compared) == 2
    every = validate(config(tmp_path, data, base_url=endpoint.url))
    assert endpoint.counters.requests == 3
    assert document(validate(config(tmp_path, data, base_url=endpoint.url))) == document(every)
    assert endpoint.counters.requests == 3
    # A smaller draw is a part of the larger one.
    smaller = {one.item.id for one in first.compared}
    assert smaller < {one.item.id for one in every.compared}


def test_a_spent_budget_stops_and_says_what_is_left(
    tmp_path: Path, endpoint: EndpointServer
) -> None:
    data = written(tmp_path / "lamps", ROWS)
    prices = tmp_path / "models.toml"
    prices.write_text('[prices."openai/m"]\ninput = 1e6\noutput = 1e6\n')
    found = validate(
        config(tmp_path, data, base_url=endpoint.url, models=prices, budget=0.001, in_flight=1)
    )
    assert "budget" in found.stopped
    assert found.waiting == len(ROWS) - len(found.compared)


OWN = """
from sociolab.core.score import JudgeId, Score, Unscored
from sociolab.worlds.sotopia.evaluation import GOAL_CHECKED

class Judge:
    id = JudgeId("own", "rules", "1")

    async def judge(self, episode, judging=0):
        if episode.trial.id == "none":
            raise ValueError("lost")
        if episode.trial.id == "unsure":
            return [Unscored(GOAL_CHECKED, "first", "hm")]
        return [Score(GOAL_CHECKED, seat, 6) for seat in episode.trial.task.seats]
"""


def test_a_judge_of_ones_own_is_held_against_the_scores_that_labels_make(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    spec = writer(tmp_path)("own_lamp_judge", OWN)
    wanted = [
        one for one in ROWS if one["id"] in ("right", "none", "missed", "unsure", "no-figure")
    ]
    data = written(tmp_path / "lamps", wanted)
    found = validate(config(tmp_path, data, judge=f"{spec}:Judge"))
    # 40 is both targets: 6 of 10 to each. 45: 6 + 5 / 2 = 8.5 to the seller, 3.5 to the buyer.
    given = [(one.item.id, one.point.right, one.answer.text, one.outcome) for one in found.compared]
    assert given == [
        ("right", ("6",), "6", "right"),
        ("right", ("6",), "6", "right"),
        ("none", ("0",), None, "failed"),
        ("none", ("0",), None, "failed"),
        ("missed", ("8.5",), "6", "mistaken"),
        ("missed", ("3.5",), "6", "mistaken"),
        ("no-figure", ("cannot tell",), "6", "invented"),
        ("no-figure", ("cannot tell",), "6", "invented"),
        ("unsure", ("10",), "cannot tell", "cannot tell"),
        ("unsure", ("2",), None, "failed"),
    ]
    assert "lost" in found.compared[2].answer.evidence


def test_a_judge_of_ones_own_is_refused_where_no_label_makes_a_score(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    spec = writer(tmp_path)("judge_without_items", OWN)
    source = REPOSITORY / "validation" / "stss-talk"
    row = json.loads((source / "dev.jsonl").read_text("utf-8").splitlines()[0])
    of_one_level = {name: value for name, value in row.items() if not name.startswith("note")}
    data = tmp_path / "talks"
    data.mkdir()
    shutil.copy(source / "set.toml", data)
    (data / "rows.jsonl").write_text(json.dumps(of_one_level), "utf-8")
    with pytest.raises(ConfigError, match="expected items whose labels make scores, found none"):
        validate(config(tmp_path, data, judge=f"{spec}:Judge"))


def test_nothing_that_was_answered_is_no_failure(tmp_path: Path, endpoint: EndpointServer) -> None:
    prices = tmp_path / "models.toml"
    prices.write_text('[prices."openai/m"]\ninput = 1e6\noutput = 1e6\n')
    data = written(tmp_path / "lamps", ROWS)
    found = validate(config(tmp_path, data, base_url=endpoint.url, models=prices, budget=1e-9))
    assert (found.compared, found.in_vain) == ((), False)


ASKS = """
from sociolab.core.score import JudgeId, Score
from sociolab.worlds.sotopia.evaluation import GOAL_CHECKED

class Judge:
    id = JudgeId("asks", "model", "1")

    def __init__(self, *, models):
        self.models = models

    async def judge(self, episode, judging=0):
        text = await self.models.chat("openai/m", "Ann: 40 for the lamp?")
        value = 6 if "40 for the lamp" in text else 0
        return [Score(GOAL_CHECKED, seat, value) for seat in episode.trial.task.seats]
"""


def test_the_calls_of_a_judge_of_ones_own_are_stored_too(
    tmp_path: Path, endpoint: EndpointServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    spec = writer(tmp_path)("asking_lamp_judge", ASKS)
    wanted = config(
        tmp_path,
        written(tmp_path / "lamps", ROWS[:1]),
        judge=f"{spec}:Judge",
        base_url=endpoint.url,
    )
    for _ in range(2):
        assert [one.outcome for one in validate(wanted).compared] == ["right", "right"]
    assert endpoint.counters.requests == 1


@pytest.mark.parametrize(
    ("manifest", "rows", "told"),
    [
        ({"kind": "talks"}, ROWS, 'kind: expected one that sotopia has (outcome), found "talks"'),
        ({"world": "nowhere"}, ROWS, "nowhere"),
        ({"by": "me"}, ROWS, 'unknown field "by"'),
        ({}, [], "expected *.jsonl with labelled items, found none"),
        ({}, [ROWS[0], ROWS[0]], 'rows.jsonl, line 2: the id "right" is given twice'),
        ({}, [row("a", "40", 40.0) | {"labels": []}], "rows.jsonl, line 1: labels"),
        ({}, [row("a", "40", "forty")], "'forty' is no outcome of these goals"),
        ({}, [row("a", "40", 40) | {"people": ["Ann", "Cy"]}], 'a line of "Bo" (speak)'),
    ],
)
def test_what_is_wrong_with_a_set_is_one_sentence(
    tmp_path: Path, manifest: Mapping[str, str], rows: list[dict[str, Any]], told: str
) -> None:
    data = written(tmp_path / "lamps", rows, **manifest)
    with pytest.raises(ConfigError) as caught:
        validate(config(tmp_path, data))
    assert told in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_folder_without_a_manifest_is_no_set(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"--data: expected a folder with set\.toml"):
        validate(config(tmp_path, tmp_path))


@pytest.mark.parametrize(("name", "items"), [("sotopia", 170), ("stss-talk", 1289)])
def test_every_row_of_the_repository_can_be_read(name: str, items: int) -> None:
    folder = REPOSITORY / "validation" / name
    manifest = tomllib.loads((folder / "set.toml").read_text("utf-8"))
    read = load_world(manifest["world"]).validation[manifest["kind"]]
    text = "\n".join(path.read_text("utf-8").strip() for path in folder.glob("*.jsonl"))
    found = [read(json.loads(line), "unnamed") for line in text.split("\n")]
    assert len({item.id for item in found}) == len(found) == items
    assert all(point.right for item in found for point in item.points)
