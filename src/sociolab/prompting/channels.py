"""What of a model's text is its reply: thoughts and the marks of chat formats, by model family.

A server that knows its model returns the reply alone. Many do not, and the text then holds what the
model's chat template puts around it. One table names these marks; the rules are the same for all:

- A thought is dropped, with every draft in it. In a thought nothing counts but what closes it and
  the end of the turn. One that is never closed makes the reply unreadable; where only the close is
  there (the prompt opened it), all before it is thought.
- What opens the answer drops what came before it. What ends the turn, or begins another one, ends
  the reply.
- A control token that is left over makes the reply unreadable: it is never spoken.
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
    """The marks of one chat format, as its template writes them; `…` is up to 80 characters of a
    header, `^` the beginning of the reply, a bar also a full-width one.

    `thoughts` pairs what opens a thought with what closes it, `answers` opens the answer. `own`
    begins the model's own turn, `others` somebody else's, `ends` ends a turn or an answer.
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
"""Names, as patterns: <think>...</think> of many families and prompts, in capitals and with
attributes, too."""

ANSWER_TAGS = ("answer", "response")
"""What some models and prompts wrap an answer in."""

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
"""The shapes of control tokens, for those that the table does not name."""


def _pattern(mark: str) -> str:
    start = r"\A\s*+" if mark[0] == "^" else ""
    escaped = re.escape(mark.removeprefix("^")).replace(r"\|", _BAR)
    return start + escaped.replace("…", r"[^<>|\uff5c\n]{0,80}+")


def _marks(*groups: Iterable[str]) -> list[str]:
    """As patterns, the longest first: a header begins with what may stand alone."""
    return [_pattern(mark) for mark in sorted(set(chain(*groups)), key=len, reverse=True)]


def _tag(name: str, slash: str = "") -> str:
    return rf"(?i:<{slash}(?:{name})(?:[\s:][^<>]{{0,200}}+)?+>)"


_THOUGHTS = [
    (_pattern(opening), "|".join(_marks((closing, *family.answers))))
    for family in FAMILIES
    for opening, closing in family.thoughts
] + [(_tag(name), _tag(name, "/")) for name in THOUGHT_TAGS]
"""What opens each kind of thought, and what closes it: an answer of its family does, too."""

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
"""What every mark begins with. Tried first: without it, plain text costs a tenth of a millisecond,
a fifth of all that is done for a call."""

_ANY_KIND = "|".join(f"(?P<{kind}>{'|'.join(of)})" for kind, of in _KINDS.items())
_MARK = re.compile(f"{_BEGINS}(?:{_ANY_KIND})")
"""Where two kinds begin alike, the first counts."""

_CONTROL = re.compile(f"{_BEGINS}(?:{'|'.join((*_OWN, *_ENDS, *_OTHERS, *_ANY_CONTROL))})")


def answer_in(text: str, opaque: Callable[[str], Iterable[Span]] = lambda _: ()) -> str:
    """The reply in a model's text; ReplyError where a thought does not end, or a mark is left over.

    `opaque` gives the spans in which nothing is cut, in order; it is called where there are marks.
    The work grows with the length of the text and not faster.

    >>> answer_in("<think>speak: draft</think>speak: Hello.<|im_end|>user: Hello.")
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
                if kind != "close":  # a message of its own: what came before was none
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
    """ReplyError where something that would be spoken or answered holds a control token."""
    if token := _CONTROL.search(answer):
        # Its name alone: the problem goes into the next prompt, where servers read such tokens.
        name = " ".join(re.findall(r"[\w:.]+", token[0]))
        problem = f'expected words alone, found "{name}", a control token of the chat format'
        raise ReplyError(problem, raw=raw)


def names_speaker(*names: str) -> re.Pattern[str]:
    """The start of a line that names its speaker, by whole or first name: "**Ada Finch**: "."""
    every = {part for name in names for part in (name, name.partition(" ")[0]) if part}
    alternatives = "|".join(map(re.escape, sorted(every, key=len, reverse=True)))
    return re.compile(rf"^\s*+[*_]*+(?:{alternatives})[*_]*+\s*+:")
