"""Whatever is read, however it was spoilt: the work grows with its length and not faster.

No time is measured. What Python does is counted, at a length and at twice that length; what one
call into C would do quadratically at the long length does not end while anybody waits.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from pydantic import BaseModel, ConfigDict

from bundles import MANIFEST, parts_of, write_parts
from sociolab.app import load_models, read_run
from sociolab.core import (
    ConfigError,
    Message,
    ModelError,
    Prompt,
    ReplyError,
    SociolabError,
    StoreError,
)
from sociolab.models import meaning, messages, wire
from sociolab.prompting import parse_reply_text
from sociolab.store import Store, export_run, import_run
from sociolab.studies.rating_files import read_ratings
from sociolab.studies.rating_tables import read_table
from store import samples
from studies.test_ratings_reader import HEAD, ROW, RUN

SHORT = 3_000
LONG = 300_000
"""Characters. Quadratic in this is 90,000,000,000."""

PROMPT = Prompt((Message("user", "Hello."),))


class Turn(BaseModel):
    """A reply that is wanted."""

    model_config = ConfigDict(extra="forbid")

    action: str
    text: str = ""


def steps(work: Callable[[], object]) -> int:
    """Lines of Python that it runs, and functions of C that it calls."""
    count = 0

    def line(frame: FrameType, event: str, _: Any) -> Any:
        nonlocal count
        count += 1
        return line

    def call(frame: FrameType, event: str, _: Any) -> None:
        nonlocal count
        count += 1

    before = sys.gettrace(), sys.getprofile()
    sys.settrace(line)
    sys.setprofile(call)
    try:
        work()
    finally:
        sys.settrace(before[0])
        sys.setprofile(before[1])
    return count


def is_linear(parse: Callable[[str], object], before: str, again: str, after: str) -> None:
    """Read the text with its middle repeated, up to two short lengths and to a long one."""

    def spoilt(length: int) -> str:
        return before + again * (length // len(again)) + after

    def counted(length: int) -> int:
        text = spoilt(length)
        return steps(lambda: parse(text))

    parse(spoilt(SHORT))  # what is made once is made by now
    once, twice = counted(SHORT), counted(2 * SHORT)
    assert twice <= 2.5 * once + 2_000, f"{once:,} steps, and at twice the length {twice:,}"
    parse(spoilt(LONG))


JSON_PIECES = st.sampled_from(
    ["{", "}", "[", "]", '"', ":", ",", "\\", '"a"', '{"a":', "[[", '{"action":"x"},', "9", "-1e9",
     "null", "<think>", "</think>", "```json\n", "\n", " ", "\\u0000", "\\ud800", "é", "\x00", "."]
)  # fmt: skip
TEXTS = st.lists(JSON_PIECES, max_size=6).map("".join)
UNITS = st.lists(JSON_PIECES, min_size=1, max_size=6).map("".join)
few = settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])


@few
@given(before=TEXTS, again=UNITS, after=TEXTS)
def test_the_reply_of_a_model(before: str, again: str, after: str) -> None:
    def parse(text: str) -> None:
        with suppress(ReplyError):
            parse_reply_text(text, Turn)

    is_linear(parse, before, again, after)


BODIES = st.sampled_from(
    ["%s", '{"choices":%s}', '{"choices":[{"message":{"content":%s}}]}', '{"content":%s}',
     '{"content":[{"type":"text","text":%s}]}', '{"content":[{"type":"text","text":"%s"}]}',
     '{"choices":[{"message":{"content":"%s"}}]}', '{"choices":[{"message":{"content":"a"}}],'
     '"usage":%s}', '{"content":[],"usage":{"input_tokens":%s}}', '{"error":{"message":"%s"}}']
)  # fmt: skip


@few
@given(body=BODIES, before=TEXTS, again=UNITS, after=TEXTS)
@pytest.mark.parametrize("dialect", [wire.CHAT, messages.MESSAGES], ids=["chat", "messages"])
def test_the_body_of_a_response(
    dialect: wire.Dialect, body: str, before: str, again: str, after: str
) -> None:
    head, tail = body.split("%s")

    def parse(text: str) -> None:
        data = text.encode("utf-8", "surrogatepass")
        with suppress(ModelError):
            dialect.read_reply(data, PROMPT, 1.0, 1)
        dialect.learn(wire.Quirks(), 400, data)
        meaning.read_error(400, {}, data, "m", "there", {"top_p": 1})

    is_linear(parse, head + before, again, after + tail)


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The parts of a run that was exported."""
    folder = tmp_path_factory.mktemp("exported")
    with Store.open(folder / "s.db") as store:
        store.create_run("r", "world", {}, samples.plan(3))
        for trial in store.trial_ids("r"):
            for turn in range(3):
                store.append("r", trial, samples.moved(turn))
        export_run(store, "r", folder / "r.zip")
    return parts_of(folder / "r.zip")


