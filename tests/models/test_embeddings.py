"""Embedding models: vectors as kept replies, over the network door and from a local checkpoint."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sociolab.core import CallKey, ChatReply, ConfigError, Message, ModelError, Prompt, StoreError
from sociolab.endpoint import EndpointServer, EndpointSettings, start_in_thread
from sociolab.models import Budget, CachedModel, Endpoint, EndpointSpec, Price
from sociolab.models.budget import FREE
from sociolab.models.embeddings import EmbeddingModel, LocalEmbedder
from sociolab.models.vectors import decode_vector, encode_vector
from sociolab.store import RunReplies, Store

TEXTS = ("the kettle is boiling", "the kettle is cold", "an umbrella on the roof")
PROMPT = Prompt(tuple(Message("user", text) for text in TEXTS))
KEY = CallKey("t", "embedder", "ann", 7, "embed", 1)


def asked(endpoint: EndpointServer, store: Store, price: Price | None = None) -> ChatReply:
    """One call by the model of an endpoint, its reply kept."""

    async def call() -> ChatReply:
        spec = EndpointSpec(name="here", base_url=endpoint.url, tries=2)
        async with Endpoint(spec) as opened:
            replies = RunReplies(store, "run")
            model = EmbeddingModel(opened, "e")
            kept = CachedModel(model, spec.base_url, replies, Budget(1.0), price, writes=False)
            return await kept.complete(PROMPT, KEY)

    return asyncio.run(call())


@pytest.fixture
def store(tmp_path: Path) -> Any:
    with Store.open(tmp_path / "runs.db") as opened:
        opened.create_run("run", "stss", {}, [])
        yield opened


def test_a_vector_comes_back_as_it_was_rounded_at_length_one() -> None:
    given = [3.0, 0.0, -4.0]
    found = decode_vector(encode_vector(given))
    assert found.tolist() == [round(0.6 * 2048) / 2048, 0, -round(0.8 * 2048) / 2048]
    assert decode_vector(encode_vector(found)).tolist() == found.tolist()
    assert decode_vector(encode_vector([0.0, 0.0])).tolist() == [0, 0]


def test_what_is_no_vector_is_refused() -> None:
    with pytest.raises(StoreError, match='expected the vector of an embedding, found "nonsense"'):
        decode_vector("nonsense")


def test_all_texts_go_in_one_call_which_is_counted_priced_and_never_made_twice(
    store: Store,
) -> None:
    with start_in_thread(EndpointSettings()) as endpoint:
        first = asked(endpoint, store, Price(1000.0, 0.0))
        again = asked(endpoint, store, Price(1000.0, 0.0))
        assert endpoint.counters.requests == 1
    assert again == first
    tokens = -(-sum(map(len, TEXTS)) // 4)
    assert (first.usage.prompt, first.usage.completion) == (tokens, 0)
    assert not first.usage.estimated
    assert first.usd == pytest.approx(tokens / 1000)
    (row,) = store.calls.all("run")
    assert (row.call.role, row.call.name) == ("embedder", "embed")
    boiling, cold, umbrella = (decode_vector(line) for line in first.text.split("\n"))
    assert boiling @ cold > boiling @ umbrella


@pytest.mark.parametrize(
    "body",
    [
        {"data": [{"index": 0, "embedding": [1.0]}]},
        {"data": [{"index": i, "embedding": "x"} for i in range(3)]},
        {"choices": []},
    ],
)
def test_a_reply_without_a_vector_for_each_text_is_malformed(body: Any) -> None:
    from sociolab.models import RetriedCall
    from sociolab.models.embeddings import _read

    endpoint = Endpoint(EndpointSpec(name="x", base_url="http://127.0.0.1:9/v1"))
    call = RetriedCall(endpoint, None, "m", FREE)
    with pytest.raises(ModelError, match="an embedding for each of 3 texts") as caught:
        _read(json.dumps(body).encode(), PROMPT, call)
    assert caught.value.retryable


def test_a_server_without_embeddings_says_so_once() -> None:
    with start_in_thread(EndpointSettings(models=("chat",))) as endpoint:

        async def call() -> None:
            async with Endpoint(EndpointSpec(name="here", base_url=endpoint.url)) as opened:
                await EmbeddingModel(opened, "e").complete(PROMPT, KEY)

        with pytest.raises(ModelError, match="404") as caught:
            asyncio.run(call())
    assert caught.value.fatal


# ------------------------------------------------------------------ a checkpoint on this machine


def checkpoint(folder: Path) -> Path:
    """A tiny encoder with random weights."""
    torch = pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers")
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "the", "kettle", "is", "cold", "boiling"]
    folder.mkdir()
    (folder / "vocab.txt").write_text("\n".join(words), "utf-8")
    transformers.BertTokenizerFast(str(folder / "vocab.txt")).save_pretrained(str(folder))
    torch.manual_seed(3)
    config = transformers.BertConfig(
        vocab_size=len(words),
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=16,
        max_position_embeddings=64,
    )
    transformers.BertModel(config).eval().save_pretrained(str(folder))
    return folder


def test_a_local_checkpoint_embeds_by_the_mean_of_its_last_states(tmp_path: Path) -> None:
    folder = checkpoint(tmp_path / "tiny")
    model = LocalEmbedder(folder)
    reply = asyncio.run(model.complete(PROMPT, KEY))
    boiling, cold, umbrella = (decode_vector(line) for line in reply.text.split("\n"))
    assert len(boiling) == 16
    assert np.linalg.norm(boiling) == pytest.approx(1, abs=0.01)
    assert boiling @ cold > boiling @ umbrella
    alone = asyncio.run(model.complete(Prompt((Message("user", TEXTS[1]),)), KEY))
    assert alone.text == reply.text.split("\n")[1], "what stands beside a text does not matter"
    before = model.address
    (folder / "config.json").write_text((folder / "config.json").read_text() + "\n")
    assert LocalEmbedder(folder).address != before


def test_a_folder_without_a_checkpoint_is_refused_in_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="expected a folder with a checkpoint"):
        LocalEmbedder(tmp_path)
