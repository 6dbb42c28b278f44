"""TRL's GRPO trainer (1.16) in an arena: by a reward function, and by an environment of tools."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from statistics import mean
from typing import Any

import pytest

pytest.importorskip("trl")

import torch
import trl
from datasets import Dataset
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import (
    LlamaConfig,
    LlamaForCausalLM,
    PreTrainedTokenizerFast,
)

from sociolab import Arena, ArenaConfig
from sociolab.training.trl import make_environment, make_reward_func, prompt_rows

sys.path.append(str(Path(__file__).resolve().parents[3] / "examples"))
from train_a_bargainer import train

pytestmark = [pytest.mark.filterwarnings("ignore")]  # what TRL uses warns of what it uses
CALL = json.dumps({"name": "reply", "arguments": {"reply": '{"action": "speak", "text": "$230."}'}})


@pytest.fixture
def arena() -> Iterator[Arena]:
    config = ArenaConfig(settings={"closing_question": "false"})
    with Arena(
        "sotopia", tasks="scenario=bargain-01-touring-bicycle", partner="haggler:1", config=config
    ) as made:
        yield made


def settings(folder: Path, **more: Any) -> Any:
    given = {
        "per_device_train_batch_size": 2,
        "num_generations": 2,
        "max_steps": 1,
        "use_cpu": True,
        "bf16": False,
        "save_strategy": "no",
        "report_to": [],
        "disable_tqdm": True,
    }
    return trl.GRPOConfig(str(folder), **{**given, **more})


def test_the_example_learns_from_rewards_and_not_from_shuffled_ones() -> None:
    gains = {
        shuffle: [
            curve[-1][1] - curve[0][1]
            for seed in range(1, 6)
            if (curve := train(seed, 40, shuffle=shuffle, tests=1))
        ]
        for shuffle in (False, True)
    }
    assert min(gains[False]) > 1
    assert abs(mean(gains[True])) < 0.5
    assert min(gains[False]) > max(gains[True])


def test_an_unknown_reward_moves_no_policy(arena: Arena, tmp_path: Path) -> None:
    """One of two completions has a reward of 6, the other none: neither has an advantage."""
    model, words = bytes_policy("x")
    known = make_reward_func(arena)
    offer = json.dumps({"action": "speak", "text": "$230."})

    def half_known(prompts: Any, completions: Any, task: Any, **_: Any) -> list[float | None]:
        return [*known(prompts[:1], [offer], task[:1]), None]

    before = [weights.clone() for weights in model.parameters()]
    rows = [{"prompt": "bargain", "task": row["task"]} for row in prompt_rows(arena)]
    trainer = trl.GRPOTrainer(
        model,
        half_known,
        args=settings(tmp_path, max_completion_length=4),
        train_dataset=Dataset.from_list(rows),
        processing_class=words,
    )
    trainer.train()
    assert trainer.state.log_history[-1]["rewards/half_known/mean"] == pytest.approx(6)
    assert all(torch.equal(*pair) for pair in zip(before, model.parameters(), strict=True))


def test_a_policy_that_calls_tools_plays_to_the_end(arena: Arena, tmp_path: Path) -> None:
    """The stub asks $230 at every turn until the haggler accepts: worth 10 * 69 / 115."""
    model, words = bytes_policy(f"<tool_call>\n{CALL}\n</tool_call><|im_end|>")
    rows = [{"prompt": [{"role": "user", "content": ""}], "task": arena.tasks()[0]}] * 2
    played: list[Any] = []
    environment = make_environment(arena)

    def kept() -> Any:
        played.append(environment())
        return played[-1]

    trainer = trl.GRPOTrainer(
        model,
        args=settings(tmp_path, max_completion_length=12_000, max_tool_calling_iterations=20),
        train_dataset=Dataset.from_list(rows),
        processing_class=words,
        environment_factory=kept,
    )
    trainer.train()
    logged = trainer.state.log_history[-1]
    assert logged["rewards/SeatTools/mean"] == pytest.approx(6, abs=0.01)
    assert logged["tools/failure_frequency"] == 0
    assert [env.get_reward() for env in played] == pytest.approx([6, 6], abs=0.01)


def test_a_policy_that_stops_early_can_be_marked_down(arena: Arena, tmp_path: Path) -> None:
    """As in docs/training.md; TRL stops the stub after one call."""
    model, words = bytes_policy(f"<tool_call>\n{CALL}\n</tool_call><|im_end|>")
    rows = [{"prompt": [{"role": "user", "content": ""}], "task": arena.tasks()[0]}] * 2

    def stalled(environments: Any, **_: Any) -> list[float | None]:
        return [None if environment.done else -1.0 for environment in environments]

    trainer = trl.GRPOTrainer(
        model,
        reward_funcs=[stalled],
        args=settings(tmp_path, max_completion_length=12_000, max_tool_calling_iterations=1),
        train_dataset=Dataset.from_list(rows),
        processing_class=words,
        environment_factory=make_environment(arena),
    )
    trainer.train()
    assert trainer.state.log_history[-1]["reward"] == pytest.approx(-1)


def bytes_policy(text: str) -> tuple[Any, Any]:
    """A random model whose replies are this text whatever it is asked, and a tokenizer of bytes."""
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    tokens = Tokenizer(models.BPE({letter: n for n, letter in enumerate(alphabet)}, []))
    tokens.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokens.decoder = decoders.ByteLevel()
    words = PreTrainedTokenizerFast(
        tokenizer_object=tokens, eos_token="<|im_end|>", pad_token="<pad>", padding_side="left"
    )
    template = Path(trl.__path__[0]) / "chat_templates" / "qwen3.jinja"
    words.chat_template = template.read_text("utf-8")
    reply = words(text, return_tensors="pt")["input_ids"][0]

    class Stub(LlamaForCausalLM):  # type: ignore[misc]
        def generate(self, input_ids: Any, **_: Any) -> Any:
            return torch.cat([input_ids, reply.repeat(len(input_ids), 1)], dim=1)

    model = Stub(
        LlamaConfig(
            vocab_size=len(words),
            hidden_size=8,
            intermediate_size=8,
            num_hidden_layers=1,
            num_attention_heads=1,
            max_position_embeddings=32_000,
            pad_token_id=words.pad_token_id,
            eos_token_id=words.eos_token_id,
            bos_token_id=words.eos_token_id,
        )
    )
    return model, words
