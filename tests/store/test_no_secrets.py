"""No secret gets into a store's bytes, by whichever table; what is stored is sound all the same."""

from __future__ import annotations

import re
import zlib
from pathlib import Path

import pytest

from bundles import text_of
from sociolab.core import Score, ScoreFailure, redaction
from sociolab.core.redaction import guard
from sociolab.store import RunReplies, Store, export_run, find_damage

from . import samples

KEY = "k3y-of-the-lab-0123456789"
TEXT = f"it is {KEY}, \ud83d"
"""With half a surrogate pair, which has a way of its own into the store."""


@pytest.fixture(autouse=True)
def _guarded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(redaction, "_forms", {})
    guard(KEY)


def test_no_table_takes_a_secret(store: Store, path: Path, tmp_path: Path) -> None:
    store.create_run("r", "world", {"note": TEXT}, samples.plan(2))
    store.append("r", "t1", samples.moved(0, TEXT))
    store.set_status("r", "t1", "failed", "plugin", TEXT)
    store.attach("r", "t1", "trace", f"{KEY} {'x' * 900}".encode())
    verdicts = (
        Score(samples.MEASURE, "ann", 5.0, TEXT),
        ScoreFailure(samples.MEASURE, "bob", "unreadable", TEXT, TEXT, 1),
    )
    store.verdicts.add("r", samples.JUDGE, verdicts, trial="t1")
    replies = RunReplies(store, "r")
    for turn in range(2):
        prompt = samples.prompt(f"{TEXT} {'and so on ' * 100 * turn}")
        call = samples.call(turn=turn)
        replies.keep(f"k{turn}", call, "openai/x", prompt, samples.reply(TEXT))
    store.search.index("r", "t1", TEXT.encode("utf-8", "replace").decode())
    store.commit()

    export_run(store, "r", tmp_path / "r.zip")
    written = text_of(tmp_path / "r.zip")
    assert KEY not in written
    assert len(re.findall(r"it is \[secret\]", written)) == 10
    packed = [
        row[0] for row in store.rows("SELECT prompt FROM calls UNION SELECT data FROM attachments")
    ]
    blobs = [zlib.decompress(one) if one[:1] == b"x" else one for one in packed]
    for data in (
        *blobs,
        *(one.read_bytes() for one in tmp_path.rglob("store.db*") if one.is_file()),
    ):
        assert KEY.encode() not in data
    assert list(find_damage(store)) == [], "hashes are those of what is stored"
