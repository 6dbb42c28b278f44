"""Trains the encoder's network and reads labels off it. Needs torch: import it late."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import nn

from sociolab.core.seeding import stream
from sociolab.worlds.anteval.skills import SKILLS
from sociolab.worlds.anteval.virtual_dm.embedding_weights import WEIGHTS
from sociolab.worlds.anteval.virtual_dm.encoder_input import (
    OTHER_SEAT,
    Reading,
    masked_texts,
    reading,
)
from sociolab.worlds.anteval.virtual_dm.encoder_manner import Manner, manner_in
from sociolab.worlds.anteval.virtual_dm.encoder_net import (
    Batch,
    Shape,
    label_scores,
    load_weights,
    random_network,
    settled_part,
)
from sociolab.worlds.anteval.virtual_dm.encoder_settings import EncoderSettings
from sociolab.worlds.anteval.virtual_dm.encoder_words import Words, packaged_words, words_in
from sociolab.worlds.anteval.virtual_dm.example import Example, Label

WARM_UP = 0.1
"""The share of the steps in which the learning rate rises; then it falls to nought."""

BATCH = 16
READ_AT_ONCE = 32

READER_RATE = 1e-4
"""The learning rate of pretrained layers; all else is trained at `RATE`."""

RATE = 1e-3

SETTLED = 5
"""The pretrained layers that stay as they are: they are run once, not once a pass."""


@dataclass(frozen=True, slots=True)
class Trained:
    """A network, and what it takes to read an example as it was trained to."""

    network: nn.ModuleDict
    shape: Shape
    words: Words
    manner: Manner
    longest: int


@dataclass(frozen=True, slots=True)
class _Item:
    """An example as the trained part of the network takes it in, with its true labels.

    `start` is (T,) token ids where all is trained, or (T, width) out of the settled layers.
    """

    start: torch.Tensor
    seats: torch.Tensor
    seated: tuple[str, ...]
    manner: torch.Tensor
    labels: tuple[tuple[int, int], ...]


def train(examples: Sequence[Example], weights: Path | None, settings: EncoderSettings) -> Trained:
    """A network trained on examples; torch's own random state is left as it was found."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(settings.seed)
        trained = _untrained(examples, weights, settings)
        items = [item for item in _items(trained, examples) if item.labels]
        _learn(trained, items, settings)
    return trained


def best_labels(
    trained: Trained, examples: Sequence[Example], most: int
) -> Iterator[frozenset[Label]]:
    """For each example the `most` likeliest labels."""
    for first in range(0, len(examples), READ_AT_ONCE):
        items = _items(trained, examples[first : first + READ_AT_ONCE])
        with torch.no_grad():
            scores = label_scores(trained.network, trained.shape, _batch(items))
        for item, rows in zip(items, scores, strict=True):
            yield _best(item, rows[: len(item.seated)], most)


def _untrained(
    examples: Sequence[Example], weights: Path | None, settings: EncoderSettings
) -> Trained:
    manner = manner_in(examples)
    columns = len(manner.deviations)
    if weights is None:
        words = words_in(masked_texts(examples))
        shape = Shape(words.size, settings.longest, 48, 4, 96, 2, settled=0, manner=columns)
        return Trained(random_network(shape), shape, words, manner, settings.longest)
    words = packaged_words(weights)
    shape = Shape(words.size, 512, 384, 12, 1536, 6, settled=SETTLED, manner=columns)
    network = random_network(shape)
    load_weights(network, weights / WEIGHTS)
    return Trained(network, shape, words, manner, settings.longest)


def _items(trained: Trained, examples: Sequence[Example]) -> list[_Item]:
    """The examples read; the network is left as it is for use, without dropout."""
    trained.network.eval()
    items: list[_Item] = []
    for first in range(0, len(examples), READ_AT_ONCE):
        some = examples[first : first + READ_AT_ONCE]
        readings = [reading(one, trained.words.ids_of, trained.longest - 2) for one in some]
        starts = _starts(trained, readings)
        items += [
            _item(trained.manner, *three) for three in zip(some, readings, starts, strict=True)
        ]
    return items


