"""Thoughts, chat marks and invented turns, as chat templates of model families write them."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from typing import NamedTuple

import pytest
from hypothesis import given, settings, strategies as st

from properties.test_parsers_are_linear import is_linear
from sociolab.agents import read_json, read_plain
from sociolab.core import Action, ReplyError
from sociolab.prompting import extract_spoken
from sociolab.prompting.channels import FAMILIES, extract_reply
from sociolab.worlds import sotopia

BAR = "\uff5c"
DRAFTS = 'I sold the ring.\nspeak: A draft.\n{"action": "leave", "text": ""}\nleave\nHm.'
SPOKEN = Action(sotopia.SPEAK, "Good morning.")


class Template(NamedTuple):
    """How a chat template begins the assistant's turn, writes its thought and its answer (%s), and
    begins the user's next turn."""

    own: str
    thinking: str
    answer: str
    user: str


GPT_OSS = "<|channel|>analysis<|message|>%s<|end|><|start|>assistant"
THINK = "<think>\n%s\n</think>\n\n"
TEMPLATES = {
    "gpt-oss": Template(
        "<|start|>assistant",
        GPT_OSS,
        "<|channel|>final<|message|>%s<|return|>",
        "<|start|>user<|message|>",
    ),
    "gpt-oss, asked for JSON": Template(
        "<|start|>assistant",
        GPT_OSS,
        "<|channel|>final <|constrain|>json<|message|>%s<|end|>",
        "<|start|>user<|message|>",
    ),
    "gpt-oss, a preamble": Template(
        "<|start|>assistant",
        "<|channel|>commentary<|message|>%s<|end|><|start|>assistant",
        "<|channel|>final<|message|>%s<|end|>",
        "<|start|>user<|message|>",
    ),
    "gpt-oss, special tokens left out": Template("", "analysis%sassistantfinal", "%s", ""),
    "Muse": Template(
        "<|start|>assistant to=user<|message|>",
        "<|start|>assistant to=self<|message|>%s<|eom|><|start|>assistant to=user<|message|>",
        "%s<|eot|>",
        "<|start|>user<|message|>",
    ),
    "Solar Open": Template(
        "<|begin|>assistant",
        "<|think|>%s<|end|><|begin|>assistant",
        "<|content|>%s<|end|>",
        "<|begin|>user<|content|>",
    ),
    "Qwen3": Template("<|im_start|>assistant\n", THINK, "%s<|im_end|>\n", "<|im_start|>user\n"),
    "Llama 3": Template(
        "<|start_header_id|>assistant<|end_header_id|>\n\n",
        "",
        "%s<|eot_id|>",
        "<|start_header_id|>user<|end_header_id|>\n\n",
    ),
    "Ministral": Template("[/INST]", "[THINK]%s[/THINK]", "%s</s>", "[INST]"),
    "DeepSeek V3": Template(
        f"<{BAR}Assistant{BAR}>",
        "<think>%s</think>",
        f"%s<{BAR}end\u2581of\u2581sentence{BAR}>",
        f"<{BAR}User{BAR}>",
    ),
    "Gemma 2": Template("<start_of_turn>model\n", "", "%s<end_of_turn>\n", "<start_of_turn>user\n"),
    "Gemma 4": Template(
        "<|turn>model\n", "<|channel>thought\n%s\n<channel|>", "%s<turn|>\n", "<|turn>user\n"
    ),
    "Command R7B": Template(
        "<|START_OF_TURN_TOKEN|><|CHATBOT_TOKEN|>",
        "<|START_THINKING|>%s<|END_THINKING|>",
        "<|START_RESPONSE|>%s<|END_RESPONSE|><|END_OF_TURN_TOKEN|>",
        "<|START_OF_TURN_TOKEN|><|USER_TOKEN|>",
    ),
    "Cohere MoE": Template(
        "<|START_OF_TURN_TOKEN|><|CHATBOT_TOKEN|>",
        "<|START_THINKING|>%s<|END_THINKING|>",
        "<|START_TEXT|>%s<|END_TEXT|><|END_OF_TURN_TOKEN|>",
        "<|START_OF_TURN_TOKEN|><|USER_TOKEN|><|START_TEXT|>",
    ),
    "Phi 3.5": Template("<|assistant|>\n", "", "%s<|end|>\n", "<|user|>\n"),
    "GLM 4.6": Template("<|assistant|>", "\n<think>%s</think>\n", "%s", "<|user|>\n"),
    "Granite 3.3": Template(
        "<|start_of_role|>assistant<|end_of_role|>",
        "<think>%s</think>",
        "<response>%s</response><|end_of_text|>\n",
        "<|start_of_role|>user<|end_of_role|>",
    ),
    "Kimi K2": Template(
        "<|im_assistant|>assistant<|im_middle|>",
        "<think>%s</think>",
        "%s<|im_end|>",
        "<|im_user|>user<|im_middle|>",
    ),
    "Kimi VL": Template("", "\u25c1think\u25b7%s\u25c1/think\u25b7", "%s[EOS]", ""),
    "Kimi K3": Template(
        '<|open|>message role="assistant"<|sep|>',
        "<|open|>think<|sep|>%s<|close|>think<|sep|>",
        "<|open|>response<|sep|>%s<|close|>response<|sep|><|close|>message<|sep|><|end_of_msg|>",
        '<|open|>message role="user"<|sep|>',
    ),
    "Apertus": Template(
        "<|assistant_start|>",
        "<|inner_prefix|>%s<|inner_suffix|>",
        "%s<|assistant_end|>",
        "<|user_start|>",
    ),
    "Apriel 1.6": Template(
        "<|begin_assistant|>\n", "%s\n[BEGIN FINAL RESPONSE]\n", "%s\n<|end|>\n", "<|begin_user|>\n"
    ),
    "Seed-OSS": Template(
        "<seed:bos>assistant\n", "<seed:think>%s</seed:think>\n", "%s<seed:eos>", "<seed:bos>user\n"
    ),
    "MiniMax M2": Template("]~b]ai\n", "<think>\n%s\n</think>\n\n", "%s[e~[\n", "]~b]user\n"),
    "MiniMax M3": Template("]~b]ai\n", "<mm:think>%s</mm:think>", "%s[e~[\n", "]~b]user\n"),
    "EXAONE Deep": Template(
        "[|assistant|]", "<thought>\n%s\n</thought>\n\n", "%s[|endofturn|]\n", "[|user|]"
    ),
    "Hunyuan 3": Template(
        f"<{BAR}hy_Assistant:opensource{BAR}>",
        "<think:opensource>%s</think:opensource>",
        f"%s<{BAR}hy_eos:opensource{BAR}>",
        f"<{BAR}hy_User:opensource{BAR}>",
    ),
    "Ling 3": Template(
        "<role>ASSISTANT</role>\n", "<think>%s</think>", "%s<|role_end|>", "<role>HUMAN</role>"
    ),
    "GigaChat 3": Template(
        "assistant<|role_sep|>\n", "", "%s<|message_sep|>\n\n", "user<|role_sep|>\n"
    ),
    "Nemotron Nano 2": Template(
        "<SPECIAL_11>Assistant\n", THINK, "%s\n<SPECIAL_12>\n", "<SPECIAL_11>User\n"
    ),
    "Laguna": Template("<assistant>\n", THINK, "%s\n</assistant>\n", "<user>\n"),
    "Reka": Template("assistant: ", THINK, "%s\n\n<sep>", "user: "),
    "<thinking>": Template("", "<thinking>%s</thinking>\n", "%s", ""),
    "<reasoning>": Template("", "<reasoning>\n%s\n</reasoning>\n", "<answer>%s</answer>", ""),
    "in capitals": Template("", "<THINK>%s</THINK>\n", "%s", ""),
    "with attributes": Template("", '<think duration="3">%s</think>\n', "%s", ""),
}  # fmt: skip
THINKING = {name: template for name, template in TEMPLATES.items() if template.thinking}
"""Not all templates keep the thought; some models have none."""

