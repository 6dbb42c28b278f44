"""Every prompt that an imported set renders is well formed: one of our own forms, and the real one
where a copy of the authors' repository is at hand ($SOCIOLAB_STSS_CLONE)."""

from __future__ import annotations

import asyncio
import os
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from fake_models import ImprovisingModel
from generative_minds import Marionette
from puppet_town import lived
from sociolab.core import Prompt
from sociolab.engine import FailurePolicy
from sociolab.prompting import PromptSet, load_set
from sociolab.town import Decision, Ratings, Utterance, build_prompt
from sociolab.town.questions.generative import (
    Activity,
    MemoryRating,
    Subtask,
    Subtasks,
    ThingState,
)
from sociolab.worlds import stss
from sociolab.worlds.stss.importing.prompts import JUDGED, TEMPLATES, import_prompts
from sociolab.worlds.stss.talk.model_judge import TalkModelJudge
from sociolab.worlds.stss.world import GENERATIVE_TEMPLATES, PACKAGE
from worlds.stss.talk.talk_scenarios import scenarios

HEAD = "!<INPUT 0>! -- explained\n<commentblockmarker>###</commentblockmarker>\n"
PLANNER = '''
def say(self, speaker):
    plan_info = f"""{speaker.name} aims at:
{self.task_desc}
Plan:
{self.general_plan}
List:
{self.conversation_reminder}
"""
'''


def write_own(folder: Path) -> Path:
    """A folder with a template of our own for each that is known: every input on its own line."""
    optional = ('""', "note", "routine")
    names = {
        name: [n for n, value in enumerate(inputs) if value not in optional]
        for name, (_, inputs) in TEMPLATES.items()
    }
    for what in ("conversation", "summary"):
        for name, numbers in JUDGED.values():
            count = [*range(7 if len(numbers) == 4 else 4)]
            names[f"tgp_prompt_templates/eval_{what}_{name}_v1"] = [*count]
    names["tgp_prompt_templates/iterative_convo_v1"].append(14)
    for name, count in names.items():
        lines = "\n".join(f"!<INPUT {n}>!" if n == 14 else f"{n} of <!<INPUT {n}>!>" for n in count)
        path = folder / f"{name}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        form = "\nThe output has this format:\n1. ...\n" if "eval_" in name else ""
        path.write_text(f"{HEAD}{lines}\nWhich {{one}}?{form}", "utf-8")
    (folder / "main_plan.py").write_text(PLANNER, "utf-8")
    return folder


