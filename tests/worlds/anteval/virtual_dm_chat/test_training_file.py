"""Training files of virtual DMs: written, read, refused, priced."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from sociolab.core.errors import ConfigError
from sociolab.worlds.anteval.virtual_dm.chat import answer_of, body_of, head, read_answer
from sociolab.worlds.anteval.virtual_dm.example import Turn
from sociolab.worlds.anteval.virtual_dm.openai_tuning import (
    TOKENS_A_MESSAGE,
    Conversation,
    TrainingMessage,
    read_training_file,
    training_bytes,
    training_tokens,
    write_training_file,
)
from worlds.anteval.virtual_dm_chat.table_cases import example

EXAMPLES = tuple(example(n, skill) for n, skill in enumerate(("stealth", "arcana", "history")))
GOOD = training_bytes(EXAMPLES).decode().splitlines()[0]


def line(*messages: tuple[str, str]) -> str:
    return json.dumps({"messages": [{"role": role, "content": text} for role, text in messages]})


def test_each_line_is_the_prompt_of_an_example_and_its_right_answer() -> None:
    rows = [json.loads(row) for row in training_bytes(EXAMPLES).decode().splitlines()]
    assert rows == [
        {
            "messages": [
                {"role": "system", "content": head()},
                {"role": "user", "content": body_of(one)},
                {"role": "assistant", "content": answer_of(one)},
            ]
        }
        for one in EXAMPLES
    ]


def test_what_is_written_reads_back_and_every_answer_means_the_labels(tmp_path: Path) -> None:
    odd = replace(EXAMPLES[0], turns=(Turn("T'lin", 'I say "hush"\u2028\n\ud83d and wait.'),))
    examples = (*EXAMPLES, odd)
    file = tmp_path / "deep" / "train.jsonl"
    write_training_file(file, training_bytes(examples))
    found = read_training_file(file)
    assert [path.name for path in file.parent.iterdir()] == ["train.jsonl"]
    assert len(found) == 4
    for one, row in zip(examples, found, strict=True):
        assert read_answer(row.messages[-1].content, one, 1) == one.labels


def test_same_examples_make_the_same_bytes() -> None:
    assert training_bytes(EXAMPLES) == training_bytes(list(EXAMPLES))
    assert training_bytes(EXAMPLES) != training_bytes(EXAMPLES[::-1])


def test_no_examples_make_no_file() -> None:
    with pytest.raises(ConfigError, match="expected examples to train on, found none"):
        training_bytes(())


def test_a_file_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigError, match=r"train\.jsonl: the training file cannot be written"):
        write_training_file(tmp_path / "file" / "train.jsonl", training_bytes(EXAMPLES))


@pytest.mark.parametrize(
    ("wrong", "problem"),
    [
        ("{messages", "expected a JSON object, found broken JSON"),
        ('["messages"]', 'expected an object with "messages", found ["messages"]'),
        ('{"prompt": "a"}', 'expected an object with "messages", found {"prompt": "a"}'),
        ('{"messages": []}', 'expected an object with "messages", found {"messages": []}'),
        ('{"messages": "hi"}', "messages: "),
        (line(("wizard", "a"), ("assistant", "b")), "messages.0.role: Input should be 'system'"),
        ('{"messages": [{"role": "user", "content": 3}]}', "messages.0.content: "),
        (
            line(("system", "a"), ("user", "b")),
            "expected the assistant's message at the end, found the user's",
        ),
        (
            line(("user", "a"), ("assistant", "stealth!")),
            "the assistant's message: expected a JSON object, found the text",
        ),
        (
            line(("user", "a"), ("assistant", '{"checks":[{"character":"T"}]}')),
            "the assistant's message: checks.0.skill: field required",
        ),
        (
            line(("user", "a"), ("assistant", '{"checks":[{"character":"T","skill":"luck"}]}')),
            'the assistant\'s message: expected one of the 18 skills, found "luck"',
        ),
    ],
)
def test_a_broken_line_is_refused_with_file_and_line(
    tmp_path: Path, wrong: str, problem: str
) -> None:
    file = tmp_path / "train.jsonl"
    file.write_text(f"{GOOD}\n\n{wrong}\n{GOOD}\n", "utf-8")
    with pytest.raises(ConfigError) as caught:
        read_training_file(file)
    assert str(caught.value).startswith(f"{file}, line 3: ")
    assert problem in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"", "expected a conversation on each line, found an empty file"),
        (b" \n\n", "found an empty file"),
        (b"\xff\xfe", "expected UTF-8 text"),
    ],
)
def test_a_file_without_lines_of_text_is_refused(
    tmp_path: Path, content: bytes, problem: str
) -> None:
    file = tmp_path / "train.jsonl"
    file.write_bytes(content)
    with pytest.raises(ConfigError, match=problem):
        read_training_file(file)


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="expected a training file, found No such file"):
        read_training_file(tmp_path / "train.jsonl")


def test_tokens_and_price_are_estimated_by_hand_worked_numbers() -> None:
    # 40 characters at 4 a token are 10 tokens, and there are 4 for each of the two messages.
    one = Conversation(
        messages=(
            TrainingMessage(role="user", content="u" * 30),
            TrainingMessage(role="assistant", content="a" * 10),
        )
    )
    assert TOKENS_A_MESSAGE == 4
    assert one.tokens == 18
    assert training_tokens((one, one), epochs=3) == 108
