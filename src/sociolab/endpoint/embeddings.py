"""Embeddings over HTTP: the request read and checked, and vectors made of the words of texts."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sociolab.endpoint.chat import bad_request

DIMENSIONS = 64
"""Of a vector, where the request names no number."""


@dataclass(frozen=True, slots=True)
class EmbeddingBody:
    """What a request asks for; `key` is a hash of the seed and the body."""

    model: str
    texts: tuple[str, ...]
    dimensions: int
    key: bytes


def read_embeddings(raw: bytes, seed: int = 0) -> EmbeddingBody:
    """The request in these bytes; RefusalError (400) if it is none."""
    try:
        fields = json.loads(raw)
        model, given = fields["model"], fields["input"]
        size = fields.get("dimensions", DIMENSIONS)
    except (ValueError, LookupError, TypeError, AttributeError):
        raise bad_request("Expected a JSON object with 'model' and 'input'.") from None
    texts = [given] if isinstance(given, str) else given
    if not isinstance(texts, list) or not texts or not all(isinstance(t, str) and t for t in texts):
        raise bad_request("'input' must be a text or an array of texts, none empty.", param="input")
    if not isinstance(model, str) or not isinstance(size, int) or not 1 <= size <= 4096:
        raise bad_request("'model' must be a text, 'dimensions' a number from 1 to 4096.")
    key = hashlib.blake2b(raw, digest_size=16, key=str(seed).encode()).digest()
    return EmbeddingBody(model, tuple(texts), size, key)


def embeddings(asked: EmbeddingBody, usage: Mapping[str, Any]) -> bytes:
    """A response as JSON, a vector of length one for each text."""
    rows = [
        {"object": "embedding", "index": index, "embedding": _vector(text, asked.dimensions)}
        for index, text in enumerate(asked.texts)
    ]
    used = {name: usage[name] for name in ("prompt_tokens", "total_tokens")}
    return json.dumps(
        {"object": "list", "data": rows, "model": asked.model, "usage": used}
    ).encode()


def _vector(text: str, dimensions: int) -> list[float]:
    """The sum of a vector for each word: texts with words in common are alike."""
    found = [0.0] * dimensions
    for word in text.lower().split():
        digest = hashlib.shake_128(word.encode(errors="surrogatepass")).digest(dimensions)
        found = [value + byte - 127.5 for value, byte in zip(found, digest, strict=True)]
    length = math.sqrt(sum(value * value for value in found)) or 1.0
    return [value / length for value in found]