READERS: dict[str, Callable[[str], tuple[Action, ...]]] = {
    "plain": lambda text: read_plain(text, sotopia.ACTIONS, ("Ada Finch", "Mitchell Novak")),
    "json": lambda text: read_json(text, sotopia.ACTIONS, False),
}
WRITTEN = {"plain": "speak: Good morning.", "json": '{"action": "speak", "text": "Good morning."}'}
ENDED = {name: one for name, one in TEMPLATES.items() if one.answer != "%s" or one.user}
OPENED = {name: one for name, one in THINKING.items() if not one.thinking.startswith("%s")}
CLOSED = {name: one for name, one in THINKING.items() if "%s<|e" not in one.thinking}
"""Where a mark of its own closes the thought: the others end a message."""
every_template = pytest.mark.parametrize("template", TEMPLATES.values(), ids=TEMPLATES)
every_thought = pytest.mark.parametrize("template", THINKING.values(), ids=THINKING)
both = pytest.mark.parametrize("dialect", READERS)


def turn_of(template: Template, thought: str, answer: str) -> str:
    return template.thinking.replace("%s", thought) + template.answer.replace("%s", answer)


@every_template
@both
@pytest.mark.parametrize("own", [False, True], ids=["", "with its header"])
def test_only_the_answer_of_a_turn_is_heard(template: Template, dialect: str, own: bool) -> None:
    turn = turn_of(template, DRAFTS, WRITTEN[dialect])
    assert READERS[dialect](template.own * own + turn) == (SPOKEN,)