def _starts(trained: Trained, readings: Sequence[Reading]) -> list[torch.Tensor]:
    words, shape = trained.words, trained.shape
    tokens = [torch.tensor([words.start, *one.tokens, words.end]) for one in readings]
    if shape.settled == 0:
        return tokens
    padded, padding = _padded(tokens)
    with torch.no_grad():
        hidden = settled_part(trained.network, shape, padded, padding)
    return [row[: len(one)].clone() for row, one in zip(hidden, tokens, strict=True)]


def _item(manner: Manner, example: Example, read: Reading, start: torch.Tensor) -> _Item:
    seats = torch.tensor([OTHER_SEAT, *read.seats, OTHER_SEAT])
    seated = {name: place for place, name in enumerate(read.seated)}
    labels = tuple(
        (seated[who], SKILLS.index(skill)) for who, skill in sorted(example.labels) if who in seated
    )
    rows = torch.tensor(manner.rows(example, read.seated))
    return _Item(start, seats, read.seated, rows, labels)


def _batch(items: Sequence[_Item]) -> Batch:
    start, padding = _padded([item.start for item in items])
    seats, _ = _padded([item.seats for item in items])
    most = max(len(item.seated) for item in items)
    candidates = torch.tensor([[i < len(item.seated) for i in range(most)] for item in items])
    manner, _ = _padded([item.manner for item in items])
    return Batch(start, padding, seats, candidates, manner)


def _padded(rows: Sequence[torch.Tensor]) -> tuple[torch.Tensor, torch.Tensor]:
    lengths = torch.tensor([len(row) for row in rows])
    padded = nn.utils.rnn.pad_sequence(list(rows), batch_first=True)
    return padded, torch.arange(padded.shape[1]) >= lengths.unsqueeze(1)


def _learn(trained: Trained, items: Sequence[_Item], settings: EncoderSettings) -> None:
    network, shape = trained.network, trained.shape
    batches = [
        part for epoch in range(settings.epochs) for part in _shuffled(items, settings, epoch)
    ]
    reader_rate = READER_RATE if shape.settled else RATE
    groups = [
        {"params": network["reader"].parameters(), "lr": reader_rate},
        {"params": network["heads"].parameters(), "lr": RATE},
    ]
    optimizer = torch.optim.AdamW(groups, weight_decay=0.01)
    rises = max(1, round(WARM_UP * len(batches)))
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer,
        lambda step: min((step + 1) / rises, (len(batches) - step) / (len(batches) - rises + 1)),
    )
    network.train()
    for part in batches:
        optimizer.zero_grad()
        _loss(network, shape, part).backward()
        nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimizer.step()
        schedule.step()


def _shuffled(
    items: Sequence[_Item], settings: EncoderSettings, epoch: int
) -> Iterator[list[_Item]]:
    order = list(items)
    stream(settings.seed, "encoder", epoch).shuffle(order)
    for first in range(0, len(order), BATCH):
        yield order[first : first + BATCH]


def _loss(network: nn.ModuleDict, shape: Shape, items: Sequence[_Item]) -> torch.Tensor:
    """Minus the log-probability that the label drawn is any of the true ones, mean over items."""
    scores = label_scores(network, shape, _batch(items))
    right = torch.full_like(scores, float("-inf"))
    for row, item in enumerate(items):
        for place, skill in item.labels:
            right[row, place, skill] = 0.0
    return -(scores + right).flatten(1).logsumexp(1).mean()


def _best(item: _Item, scores: torch.Tensor, most: int) -> frozenset[Label]:
    order = scores.flatten().argsort(descending=True, stable=True)[:most].tolist()
    return frozenset(
        Label(item.seated[place // len(SKILLS)], SKILLS[place % len(SKILLS)]) for place in order
    )
