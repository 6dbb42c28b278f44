"""The encoder's network: layers of a transformer over marked play, heads for character and skill.

The layers compute what BERT's do, so that its published weights fit. Needs torch: import it late.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
from tokenizers import Tokenizer, normalizers, pre_tokenizers
from tokenizers.models import WordLevel
from torch import nn

from sociolab.core.seeding import stream
from sociolab.worlds.anteval.session import SKILLS
from sociolab.worlds.anteval.virtual_dm.encoder_input import (
    FIRST_SEAT,
    NUMBERS,
    OTHER_SEAT,
    EncoderReading,
    Manner,
    manner_in,
    masked_texts,
    reading,
)
from sociolab.worlds.anteval.virtual_dm.example import Example, Label
from sociolab.worlds.anteval.virtual_dm.finetune import TOKENIZER, WEIGHTS, EncoderSettings

PADDING, UNKNOWN, START, END = "[PAD]", "[UNK]", "[CLS]", "[SEP]"
MOST_WORDS = 4096


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """A vocabulary of `size` tokens; `start` and `end` frame what is read."""

    tokenizer: Tokenizer
    size: int
    start: int
    end: int

    def ids_of(self, text: str) -> list[int]:
        """The token ids of a text, without `start` and `end`."""
        ids: list[int] = self.tokenizer.encode(text, add_special_tokens=False).ids
        return ids


def packaged_words(folder: Path) -> Vocabulary:
    """The tokens that the weights in this folder were made with."""
    tokenizer = Tokenizer.from_file(str(folder / TOKENIZER))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return _words(tokenizer)


def words_in(texts: Iterable[str]) -> Vocabulary:
    """The most frequent words of some texts, in lower case; alike frequent ones by alphabet."""
    normal, cut = normalizers.BertNormalizer(lowercase=True), pre_tokenizers.BertPreTokenizer()
    times = Counter(
        word for text in texts for word, _ in cut.pre_tokenize_str(normal.normalize_str(text))
    )
    frequent = sorted(times, key=lambda word: (-times[word], word))[:MOST_WORDS]
    vocabulary = {word: i for i, word in enumerate((PADDING, UNKNOWN, START, END, *frequent))}
    tokenizer = Tokenizer(WordLevel(vocabulary, unk_token=UNKNOWN))
    tokenizer.normalizer, tokenizer.pre_tokenizer = normal, cut
    return _words(tokenizer)


def _words(tokenizer: Tokenizer) -> Vocabulary:
    start, end = tokenizer.token_to_id(START), tokenizer.token_to_id(END)
    return Vocabulary(tokenizer, tokenizer.get_vocab_size(), start, end)


SEATS = FIRST_SEAT + len(NUMBERS)
HEAD_UNITS = 128
DROPOUT = 0.1


@dataclass(frozen=True, slots=True)
class NetworkShape:
    """How large the network is.

    The lowest `settled` layers and the embeddings under them are not trained; with 0, all is.
    """

    vocabulary: int
    positions: int
    width: int
    attention_heads: int
    inner: int
    layers: int
    settled: int
    manner: int


@dataclass(frozen=True, slots=True)
class Batch:
    """Examples as tensors: B examples of T tokens, with at most C candidates and S = 2 + C seats.

    `start` is (B, T) token ids where all is trained, or (B, T, width) out of the settled layers;
    `padding` (B, T) is true where there is no token, `seats` (B, T) the seat of each token,
    `candidates` (B, C) is true where there is a candidate, `manner` (B, C, features) is how each
    spoke.
    """

    start: torch.Tensor
    padding: torch.Tensor
    seats: torch.Tensor
    candidates: torch.Tensor
    manner: torch.Tensor


def random_network(shape: NetworkShape) -> nn.ModuleDict:
    """A network with random weights, drawn from torch's current random state."""
    width = shape.width
    reader = nn.ModuleDict(
        {
            "words": nn.Embedding(shape.vocabulary, width),
            "positions": nn.Embedding(shape.positions, width),
            "norm": nn.LayerNorm(width, eps=1e-12),
            "layers": nn.ModuleList(_layer(shape) for _ in range(shape.layers)),
        }
    )
    heads = nn.ModuleDict(
        {
            "seats": nn.Embedding(SEATS, width),
            "character": _head(3 * width, 1),
            "manner": nn.Linear(shape.manner, 1, bias=False),
            "skill": _head(3 * width, len(SKILLS)),
        }
    )
    nn.init.zeros_(heads["manner"].weight)
    nn.init.normal_(reader["words"].weight, std=0.02)
    nn.init.normal_(reader["positions"].weight, std=0.02)
    nn.init.normal_(heads["seats"].weight, std=0.02)
    return nn.ModuleDict({"reader": reader, "heads": heads})


def load_weights(network: nn.ModuleDict, weights: Path) -> None:
    """Put published BERT weights (a safetensors file) into the network's reader."""
    from safetensors.torch import load_file

    found = load_file(str(weights))
    kept: dict[str, torch.Tensor] = {
        "words.weight": found["embeddings.word_embeddings.weight"],
        # Every token is of the first type, so that its embedding is a part of the position's.
        "positions.weight": found["embeddings.position_embeddings.weight"]
        + found["embeddings.token_type_embeddings.weight"][0],
        "norm.weight": found["embeddings.LayerNorm.weight"],
        "norm.bias": found["embeddings.LayerNorm.bias"],
    }
    for number in range(len(network["reader"]["layers"])):
        kept |= _layer_weights(found, number)
    network["reader"].load_state_dict(kept)


