"""Of what comes to mind, only so much is of what was merely seen."""

from __future__ import annotations

from datetime import date

from sociolab.town.clock import Clock
from sociolab.town.memory import HashingEmbedder, MemoryStream


def _stream() -> MemoryStream:
    stream = MemoryStream(Clock(date(2024, 5, 13)), HashingEmbedder())
    for step in range(6):
        stream.add(step, "seen", f"saw Ana Ruiz: bake bread number {step}", 3)
    stream.add(6, "talk", "Ana Ruiz will come to the fair.", 3)
    stream.add(7, "thought", "Bread is what Ana Ruiz cares for.", 3)
    return stream


def test_glimpses_are_limited_and_the_rest_fills_up() -> None:
    found = _stream().retrieve(8, "Ana Ruiz bake bread", 4, glimpses=2)
    kinds = [memory.kind for memory in found]
    assert len(found) == 4
    assert sorted(kinds) == ["seen", "seen", "talk", "thought"]


def test_the_best_glimpses_stay_and_the_order_is_that_of_all() -> None:
    everything = [memory.text for memory in _stream().retrieve(8, "Ana Ruiz bake bread", 8)]
    some = [memory.text for memory in _stream().retrieve(8, "Ana Ruiz bake bread", 4, glimpses=2)]
    assert some == [text for text in everything if text in some]


def test_what_is_left_out_does_not_count_as_accessed() -> None:
    stream = _stream()
    stream.retrieve(9000, "Ana Ruiz bake bread", 3, glimpses=0)
    recency = stream.scores(9001, "").tolist()  # nothing is relevant, all matters the same
    assert min(recency[6:]) > max(recency[:6])
