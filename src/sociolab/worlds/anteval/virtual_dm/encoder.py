"""The encoder: a checkpoint that classifies play, trained by the trainer of transformers.

Nobody is called by name, so that nothing is learned about two casts: a candidate is called by a
number, counted from who spoke last, in the speaker's mark and wherever the play names them. The
head has an output for each number and for each skill. Needs torch and transformers: import it late.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from sociolab.core.errors import ConfigError
from sociolab.worlds.anteval.session import SKILLS
from sociolab.worlds.anteval.virtual_dm.example import DM, Example, Label
from sociolab.worlds.anteval.virtual_dm.training import opened, own_chance, trained

if TYPE_CHECKING:
    from sociolab.worlds.anteval.virtual_dm.finetune import EncoderSettings

NUMBERS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
"""What candidates are called; those beyond share the last number."""

OUTPUTS = len(NUMBERS) + len(SKILLS)
MASTER, OTHER = "master", "guest"
RATE, RANDOM_RATE = 1e-4, 3e-3
"""The learning rate of a checkpoint, and of a small network that starts at random."""

MOST_WORDS = 4096
_SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]")
_SHORTEST_START = 4
"""Letters that the start of a name needs to be taken for the name."""
_WORD = re.compile(r"[A-Z][\w'\u2019]*")


class Encoder:
    """A network fitted on examples; torch's own random state is left as it was found."""

    def __init__(
        self, examples: Sequence[Example], folder: Path | None, settings: EncoderSettings
    ) -> None:
        from transformers import DataCollatorWithPadding

        with own_chance(settings.seed):
            if folder is None:
                model, self._tokenizer = _small(map(text_of, examples), settings.longest)
            else:
                model, self._tokenizer = _checkpoint(folder)
            self._tokenizer.truncation_side = "left"
            most = getattr(model.config, "max_position_embeddings", None) or settings.longest
            self._longest = min(settings.longest, self._tokenizer.model_max_length, most)
            self._seed = settings.seed
            self._trainer = trained(
                model,
                [self._row(one) | {"labels": _wanted(one)} for one in examples if one.labels],
                DataCollatorWithPadding(self._tokenizer),
                epochs=settings.epochs,
                batch=16,
                rate=RANDOM_RATE if folder is None else RATE,
                seed=settings.seed,
                loss=_loss,
            )

    def best(self, examples: Sequence[Example], most: int) -> Iterator[frozenset[Label]]:
        """For each example the `most` likeliest labels."""
        for example, row in zip(examples, self.scores(examples), strict=True):
            seated = seated_candidates(example)
            scored = [
                (row[_number(seat)] + row[len(NUMBERS) + place], name, skill)
                for seat, name in enumerate(seated)
                for place, skill in enumerate(SKILLS)
            ]
            scored.sort(key=lambda one: -one[0])  # of labels that score the same, the first
            yield frozenset(Label(name, skill) for _, name, skill in scored[:most])

    def scores(self, examples: Sequence[Example]) -> Any:
        """[examples, numbers + skills]: how likely each number and each skill is, as logarithms."""
        if not examples:
            return np.zeros((0, OUTPUTS))
        with own_chance(self._seed):  # the trainer draws some as it reads, and needs none
            found = self._trainer.predict([self._row(one) for one in examples]).predictions
        logits = np.asarray(found, dtype=np.float64)
        parts = np.split(logits, [len(NUMBERS)], axis=1)
        return np.hstack([one - np.logaddexp.reduce(one, axis=1, keepdims=True) for one in parts])

    def _row(self, example: Example) -> dict[str, Any]:
        return dict(self._tokenizer(text_of(example), truncation=True, max_length=self._longest))


def text_of(example: Example) -> str:
    """The play as one text, speakers and names by number; of a long one the end is read."""
    seated = seated_candidates(example)
    called = {name: NUMBERS[_number(seat)] for seat, name in enumerate(seated)}
    marks = {DM: MASTER} | called
    names = names_in_play(example.candidates)
    return " ".join(
        f"{marks.get(turn.speaker, OTHER)} : {masked(turn.text, names, called)}"
        for turn in example.turns
    )


def seated_candidates(example: Example) -> tuple[str, ...]:
    """The candidates, whoever spoke last first; the silent ones last, in their given order."""
    last = {turn.speaker: place for place, turn in enumerate(example.turns)}
    return tuple(sorted(example.candidates, key=lambda name: -last.get(name, -1)))