def settled_part(
    network: nn.ModuleDict, shape: NetworkShape, tokens: torch.Tensor, padding: torch.Tensor
) -> torch.Tensor:
    """What the embeddings and the settled layers make of token ids (B, T): (B, T, width)."""
    reader = network["reader"]
    places = torch.arange(tokens.shape[1], device=tokens.device)
    hidden = reader["norm"](reader["words"](tokens) + reader["positions"](places))
    for layer in reader["layers"][: shape.settled]:
        hidden = layer(hidden, src_key_padding_mask=padding)
    return hidden


def label_scores(network: nn.ModuleDict, shape: NetworkShape, batch: Batch) -> torch.Tensor:
    """Log-probabilities (B, C, 18): that a candidate makes the next check, and with which skill."""
    heads = network["heads"]
    features = _features(network, batch, _read(network, shape, batch))
    characters = (heads["character"](features) + heads["manner"](batch.manner)).squeeze(-1)
    characters = characters.masked_fill(~batch.candidates, -1e9).log_softmax(-1)
    return characters.unsqueeze(-1) + heads["skill"](features).log_softmax(-1)


def _read(network: nn.ModuleDict, shape: NetworkShape, batch: Batch) -> torch.Tensor:
    """What the trained layers make of the tokens, each marked by its seat: (B, T, width)."""
    start = batch.start
    if not shape.settled:
        start = settled_part(network, shape, start, batch.padding)
    hidden = start + network["heads"]["seats"](batch.seats.clamp(max=SEATS - 1))
    for layer in network["reader"]["layers"][shape.settled :]:
        hidden = layer(hidden, src_key_padding_mask=batch.padding)
    return hidden


def _features(network: nn.ModuleDict, batch: Batch, hidden: torch.Tensor) -> torch.Tensor:
    """Of each candidate: what they said, what all said, and the start token with their rank."""
    most = batch.candidates.shape[1]
    places = FIRST_SEAT + torch.arange(most)
    there = ~batch.padding.unsqueeze(1)
    own = _mean(hidden, there & (batch.seats.unsqueeze(1) == places.view(1, -1, 1)))
    everything = _mean(hidden, there).expand(-1, most, -1)
    rank = network["heads"]["seats"](places.clamp(max=SEATS - 1))
    return torch.cat([own, everything, hidden[:, :1] + rank], dim=-1)


def _mean(hidden: torch.Tensor, chosen: torch.Tensor) -> torch.Tensor:
    """The mean (B, C, width) of the tokens chosen (B, C, T) for each; 0 where none is."""
    weights = chosen.to(hidden.dtype)
    return weights @ hidden / weights.sum(-1, keepdim=True).clamp(min=1)


def _layer(shape: NetworkShape) -> nn.Module:
    layer = nn.TransformerEncoderLayer(
        shape.width,
        shape.attention_heads,
        shape.inner,
        dropout=DROPOUT,
        activation="gelu",
        layer_norm_eps=1e-12,
        batch_first=True,
    )
    # Dropped where it is cheap: after each half of a layer, not inside attention and inner units.
    layer.self_attn.dropout = 0.0
    layer.dropout.p = 0.0
    return layer


def _head(inputs: int, outputs: int) -> nn.Module:
    return nn.Sequential(
        nn.Dropout(DROPOUT),
        nn.Linear(inputs, HEAD_UNITS),
        nn.GELU(),
        nn.Linear(HEAD_UNITS, outputs),
    )


def _layer_weights(found: dict[str, torch.Tensor], number: int) -> dict[str, torch.Tensor]:
    """The weights of a layer under the names that torch's own encoder layer has for them."""
    old, new = f"encoder.layer.{number}", f"layers.{number}"
    kept: dict[str, torch.Tensor] = {}
    for kind in ("weight", "bias"):
        parts = [found[f"{old}.attention.self.{part}.{kind}"] for part in ("query", "key", "value")]
        kept[f"{new}.self_attn.in_proj_{kind}"] = torch.cat(parts)
        kept[f"{new}.self_attn.out_proj.{kind}"] = found[f"{old}.attention.output.dense.{kind}"]
        kept[f"{new}.norm1.{kind}"] = found[f"{old}.attention.output.LayerNorm.{kind}"]
        kept[f"{new}.linear1.{kind}"] = found[f"{old}.intermediate.dense.{kind}"]
        kept[f"{new}.linear2.{kind}"] = found[f"{old}.output.dense.{kind}"]
        kept[f"{new}.norm2.{kind}"] = found[f"{old}.output.LayerNorm.{kind}"]
    return kept


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
    shape: NetworkShape
    words: Vocabulary
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
        shape = NetworkShape(words.size, settings.longest, 48, 4, 96, 2, settled=0, manner=columns)
        return Trained(random_network(shape), shape, words, manner, settings.longest)
    words = packaged_words(weights)
    shape = NetworkShape(words.size, 512, 384, 12, 1536, 6, settled=SETTLED, manner=columns)
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


def _starts(trained: Trained, readings: Sequence[EncoderReading]) -> list[torch.Tensor]:
    words, shape = trained.words, trained.shape
    tokens = [torch.tensor([words.start, *one.tokens, words.end]) for one in readings]
    if shape.settled == 0:
        return tokens
    padded, padding = _padded(tokens)
    with torch.no_grad():
        hidden = settled_part(trained.network, shape, padded, padding)
    return [row[: len(one)].clone() for row, one in zip(hidden, tokens, strict=True)]


def _item(manner: Manner, example: Example, read: EncoderReading, start: torch.Tensor) -> _Item:
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


def _loss(network: nn.ModuleDict, shape: NetworkShape, items: Sequence[_Item]) -> torch.Tensor:
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