@settings(few, max_examples=12)
@given(data=st.data(), part=st.sampled_from(["run.jsonl", "trials.jsonl", "events.jsonl"]))
def test_a_run_that_is_put_back(
    exported: dict[str, str], tmp_path: Path, data: st.DataObject, part: str
) -> None:
    text = exported[part]
    at = data.draw(st.integers(0, len(text)))
    again = data.draw(st.one_of(UNITS, st.sampled_from(text.splitlines(keepends=True))))
    file = tmp_path / "spoilt.zip"
    others = {name: lines for name, lines in exported.items() if name != MANIFEST}

    def parse(spoilt: str) -> None:
        sound = spoilt.encode("utf-8", "replace").decode()
        write_parts(
            file, {**others, part: sound}, {"sociolab_bundle": 1, "version": "", "about": {}}
        )
        (tmp_path / "t.db").unlink(missing_ok=True)
        with Store.open(tmp_path / "t.db") as store, suppress(StoreError):
            import_run(store, file)

    is_linear(parse, text[:at], again, text[at:])


RATING_PIECES = st.sampled_from(
    [ROW, HEAD, "x,ann,r1,goal,7,kind,1\n", '"', ",", ";", "\t", "\n", "\r", "a", "goal", "\x00",
     "7", "{", '{"goal":', "episode,", "ann", "é", "5f3c0123456789abcdef0123", "\ufeff", " "]
)  # fmt: skip
RATINGS = st.lists(RATING_PIECES, max_size=5).map("".join)


@few
@given(
    before=st.one_of(RATINGS, st.just(HEAD), st.just(ROW + "\n")),
    again=st.lists(RATING_PIECES, min_size=1, max_size=4).map("".join),
    after=RATINGS,
)
def test_a_file_of_ratings(before: str, again: str, after: str) -> None:
    def parse(text: str) -> None:
        with suppress(ConfigError):
            read_ratings(read_table(text.encode()), RUN)

    is_linear(parse, before, again, after)


TOML_PIECES = st.sampled_from(
    ["a = 1\n", "[a]\n", "[[a]]\n", "a.", "a.b = 1\n", '"', "'''", '"""', "[", "]", "{", "}", "=",
     ",", "a", "\n", "#", "\\", "1979-05-27", "[endpoints.x]\n", 'base_url = "http://h"\n', "é",
     'agents = ["scripted"]\n', "0x", "1e9", "nan", " "]
)  # fmt: skip
TOMLS = st.lists(TOML_PIECES, max_size=5).map("".join)


@few
@given(before=TOMLS, again=st.lists(TOML_PIECES, min_size=1, max_size=4).map("".join), after=TOMLS)
@pytest.mark.parametrize("reader", [read_run, load_models])
def test_a_file_that_describes_a_run_or_models(
    reader: Callable[[Path], object], tmp_path: Path, before: str, again: str, after: str
) -> None:
    file = tmp_path / "run.toml"

    def parse(text: str) -> None:
        file.write_text(text, "utf-8", newline="")
        with suppress(SociolabError):
            reader(file)

    is_linear(parse, before, again, after)


def test_the_count_tells_what_is_quadratic() -> None:
    def quadratic(text: str) -> None:
        for start in range(len(text)):
            for _ in range(start // 50):
                pass

    with pytest.raises(AssertionError, match="at twice the length"):
        is_linear(quadratic, "", "{", "")


def test_a_sound_export_is_put_back(exported: dict[str, str], tmp_path: Path) -> None:
    """So that what is spoilt above was whole."""
    parts = {name: text for name, text in exported.items() if name != MANIFEST}
    write_parts(tmp_path / "r.zip", parts, {"sociolab_bundle": 1, "version": "", "about": {}})
    with Store.open(tmp_path / "t.db") as store:
        assert import_run(store, tmp_path / "r.zip") == "r"


def test_a_dotted_name_without_end_is_refused(tmp_path: Path) -> None:
    (tmp_path / "run.toml").write_text("a." * 5_000 + "a = 1", "utf-8")
    with pytest.raises(ConfigError, match="names of a few parts, found more than 1,000 dots"):
        read_run(tmp_path / "run.toml")
    (tmp_path / "run.toml").write_text(f'name = "{"." * 5_000}"', "utf-8")
    assert read_run(tmp_path / "run.toml")["name"] == "." * 5_000