@pytest.mark.parametrize("template", ENDED.values(), ids=ENDED)
@both
def test_what_follows_the_end_of_the_turn_is_not_heard(template: Template, dialect: str) -> None:
    turn = turn_of(template, DRAFTS, WRITTEN[dialect])
    again = WRITTEN[dialect].replace("Good morning", "And the ring")
    invented = f"{template.user}And yours?\n{template.own}{again}"
    assert READERS[dialect](turn + invented) == (SPOKEN,)


@pytest.mark.parametrize("template", OPENED.values(), ids=OPENED)
@both
def test_a_draft_in_a_thought_that_does_not_end_is_no_action(
    template: Template, dialect: str
) -> None:
    with pytest.raises(ReplyError, match="reasoning alone"):
        READERS[dialect](template.thinking.partition("%s")[0] + DRAFTS)


@pytest.mark.parametrize("template", OPENED.values(), ids=OPENED)
@both
def test_wherever_a_turn_is_cut_no_draft_is_an_action(template: Template, dialect: str) -> None:
    turn = turn_of(template, DRAFTS, WRITTEN[dialect])
    for length in range(len(turn)):
        with suppress(ReplyError):
            (action,) = READERS[dialect](turn[:length])
            assert action.kind == sotopia.SPEAK
            assert SPOKEN.text.startswith(action.text[: len(SPOKEN.text)])


@every_thought
@both
def test_a_thought_without_an_answer_is_unreadable(template: Template, dialect: str) -> None:
    with pytest.raises(ReplyError, match=r"expected .* found"):
        READERS[dialect](template.thinking.replace("%s", DRAFTS))


@pytest.mark.parametrize("template", CLOSED.values(), ids=CLOSED)
@both
def test_a_thought_that_the_prompt_opened_is_not_heard(template: Template, dialect: str) -> None:
    _, _, closing = template.thinking.partition("%s")
    turn = DRAFTS + closing + template.answer.replace("%s", WRITTEN[dialect])
    assert READERS[dialect](turn) == (SPOKEN,)


@every_template
def test_what_a_character_types_within_json_is_heard_whole(template: Template) -> None:
    said = 'I think <think> tags are silly. </think> Bye, {"action": "leave"} </answer>!'
    turn = turn_of(template, DRAFTS, json.dumps({"action": "speak", "text": said}))
    assert READERS["json"](turn) == (Action(sotopia.SPEAK, said),)


@pytest.mark.parametrize(
    "token",
    ["<|im_end|>", "<|unheard_of|>", f"<{BAR}User{BAR}>", "<turn|>", "[/INST]", "</s>",
     "\u25c1think\u25b7", "<end_of_turn>", "<tool_call>", "[|user|]"],
)  # fmt: skip
def test_a_control_token_within_json_is_never_spoken(token: str) -> None:
    plainly = json.dumps({"action": "speak", "text": "Bye."}).replace("Bye.", f"Bye.{token}")
    escaped = plainly.replace(token, "".join(f"\\u{ord(letter):04x}" for letter in token))
    for text in (plainly, escaped, f"Sure: {plainly}"):
        with pytest.raises(ReplyError, match="a control token of the chat format"):
            READERS["json"](text)


def test_a_thought_that_outlasts_its_turn_does_not_end() -> None:
    with pytest.raises(ReplyError, match="reasoning alone"):
        extract_reply("<think>a<|im_end|><|im_start|>user\nb</think>c")


def test_a_mark_that_was_cut_off_is_not_spoken() -> None:
    with pytest.raises(ReplyError, match='expected words alone, found "im_e", a control token'):
        READERS["plain"]("speak: Good morning.<|im_e")


