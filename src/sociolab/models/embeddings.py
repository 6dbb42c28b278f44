"""Embedding models: behind an endpoint, or from a checkpoint on this machine.

Each is a `ChatModel`, so that its replies are stored, counted, priced and reused like all others:
every message of a prompt is a text, and line n of the reply is the vector of text n, as
`models.vectors` writes it.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Mapping
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pydantic_core

from sociolab.core.errors import ConfigError, ModelError, missing_extra
from sociolab.core.ports import CallKey, ChatReply, Prompt
from sociolab.models.budget import FREE, Meter, validate_usage
from sociolab.models.chat import Endpoint, RetriedCall
from sociolab.models.meaning import (
    ShapeError,
    get_part,
    malformed_error,
    parse_body,
    raise_error_inside,
    read_error,
)
from sociolab.models.vectors import Vector, encode_vector

_EMBEDDINGS = "/embeddings"


class EmbeddingModel:
    """A model behind `/v1/embeddings` of an endpoint; `options` go into each of its requests."""

    def __init__(
        self, endpoint: Endpoint, model: str, options: Mapping[str, Any] | None = None
    ) -> None:
        self.label = f"{endpoint.spec.name}/{model}"
        self._endpoint = endpoint
        self._model = model
        self._options = options or {}

    async def complete(self, prompt: Prompt, key: CallKey) -> ChatReply:
        """The vectors of all texts, in one request; ModelError where there are none."""
        return await self.complete_metered(prompt, key, FREE)

    async def complete_metered(self, prompt: Prompt, key: CallKey, meter: Meter) -> ChatReply:
        """As `complete`; the meter holds and books the cost of each request."""
        texts = [message.text for message in prompt.messages]
        body = pydantic_core.to_json({"model": self._model, "input": texts, **self._options})

        async def attempt(call: RetriedCall) -> ChatReply:
            answer = await self._endpoint.send(call, "POST", _EMBEDDINGS, body, "application/json")
            if answer.status != 200:
                url = self._endpoint.base_url + _EMBEDDINGS
                error = read_error(
                    answer.status, answer.headers, answer.body, self._model, url, self._options
                )
                meter.record_failure(error.cause, may_be_billed=False)
                raise error
            try:
                return _read(answer.body, prompt, call)
            except ModelError as error:
                meter.record_failure(error.cause, may_be_billed=True)
                raise

        return await self._endpoint.call(attempt, key, self._model, meter)


def _read(data: bytes, prompt: Prompt, call: RetriedCall) -> ChatReply:
    """The reply in a response body; ModelError (retryable) unless each text has its vector."""
    try:
        document = parse_body(data)
        raise_error_inside(document)
        rows = sorted(get_part(document, "data"), key=lambda row: row["index"])
        lines = [encode_vector(row["embedding"]) for row in rows]
        if [row["index"] for row in rows] != [*range(len(prompt.messages))]:
            raise ShapeError(f"{len(rows)} vectors")
        used = document.get("usage")
        counts = {"prompt": used.get("prompt_tokens")} if isinstance(used, dict) else {}
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        raise malformed_error(
            f"an embedding for each of {len(prompt.messages)} texts", data, error
        ) from error
    usage, fault = validate_usage(counts, prompt, 0)
    return ChatReply("\n".join(lines), "stop", usage, call.seconds, call.tries, fault=fault)


class LocalEmbedder:
    """A transformer encoder from a folder (extra finetune): the mean of its last hidden states over
    a text's tokens, 512 at most, or as many as the model has positions.

    ConfigError where the folder holds no checkpoint, or the extra is missing. Nothing is
    downloaded.
    """

    def __init__(self, folder: Path, flag: str = "set embedder") -> None:
        self._flag = flag
        if not (folder / "config.json").is_file():
            raise ConfigError(
                f"--{flag}: expected a folder with a checkpoint (config.json and "
                f"model.safetensors), found {folder}"
            )
        missing = [name for name in ("torch", "transformers") if find_spec(name) is None]
        if missing:
            raise missing_extra(f"--{flag}: {folder} needs", "finetune", *missing)
        self._folder = folder
        self.label = f"local/{folder.resolve().name}"
        self._lock = asyncio.Lock()

    @cached_property
    def address(self) -> str:
        """A hash of the checkpoint's files: other weights are another model."""
        checksum = hashlib.blake2b(digest_size=16)
        for file in sorted(self._folder.iterdir()):
            if file.suffix in (".json", ".safetensors", ".txt", ".model"):
                checksum.update(file.name.encode())
                with file.open("rb") as opened:
                    checksum.update(hashlib.file_digest(opened, "blake2b").digest())
        return f"checkpoint:{checksum.hexdigest()}"

    async def complete(self, prompt: Prompt, key: CallKey) -> ChatReply:
        texts = [message.text for message in prompt.messages]
        async with self._lock:  # the model is loaded once, and used by one call at a time
            vectors = await asyncio.to_thread(self._embed, texts)
        usage, _ = validate_usage({}, prompt, 0)
        return ChatReply("\n".join(map(encode_vector, vectors)), usage=usage)

    @cached_property
    def _tokenizer_and_model(self) -> tuple[Any, Any]:
        import os

        # Read by the hub's client when it is first imported: it then makes no requests.
        os.environ.setdefault("HF_HUB_OFFLINE", "1")
        from transformers import AutoModel, AutoTokenizer

        try:
            tokenizer = AutoTokenizer.from_pretrained(str(self._folder), local_files_only=True)
            model = AutoModel.from_pretrained(
                str(self._folder), local_files_only=True, use_safetensors=True
            )
        except (OSError, ValueError) as error:
            reason = str(error).partition("\n")[0]
            raise ConfigError(
                f"--{self._flag}: {self._folder} holds no checkpoint in safetensors: {reason}"
            ) from error
        return tokenizer, model.eval()

    def _embed(self, texts: list[str]) -> list[Vector]:
        """One text at a time: in a batch it would be padded, and rounded differently."""
        import torch

        tokenizer, model = self._tokenizer_and_model
        most = min(512, getattr(model.config, "max_position_embeddings", 512))
        vectors = []
        with torch.inference_mode():
            for text in texts:
                tokens = tokenizer(text, return_tensors="pt", truncation=True, max_length=most)
                states = model(**tokens).last_hidden_state[0]
                mask = tokens["attention_mask"][0].unsqueeze(-1)
                mean = (states * mask).sum(0) / mask.sum().clamp(min=1)
                vectors.append(mean.float().numpy())
        return vectors
