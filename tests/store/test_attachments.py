"""Attachments are pieces that are only ever added to."""

from __future__ import annotations

import random

import pytest

from sociolab.core import StoreError
from sociolab.store import Store

from . import samples


@pytest.fixture
def played(store: Store) -> Store:
    store.create_run("r", "world", {}, samples.plan(2))
    return store


def test_pieces_come_back_in_order_whatever_they_hold(played: Store) -> None:
    pieces = [b"", b"\x00\xff", b"step " * 10_000, random.Random(1).randbytes(5000)]
    for piece in pieces:
        played.attach("r", "t1", "trace", piece)
        played.attach("r", "t2", "trace", b"another trial's")
        played.attach("r", "t1", "other", b"another name's")
    assert list(played.attachment("r", "t1", "trace")) == pieces
    assert played.attachments("r", "t1") == ("other", "trace")


def test_a_piece_is_compressed_where_that_helps(played: Store) -> None:
    played.attach("r", "t1", "trace", b"step " * 10_000)
    played.attach("r", "t1", "trace", random.Random(1).randbytes(5000))
    sizes = played.rows("SELECT length(data) FROM attachments ORDER BY pk")
    assert sizes[0][0] < 500
    assert sizes[1][0] == 5000


def test_there_may_be_none(played: Store) -> None:
    assert list(played.attachment("r", "t1", "trace")) == []
    assert played.attachments("r", "t1") == ()


def test_an_unknown_trial_is_refused(played: Store) -> None:
    with pytest.raises(StoreError, match='run "r" has no trial "t9"'):
        played.attach("r", "t9", "trace", b"")
