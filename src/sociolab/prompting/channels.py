"""Extract the reply from a model's raw text, which may hold reasoning and chat-template tokens.

A server that knows its model returns the reply alone. Many do not, and the text then holds what the
model's chat template puts around it. One table names these marks, by model family; the rules are
the same for all:

- Reasoning is dropped, with every draft in it. Within it nothing counts but its closing mark and
  the end of the turn. Where it is never closed, the reply is unreadable; where there is only a
  closing mark (the prompt opened it), everything before is reasoning.
- A mark that opens the answer drops what came before it. One that ends the turn, or begins another,
  ends the reply.
- Any other control token makes the reply unreadable: it is never spoken.
- In an opaque span (a JSON object) nothing is cut. A tag such as <think> is text there, since a
  character may say it; a control token such as <|im_end|> is never text.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import chain
from typing import TypeAlias

from sociolab.core.errors import ReplyError

Span: TypeAlias = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Family:
    """The marks of one chat format, as its template writes them.

    In a mark, `…` stands for up to 80 characters of a header, `^` for the beginning of the reply,
    and a bar also for a full-width one. `thoughts` pairs the marks that open and close reasoning,
    `answers` open the answer. `own` begin the model's turn, `others` another one's, `ends` end a
    turn or an answer.
    """

    name: str
    thoughts: tuple[tuple[str, str], ...] = ()
    answers: tuple[str, ...] = ()
    own: tuple[str, ...] = ()
    ends: tuple[str, ...] = ()
    others: tuple[str, ...] = ()


FAMILIES = (
    Family(
        "Harmony (gpt-oss, LLM-jp), Muse",
        thoughts=(
            ("<|channel|>…<|message|>", "<|end|>"),
            ("<|channel|>…<|constrain|>…<|message|>", "<|call|>"),
            ("<|start|>assistant to=self<|message|>", "<|eom|>"),
        ),
        answers=("<|channel|>final…<|message|>", "<|channel|>final…<|constrain|>…<|message|>"),
        own=("<|start|>assistant", "<|start|>assistant<|message|>",
             "<|start|>assistant to=user<|message|>"),
        ends=("<|end|>", "<|return|>", "<|call|>", "<|eom|>", "<|eot|>"),
        others=("<|start|>",),
    ),
    Family(
        "Harmony without its special tokens",
        thoughts=tuple(
            (opening, "assistantfinal")
            for opening in ("^analysis", "^commentary", "assistantanalysis", "assistantcommentary")
        ),
        answers=("assistantfinal",),
    ),
    Family(
        "Solar",
        thoughts=(("<|think|>", "<|end|>"),),
        answers=("<|content|>",),
        own=("<|begin|>assistant",),
        ends=("<|flush|>", "<|calls|>"),
        others=("<|begin|>",),
    ),
    Family(
        "ChatML (Qwen, Hermes, SmolLM, LFM, Nemotron, MiMo, Step, MiniCPM, Bielik)",
        own=("<|im_start|>assistant", "<|im_start|>assistant<|im_sep|>"),
        ends=("<|im_end|>", "<|endoftext|>"),
        others=("<|im_start|>",),
    ),
    Family(
        "Llama, Functionary",
        own=("<|start_header_id|>assistant<|end_header_id|>", "<|begin_of_text|>",
             "<|header_start|>assistant<|header_end|>"),
        ends=("<|eot_id|>", "<|eom_id|>", "<|end_of_text|>"),
        others=("<|start_header_id|>", "<|header_start|>"),
    ),
    Family(
        "Mistral, Magistral, Ministral, Devstral",
        thoughts=(("[THINK]", "[/THINK]"),),
        own=("[/INST]", "^<s>"),
        ends=("</s>",),
        others=("[INST]", "[SYSTEM_PROMPT]"),
    ),
    Family(
        "DeepSeek, Spark",
        own=("<|Assistant|>", "<|begin▁of▁sentence|>", "<|start▁of▁sentence|>", "<|Bot|>"),
        ends=("<|end▁of▁sentence|>", "<|EOT|>"),
        others=("<|User|>",),
    ),
    Family(
        "Gemma 2 and 3",
        own=("<start_of_turn>model", "<bos>"),
        ends=("<end_of_turn>", "<eos>"),
        others=("<start_of_turn>",),
    ),
    Family(
        "Gemma 4",
        thoughts=(("<|channel>thought", "<channel|>"),),
        own=("<|turn>model",),
        ends=("<turn|>",),
        others=("<|turn>",),
    ),
    Family(
        "Command R, Command A, Cohere MoE",
        thoughts=(("<|START_THINKING|>", "<|END_THINKING|>"),),
        answers=("<|START_RESPONSE|>", "<|START_TEXT|>"),
        own=("<|START_OF_TURN_TOKEN|><|CHATBOT_TOKEN|>",),
        ends=("<|END_RESPONSE|>", "<|END_TEXT|>", "<|END_OF_TURN_TOKEN|>"),
        others=("<|START_OF_TURN_TOKEN|>",),
    ),
    Family(
        "Phi, GLM, Falcon, Grok",
        answers=("<|begin_of_box|>",),
        own=("<|assistant|>", "[gMASK]<sop>"),
        ends=("<|end_of_box|>", "<|endofturn|>", "<|separator|>"),
        others=("<|user|>", "<|system|>", "<|observation|>"),
    ),
    Family(
        "Granite",
        own=("<|start_of_role|>assistant<|end_of_role|>",),
        others=("<|start_of_role|>",),
    ),
    Family(
        "Kimi",
        thoughts=(
            ("◁think▷", "◁/think▷"),
            ("<|open|>think<|sep|>", "<|close|>think<|sep|>"),
        ),
        answers=("<|open|>response<|sep|>",),
        own=("<|im_assistant|>…<|im_middle|>", '<|open|>message role="assistant"<|sep|>'),
        ends=("[EOT]", "[EOS]", "<|close|>response<|sep|>", "<|end_of_msg|>"),
        others=("<|im_user|>", "<|im_system|>", "<|open|>message"),
    ),
    Family(
        "Apertus",
        thoughts=(("<|inner_prefix|>", "<|inner_suffix|>"),),
        own=("<|assistant_start|>",),
        ends=("<|assistant_end|>",),
        others=("<|user_start|>", "<|system_start|>", "<|developer_start|>"),
    ),
    Family(
        "Apriel",
        answers=("[BEGIN FINAL RESPONSE]",),
        own=("<|begin_assistant|>",),
        ends=("[END FINAL RESPONSE]",),
        others=("<|begin_user|>", "<|begin_system|>"),
    ),
    Family(
        "Seed-OSS", own=("<seed:bos>assistant",), ends=("<seed:eos>",), others=("<seed:bos>",)
    ),
    Family(
        "MiniMax",
        own=("]~b]ai", "<beginning_of_sentence>ai name=assistant"),
        ends=("[e~[", "<end_of_sentence>"),
        others=("]~b]", "<beginning_of_sentence>"),
    ),
    Family(
        "EXAONE, Hunyuan, GigaChat, Ling",
        own=("[|assistant|]", "<|hy_Assistant…|>", "^assistant<|role_sep|>",
             "<role>ASSISTANT</role>"),
        ends=("[|endofturn|]", "<|hy_eos…|>", "<|message_sep|>", "<|role_end|>"),
        others=("[|user|]", "[|system|]", "<|hy_User…|>"),
    ),
    Family(
        "Nemotron Nano, Laguna, Reka",
        own=("<SPECIAL_11>Assistant", "<extra_id_1>Assistant", "^<assistant>", "^assistant:"),
        ends=("<SPECIAL_12>", "</assistant>", "<sep>"),
        others=("<SPECIAL_11>", "<extra_id_1>"),
    ),
)  # fmt: skip

THOUGHT_TAGS = (
    "(?:seed:|mm:)?+think(?:ing)?+", "thoughts?+", "reasoning", "reflection", "analysis",
    "scratchpad",
)  # fmt: skip
"""Patterns of the tags around reasoning, in any case and with attributes: <think>...</think>."""

ANSWER_TAGS = ("answer", "response")
"""Tags in which some models and prompts wrap an answer."""

_BAR = r"[|\uff5c]"
"""DeepSeek writes a full-width bar in its tokens."""

_ANY_CONTROL = (
    rf"<{_BAR}(?:\"|/?+[a-zA-Z][\w▁:.-]{{0,60}}+)(?:{_BAR}?+>|\Z)",  # also one that was cut off
    rf"<[a-zA-Z][\w▁:.-]{{0,60}}+{_BAR}>",
    r"\[/?+(?:INST|SYSTEM_PROMPT|THINK|TOOL_CALLS|TOOL_RESULTS|AVAILABLE_TOOLS)\]",
    r"◁/?+\w{1,20}+▷",
    r"</?+s>",
    r"</?+tool_call>",
)
"""Patterns of control tokens that the table does not list."""


def _pattern(mark: str) -> str:
    start = r"\A\s*+" if mark[0] == "^" else ""
    escaped = re.escape(mark.removeprefix("^")).replace(r"\|", _BAR)
    return start + escaped.replace("…", r"[^<>|\uff5c\n]{0,80}+")


def _marks(*groups: Iterable[str]) -> list[str]:
    """Marks as patterns, the longest first, since some marks begin with others."""
    return [_pattern(mark) for mark in sorted(set(chain(*groups)), key=len, reverse=True)]


def _tag(name: str, slash: str = "") -> str:
    return rf"(?i:<{slash}(?:{name})(?:[\s:][^<>]{{0,200}}+)?+>)"


_THOUGHTS = [
    (_pattern(opening), "|".join(_marks((closing, *family.answers))))
    for family in FAMILIES
    for opening, closing in family.thoughts
] + [(_tag(name), _tag(name, "/")) for name in THOUGHT_TAGS]
"""The opening and closing patterns of reasoning; an answer of the family closes it, too."""

_CLOSINGS = [re.compile(closing) for _, closing in _THOUGHTS]
_OWN = _marks(*(family.own for family in FAMILIES))
_ENDS = _marks(*(family.ends for family in FAMILIES))
_OTHERS = _marks(*(family.others for family in FAMILIES))
_KINDS = {
    "answer": [*_marks(*(family.answers for family in FAMILIES)), *map(_tag, ANSWER_TAGS)],
    **{f"thought_{number}": [opening] for number, (opening, _) in enumerate(_THOUGHTS)},
    "own": _OWN,
    "end": _ENDS,
    "close": [closing for _, closing in _THOUGHTS],
    "answered": [_tag(name, "/") for name in ANSWER_TAGS],
    "other": _OTHERS,
    "control": _ANY_CONTROL,
}
_BEGINS = r"(?=[<\[\]◁]|assistant|\A)"
"""The start of every mark, tried first: without it, searching plain text would take 0.1 ms, a fifth
of this package's time for a call."""

