"""The encoder's network: layers of a transformer over marked play, heads for character and skill.

The layers compute what BERT's do, so that its published weights fit. Needs torch: import it late.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import torch
from torch import nn

from sociolab.worlds.anteval.skills import SKILLS
from sociolab.worlds.anteval.virtual_dm.encoder_input import FIRST_SEAT, NUMBERS

SEATS = FIRST_SEAT + len(NUMBERS)
HEAD_UNITS = 128
DROPOUT = 0.1


@dataclass(frozen=True, slots=True)
class Shape:
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


def random_network(shape: Shape) -> nn.ModuleDict:
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
    network: nn.ModuleDict, shape: Shape, tokens: torch.Tensor, padding: torch.Tensor
) -> torch.Tensor:
    """What the embeddings and the settled layers make of token ids (B, T): (B, T, width)."""
    reader = network["reader"]
    places = torch.arange(tokens.shape[1], device=tokens.device)
    hidden = reader["norm"](reader["words"](tokens) + reader["positions"](places))
    for layer in reader["layers"][: shape.settled]:
        hidden = layer(hidden, src_key_padding_mask=padding)
    return hidden


def label_scores(network: nn.ModuleDict, shape: Shape, batch: Batch) -> torch.Tensor:
    """Log-probabilities (B, C, 18): that a candidate makes the next check, and with which skill."""
    heads = network["heads"]
    features = _features(network, batch, _read(network, shape, batch))
    characters = (heads["character"](features) + heads["manner"](batch.manner)).squeeze(-1)
    characters = characters.masked_fill(~batch.candidates, -1e9).log_softmax(-1)
    return characters.unsqueeze(-1) + heads["skill"](features).log_softmax(-1)


def _read(network: nn.ModuleDict, shape: Shape, batch: Batch) -> torch.Tensor:
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


def _layer(shape: Shape) -> nn.Module:
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
