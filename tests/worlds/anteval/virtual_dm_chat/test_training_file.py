"""Training files of virtual DMs: what they hold, and what an epoch is estimated to cost."""

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
    training_bytes,
    training_tokens,
    write_training_file,
)
from worlds.anteval.virtual_dm_chat.table_cases import example

EXAMPLES = tuple(example(n, skill) for n, skill in enumerate(("stealth", "arcana", "history")))


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
    found = [json.loads(row)["messages"] for row in file.read_bytes().splitlines()]
    assert [path.name for path in file.parent.iterdir()] == ["train.jsonl"]
    assert len(found) == 4
    for one, row in zip(examples, found, strict=True):
        assert read_answer(row[-1]["content"], one, 1) == one.labels


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


def test_tokens_are_estimated_by_hand_worked_numbers() -> None:
    # At 4 characters a token, and 4 tokens for each of the three messages of an example.
    characters = [len(head() + body_of(one) + answer_of(one)) for one in EXAMPLES]
    assert TOKENS_A_MESSAGE == 4
    assert training_tokens(EXAMPLES) == sum(round(count / 4) + 12 for count in characters)
    assert training_tokens(()) == 0