def names_in_play(candidates: Sequence[str]) -> dict[str, str]:
    """Whom a name means: a word or a part of one candidate's name only, or the start of one.

    Keys are in lower case: "vex'ahlia", "vex" and "ahli" for Vex'ahlia, unless two share them.
    """
    meant: dict[str, set[str]] = {}
    for name in candidates:
        for word in re.findall(r"[\w'\u2019]+", name.lower()):
            meant.setdefault(word, set()).add(name)
            for part in re.findall(r"\w{3,}", word):
                for end in range(min(_SHORTEST_START, len(part)), len(part) + 1):
                    meant.setdefault(part[:end], set()).add(name)
    return {word: owners.pop() for word, owners in meant.items() if len(owners) == 1}


def masked(text: str, names: dict[str, str], called: dict[str, str]) -> str:
    """The text with every capitalised name in play replaced by what its owner is called."""

    def number(found: re.Match[str]) -> str:
        word = re.sub(r"['\u2019]s?$", "", found[0].lower())
        return called[names[word]] if word in names else found[0]

    return _WORD.sub(number, text)


def _number(seat: int) -> int:
    return min(seat, len(NUMBERS) - 1)


def _wanted(example: Example) -> list[float]:
    """1 for each number and each skill that is in a label, else 0."""
    wanted = [0.0] * OUTPUTS
    seated = seated_candidates(example)
    for who, skill in example.labels:
        if who in seated:
            wanted[_number(seated.index(who))] = 1.0
        wanted[len(NUMBERS) + SKILLS.index(skill)] = 1.0
    return wanted


def _loss(outputs: Any, labels: Any, num_items_in_batch: Any = None) -> Any:
    """The cross entropy of the numbers and of the skills; of several labels each counts alike."""
    from torch.nn.functional import cross_entropy

    here = slice(None, len(NUMBERS)), slice(len(NUMBERS), None)
    wanted = [labels[:, part] / labels[:, part].sum(1, keepdim=True).clamp(min=1) for part in here]
    return sum(
        cross_entropy(outputs.logits[:, part], one) for part, one in zip(here, wanted, strict=True)
    )


def _checkpoint(folder: Path) -> tuple[Any, Any]:
    from transformers import AutoModelForSequenceClassification

    model, tokenizer = opened(
        folder, AutoModelForSequenceClassification, "an encoder", num_labels=OUTPUTS
    )
    if tokenizer.pad_token_id is None:
        raise ConfigError(f"the tokenizer in {folder} has no padding token; set its pad_token")
    return model, tokenizer


def _small(texts: Iterable[str], longest: int) -> tuple[Any, Any]:
    """A small network with random weights, and the most frequent words of these texts."""
    from tokenizers import Tokenizer, normalizers, pre_tokenizers, processors
    from tokenizers.models import WordLevel
    from transformers import (
        ModernBertConfig,
        ModernBertForSequenceClassification,
        PreTrainedTokenizerFast,
    )

    normal, cut = normalizers.BertNormalizer(lowercase=True), pre_tokenizers.BertPreTokenizer()
    times = Counter(
        word for text in texts for word, _ in cut.pre_tokenize_str(normal.normalize_str(text))
    )
    times.update((MASTER, OTHER, *NUMBERS))
    frequent = sorted(times, key=lambda word: (-times[word], word))[:MOST_WORDS]
    words = {word: number for number, word in enumerate((*_SPECIAL, *frequent))}
    own = Tokenizer(WordLevel(words, unk_token=_SPECIAL[1]))
    own.normalizer, own.pre_tokenizer = normal, cut
    ends = [(mark, words[mark]) for mark in _SPECIAL[2:]]
    own.post_processor = processors.TemplateProcessing("[CLS] $A [SEP]", special_tokens=ends)
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=own, pad_token=_SPECIAL[0], unk_token=_SPECIAL[1]
    )
    config = ModernBertConfig(
        vocab_size=len(words),
        hidden_size=48,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=96,
        max_position_embeddings=longest,
        classifier_pooling="mean",  # from so little play attention to one token is not learned
        pad_token_id=words[_SPECIAL[0]],
        bos_token_id=words[_SPECIAL[2]],
        cls_token_id=words[_SPECIAL[2]],
        eos_token_id=words[_SPECIAL[3]],
        sep_token_id=words[_SPECIAL[3]],
        num_labels=OUTPUTS,
    )
    return ModernBertForSequenceClassification(config), tokenizer