_ANY_KIND = "|".join(f"(?P<{kind}>{'|'.join(marks)})" for kind, marks in _KINDS.items())
_MARK = re.compile(f"{_BEGINS}(?:{_ANY_KIND})")
"""Where marks of two kinds match, the first kind counts."""

_CONTROL = re.compile(f"{_BEGINS}(?:{'|'.join((*_OWN, *_ENDS, *_OTHERS, *_ANY_CONTROL))})")


def extract_reply(text: str, opaque: Callable[[str], Iterable[Span]] = lambda _: ()) -> str:
    """The reply in a model's text; ReplyError where reasoning does not end, or a mark is left over.

    `opaque` returns the spans in which nothing is cut, in order; it is called only where there are
    marks. Time is linear in the length of the text.

    >>> extract_reply("<think>speak: draft</think>speak: Hello.<|im_end|>user: Hello.")
    'speak: Hello.'
    """
    if not _MARK.search(text):
        return text
    spans = deque(opaque(text))
    pieces: list[str] = []  # of the answer, from the first that is not blank
    start: int | None = 0  # where a piece begins; None where a message has ended
    closing: re.Pattern[str] | None = None
    for mark in _MARK.finditer(text):
        kind = str(mark.lastgroup)
        if closing is not None:
            if closing.fullmatch(mark[0]):
                closing, start = None, None if kind == "end" else mark.end()
                if kind != "close":  # reasoning was a message of its own, and so is the answer
                    pieces.clear()
            elif kind in ("end", "other"):
                break
            continue
        while spans and spans[0][1] <= mark.start():
            spans.popleft()
        if kind == "control" or (spans and spans[0][0] < mark.start()):
            continue
        if kind == "answer" or (kind == "close" and start is not None):
            pieces.clear()
            start = mark.end()
            continue
        if start is not None:
            piece = text[start : mark.start()]
            if pieces or piece.strip():
                pieces.append(piece)
            start = None
            if kind.startswith("thought"):
                closing = _CLOSINGS[int(kind.removeprefix("thought_"))]
        if kind == "other" or (pieces and closing is None):
            break
        if kind == "own":
            start = mark.end()
    if closing is not None:
        raise ReplyError("expected a reply after the reasoning, found reasoning alone", raw=text)
    answer = "".join(pieces) + (text[start:] if start is not None else "")
    refuse_control_tokens(answer, text)
    return answer


def refuse_control_tokens(answer: str, raw: str) -> None:
    """ReplyError where an answer, which would be spoken or stored, holds a control token."""
    if token := _CONTROL.search(answer):
        # Its name alone: the next prompt quotes the problem, and servers obey such tokens.
        name = " ".join(re.findall(r"[\w:.]+", token[0]))
        problem = f'expected words alone, found "{name}", a control token of the chat format'
        raise ReplyError(problem, raw=raw)


def speaker_pattern(*names: str) -> re.Pattern[str]:
    """Matches the start of a line that names its speaker, by full or first name: "**Ada**:"."""
    variants = {part for name in names for part in (name, name.partition(" ")[0]) if part}
    alternatives = "|".join(map(re.escape, sorted(variants, key=len, reverse=True)))
    return re.compile(rf"^\s*+[*_]*+(?:{alternatives})[*_]*+\s*+:")