@both
@pytest.mark.parametrize(
    "mark",
    ["<|python_tag|>", "<|tool_call>call", "[TOOL_CALLS]", "<tool_call>", "<|unheard_of|>", "<s>",
     "<|START_ACTION|>", "<|channel|>final", "\u25c1tool\u25b7"],
)  # fmt: skip
def test_a_mark_that_is_left_over_makes_a_reply_unreadable(mark: str, dialect: str) -> None:
    with pytest.raises(ReplyError) as caught:
        READERS[dialect](f"{WRITTEN[dialect]} {mark} x")
    assert "a control token of the chat format" in str(caught.value)
    assert caught.value.cause == "unreadable"


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("plain", "plain"),
        ("I think so, <b>really</b> [nods] & <3 | a <| b.", None),
        ("<think>a</think>b<think>c</think>d", "bd"),
        ("a<think>b</think>c</think>d", "d"),
        ("<think>a<think>b</think>c</think>d", "d"),
        ("<think>a</thinking>b", "b"),
        ("<think>a</reasoning>b</think>c", "c"),
        ("<think>use <answer> </answer> <response></think>c", "c"),
        ("draft<|channel|>analysis<|message|>a<|end|><|channel|>final<|message|>b", "b"),
        (f"draft{GPT_OSS % 'a'}<|channel|>final<|message|>b", "b"),
        ("draft<|channel|>analysis<|message|>a<|end|>", ""),
        (" \n<|im_start|>assistant\na", "\na"),
        ("<|channel|>commentary<|channel|>final<|message|>b", "b"),
        ("<|channel|>analysis<|message|>a<|channel|>final<|message|>b", "b"),
        ("<|im_end|>a", ""),
        ("<|im_end|><think>a</think>b", ""),
        ("<|im_start|>user\na<|im_end|><|im_start|>assistant\nb", ""),
        ("<s> a</s>b", " a"),
    ],
)
def test_these_are_the_answers_of_these_texts(text: str, answer: str | None) -> None:
    assert extract_reply(text) == (text if answer is None else answer)


@pytest.mark.parametrize(
    "invented",
    ["Mitchell: Hello.\nspeak: Deal.", "**Mitchell Novak:** Hello.", "Mitchell Novak : Hello.",
     "Ada: Are you there?", "User: Hello.", "Human: Hello."],
)  # fmt: skip
def test_an_invented_turn_of_a_speaker_is_not_heard_in_plain_text(invented: str) -> None:
    assert READERS["plain"](f"speak: Good morning.\n\n{invented}") == (SPOKEN,)


def test_a_list_that_names_people_is_heard_in_plain_text() -> None:
    text = "speak: My plan:\n- Mitchell: the bike\n- Ada: the car\nMitchell agrees: fine"
    words = "My plan: - Mitchell: the bike - Ada: the car Mitchell agrees: fine"
    assert READERS["plain"](text) == (Action(sotopia.SPEAK, words),)


@given(st.text(st.characters(exclude_characters="<[]\u25c1\u25b7")))
def test_a_text_without_marks_is_its_own_answer(text: str) -> None:
    if not text.strip().startswith(("analysis", "commentary", "assistant:")):
        assert extract_reply(text) == extract_spoken(text) == text


LINES = st.text(
    st.characters(
        codec="utf-8", exclude_characters="<[]\u25c1\u25b7", exclude_categories=["C", "Z"]
    ),
    min_size=1,
    max_size=40,
)


@given(st.sampled_from(sorted(THINKING)), LINES, LINES)
def test_of_any_line_behind_any_thought_the_line_comes_out(
    name: str, thought: str, line: str
) -> None:
    template = THINKING[name]
    turn = turn_of(template, f"{thought}\nleave\n{DRAFTS}", f"speak: {line}")
    assert READERS["plain"](turn) == (Action(sotopia.SPEAK, line),)
    said = json.dumps({"action": "speak", "text": line})
    assert READERS["json"](turn_of(template, DRAFTS, said)) == (Action(sotopia.SPEAK, line),)


AS_NAMED = sorted(
    mark.replace("\u2026", "x")
    for family in FAMILIES
    for mark in (
        *(family.own + family.ends + family.others + family.answers),
        *(mark for pair in family.thoughts for mark in pair),
    )
)
MARKS = [mark.removeprefix("^") for mark in AS_NAMED]
OTHER_PIECES = ["<think>", "</think>", "<answer>", "</answer>", '{"a":"', '"}', "<|", "<|channel|>",
                " ", "x"]  # fmt: skip
UNITS = st.lists(
    st.sampled_from(MARKS) | st.sampled_from(OTHER_PIECES), min_size=1, max_size=5
).map("".join)


@pytest.mark.parametrize("mark", AS_NAMED)
def test_every_mark_of_the_table_is_found(mark: str) -> None:
    text = f"{mark[1:]} y" if mark[0] == "^" else f"x {mark} y"
    with suppress(ReplyError):
        assert extract_reply(text) != text


@settings(max_examples=40)
@given(before=UNITS, again=UNITS, after=UNITS)
def test_the_work_grows_with_the_length_and_not_faster(before: str, again: str, after: str) -> None:
    def parse(text: str) -> None:
        for read in (extract_reply, extract_spoken):
            with suppress(ReplyError):
                read(text)

    is_linear(parse, before, again, after)