@pytest.fixture(scope="module", params=["own", "theirs"])
def texts(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> PromptSet:
    folder = tmp_path_factory.mktemp("prompts")
    source = write_own(folder / "own")
    if request.param == "theirs":
        clone = os.environ.get("SOCIOLAB_STSS_CLONE", "")
        if not clone:
            pytest.skip("SOCIOLAB_STSS_CLONE names no copy of the authors' repository")
        source = Path(clone)
    import_prompts(source, folder / "set", request.param)
    texts = load_set(PACKAGE, str(folder / "set"), GENERATIVE_TEMPLATES)
    known = request.param == "theirs"
    assert (texts.standing == "verified original") == known
    return texts


def problems(prompt: str) -> list[str]:
    """What is ill-formed in a prompt."""
    kinds = {
        "an input left": r"!<INPUT",
        "an empty pair": r"\{ *\}|\[ *\]|\( *\)|<>|None",
        "a list in brackets": r"[{\[]- ",
        "a lost line break": r"[a-z0-9][.:?!][A-Z]",
        "two full stops": r"[a-z0-9]\.\.(?!\.)",
        "nothing behind a label": r"^[A-Z][A-Za-z ]+: *\n\n(?!<|PART|Answer with)",
    }
    plain = re.sub(r'"[^"]*"', '""', prompt)  # forms of replies, and what somebody said
    return [
        f"{kind}: {match[0]!r} in {plain[max(0, match.start() - 60) : match.end() + 40]!r}"
        for kind, pattern in kinds.items()
        if (match := re.search(pattern, plain, re.MULTILINE))
    ]


def react(question: Any) -> Decision:
    """Talk where that can be; else change plans now and then."""
    if question.may_talk:
        return Decision(do="talk", why="I have something to ask.")
    return Decision(do="change plan" if question.meta.step % 3 else "carry on", why="It is late.")


def test_prompts_of_a_town_are_well_formed(texts: PromptSet) -> None:
    own = stss.own_town(1)
    task = next(task for task in own.tasks if task.id == "kite-evening")
    task = task.model_copy(update={"background": task.background[:5]})
    people = tuple(one for one in own.residents if one.id in {task.performer, *task.background})
    content = stss.Content(task=task, residents=people, town=stss.pack_map(own.town))
    settings = stss.StssSettings(step=60, tdp=True, mind="generative-agents")
    mind = Marionette(
        react=react,
        rate_importance=lambda question: Ratings(ratings=(10,) * len(question.texts)),
        importance=lambda _: MemoryRating(rating=10),
        hourly_schedule=lambda question: Activity(what=f"mending chair {question.start:%H}"),
        task_decomposition=lambda question: Subtasks(
            subtasks=tuple(Subtask(minutes=15, what=f"glueing leg {n}") for n in range(1, 5))
        ),
        object_state=lambda question: ThingState(state=f"in use by {question.me.now:%H}"),
    )
    lived(mind, stss.make_setting(content, settings, FailurePolicy(), "read", 1))
    read: dict[str, set[str]] = {}
    for question in mind.asked:
        body = build_prompt(question, texts, 1.0).messages[1].text
        read.setdefault(question.template(), set()).add(body)
    assert {name for name, _ in TEMPLATES.values()} <= read.keys()
    found = {name: problems(body) for name, bodies in read.items() for body in bodies}
    assert not {name: wrong for name, wrong in found.items() if wrong}
    (talk, *_) = [each for each in mind.asked if each.name == "utter"]
    own_plan = {"goal": task.goal, "plan": ("Ask her.",), "checklist": ("the hour",)}
    body = build_prompt(replace(talk, **own_plan), texts, 1.0).messages[1].text
    assert all(text in body for text in (task.goal, "Ask her.", "the hour"))
    assert not problems(body)
    assert all(task.goal in body for body in read["general_plan"])


def test_prompts_of_the_judge_are_well_formed(texts: PromptSet) -> None:
    read: list[str] = []

    class Listening(ImprovisingModel):
        async def complete(self, prompt: Prompt, key: Any) -> Any:
            read.append(prompt.messages[1].text)
            return await super().complete(prompt, key)

    model = Listening()
    judge = TalkModelJudge(model, texts)
    seen = set()
    for one in scenarios():
        if one.task.type in seen:
            continue
        seen.add(one.task.type)
        resident = one.performer.resident
        lines = [Utterance(resident.id, resident.name, "Come tomorrow, will you?")]
        asyncio.run(judge.in_talk(judge.reader("t"), one.occasion, lines))
        asyncio.run(judge.in_note(judge.reader("t"), one.occasion, "I was asked to come."))
    assert seen == set(JUDGED)
    assert not [found for one in read if (found := problems(one))]
    assert all("statement_1" in one and "format:" not in one for one in read)


def test_a_set_with_another_word_is_no_original(tmp_path: Path) -> None:
    import_prompts(write_own(tmp_path / "own"), tmp_path / "set", "own")
    before = load_set(PACKAGE, str(tmp_path / "set"), GENERATIVE_TEMPLATES)
    for name, same in (("head.md", False), ("general_plan.md", False)):
        path = tmp_path / "set" / name
        path.write_text(path.read_text("utf-8").replace("one", "two", 1) + " ", "utf-8")
        after = load_set(PACKAGE, str(tmp_path / "set"), GENERATIVE_TEMPLATES)
        assert (after.authors_hash == before.authors_hash) == same
