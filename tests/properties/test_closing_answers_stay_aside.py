"""What a seat answers at the end, asked what was agreed: nobody but the formula sees it.

A model writes a word into every text of its closing answers that stands nowhere else, and then
everything is looked through that anybody reads or is trained on.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from sociolab import (
    Arena,
    ArenaConfig,
    JudgeConfig,
    RunConfig,
    judge_run,
    result_of,
    run,
)
from sociolab.app import AuditConfig, CreditConfig, credit_run
from sociolab.app.audit import audit
from sociolab.app.credit import stories_of
from sociolab.app.results import shown_run
from sociolab.app.search_index import index_step
from sociolab.app.transcripts import transcript_of
from sociolab.core import Answered, Episode
from sociolab.endpoint import ChatBody, EndpointSettings, start_in_thread
from sociolab.prompting import Draw, sample_value
from sociolab.report import play_text, render_page, transcript_view
from sociolab.report.export import play_markdown
from sociolab.store import Store
from sociolab.training import ExportOptions, Observed, export_training
from sociolab.web.watch.api import transcript_record
from sociolab.web.watch.episode import read_episode
from sociolab.web.watch.search import search
from sociolab.worlds import sotopia
from training_cases import play_out

CANARY = "Xanthippe"
RUN = "canary"
SPEC = {"agents": ("openai/x", "openai/y"), "judges": ("openai/j",), "readers": ("openai/r",)}


@dataclass(frozen=True)
class Played:
    """A run in which every closing answer holds the word, and all that was said to models."""

    outcome: str
    path: Path
    url: str
    prompts: tuple[str, ...]

    def look(self, find: Callable[[Store, Episode], object]) -> list[str]:
        """What this finds, as text, in each episode."""
        with Store.open(self.path, create=False) as store:
            return [repr(find(store, episode)) for episode in store.episodes(RUN)]


class Model:
    """Says something else each time; at the end, with that word, that this came of it."""

    def __init__(self, outcome: str) -> None:
        self.outcome, self.prompts = outcome, list[str]()
        self._chance = random.Random(7)

    def __call__(self, chat: ChatBody) -> str:
        self.prompts.append("\n".join(message.text for message in chat.messages))
        if "The scene is over; no turn will follow." in chat.messages[-1].text:
            return self._closing(json.loads(chat.schema)["properties"])
        draw = Draw(self._chance, 40)
        return json.dumps(sample_value(json.loads(chat.schema), draw))

    def _closing(self, fields: dict[str, Any]) -> str:
        if self.outcome == "unreadable":
            return f"I will not say, {CANARY}."
        answer: dict[str, Any] = dict.fromkeys(fields)
        answer |= dict.fromkeys(("in_words", "offer", "acceptance"), f"{CANARY}, I believe")
        answer["outcome"] = self.outcome
        if self.outcome == "agreed":
            for name in fields.keys() - {"outcome", "in_words", "offer", "acceptance"}:
                chosen = fields[name]["anyOf"][0]
                answer[name] = next(iter(chosen.get("enum", [chosen.get("const", 1)])))
        return json.dumps(answer)


@pytest.fixture(
    scope="module", params=["agreed", "something else", "still open", "nothing", "unreadable"]
)
def played(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Any]:
    path = tmp_path_factory.mktemp("canary") / "s.db"
    model = Model(request.param)
    with start_in_thread(EndpointSettings(responder=model)) as endpoint:
        config = RunConfig(
            **SPEC, tasks="bargain,division,norms", settings={"turns": "4"}, limit=3, repeats=2,
            name=RUN, store=path, base_url=endpoint.url,
        )  # fmt: skip
        run(config)
        more = JudgeConfig(judges=("openai/k",), readers=("openai/s",), store=path)
        judge_run(RUN, more.model_copy(update={"base_url": endpoint.url}), repeats=1)
        out = path.with_name("credit.jsonl")
        credit_run(
            CreditConfig(run=RUN, judge="openai/c", out=out, store=path, base_url=endpoint.url)
        )
        audit(
            AuditConfig(
                run=RUN, judge="openai/j", limit=2, repeats=1, store=path, base_url=endpoint.url
            )
        )
        yield Played(request.param, path, endpoint.url, tuple(model.prompts))


def test_the_word_is_in_the_record(played: Played) -> None:
    answers = played.look(lambda _, e: [v for v in e.events if CANARY in repr(v)])
    assert any(CANARY in one for one in answers)
    if played.outcome != "unreadable":
        with Store.open(played.path, create=False) as store:
            given = [
                e for one in store.episodes(RUN) for e in one.events if isinstance(e, Answered)
            ]
        assert given
        assert {(event.question, event.optional) for event in given} == {(sotopia.CLOSING, True)}


def test_no_model_is_told_it(played: Played) -> None:
    """But the one that gave an answer that could not be read, and is asked again."""
    told_it = [prompt for prompt in played.prompts if CANARY in prompt]
    if played.outcome == "unreadable":
        assert all("could not be used" in prompt for prompt in told_it)
    else:
        assert told_it == []
    with Store.open(played.path, create=False) as store:
        roles = set()
        for row in store.runs():
            for call, prompt in store.calls.with_prompts(row.name):
                roles.add(call.call.role)
                if call.call.role == "judge":
                    assert CANARY not in repr(prompt)
    assert roles == {"agent", "judge"}


def test_no_transcript_holds_it(played: Played) -> None:
    def transcripts(_: Store, episode: Episode) -> list[object]:
        seats = episode.trial.task.seats
        whole = transcript_of(episode)
        read = transcript_view(episode, whole, ())
        return [
            whole,
            *(transcript_of(episode, seat) for seat in seats),
            play_text(read),
            play_markdown(read),
            transcript_record(whole),
            sotopia.rated_scene(episode),
        ]

    def on_a_page(store: Store, episode: Episode) -> object:
        seats = (None, *episode.trial.task.seats)
        pages = [read_episode(store, RUN, episode.trial.id, seat, CANARY) for seat in seats]
        return [(one.scene, one.course, one.view.course) for one in pages]

    assert not any(CANARY in one for one in played.look(transcripts))
    assert not any(CANARY in one for one in played.look(on_a_page))


def test_a_report_holds_it_in_the_reason_of_a_score_at_most(played: Played) -> None:
    with Store.open(played.path, create=False) as store:
        html = render_page([shown_run(store, result_of(store, RUN))])
        reasons = [row for row in store.verdicts.scores(RUN) if CANARY in repr(row.verdict)]
    assert {row.judge.name for row in reasons} <= {"reported"}
    assert bool(reasons) == (played.outcome == "something else")
    assert reasons or CANARY not in html


def test_no_search_finds_it(played: Played) -> None:
    with Store.open(played.path, create=False) as store:
        assert index_step(store, seconds=60).complete
        assert search(store, CANARY) == ((), False)
        assert store.search.find(CANARY[:4]) == ()


@pytest.mark.parametrize("form", ["turns", "sft", "whole", "pairs"])
def test_no_training_file_holds_it(played: Played, form: str, tmp_path: Path) -> None:
    file = tmp_path / "t.jsonl"
    wanted = ExportOptions(
        "sft" if form == "whole" else form,
        measures=("overall",),
        by="openai/j",
        whole=form == "whole",
    )
    export_training([RUN], file, wanted, played.path)
    text = file.read_text("utf-8")
    assert text
    assert CANARY not in text
    assert f'"asked": "{sotopia.CLOSING}"' not in text


def test_no_judge_of_turns_reads_it_or_writes_it(played: Played) -> None:
    assert CANARY not in played.path.with_name("credit.jsonl").read_text("utf-8")
    with Store.open(played.path, create=False) as store:
        assert CANARY not in repr([story for _, story in stories_of(store, RUN, ("goal",), None)])


def test_no_policy_observes_it(played: Played) -> None:
    seen: list[Observed] = []

    def policy(observed: Observed) -> str:
        seen.append(observed)
        return '{"action": "speak", "text": "Hello."}'

    config = ArenaConfig(settings={"turns": "4"}, base_url=played.url, attempts=1)
    with Arena(
        tasks="bargain", partner="openai/p", judge="openai/j", reader="openai/r", config=config
    ) as arena:
        play_out(arena, policy, 3)
    assert {one.request_name for one in seen} == {"act", sotopia.CLOSING}
    assert not any(CANARY in repr((one.prompt, one.new, one.observation)) for one in seen)
