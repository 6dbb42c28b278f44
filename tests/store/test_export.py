"""What is exported comes back whole; a file that is not as it was written leaves nothing."""

from __future__ import annotations

import hashlib
import itertools
import json
import random
import re
from contextlib import suppress
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from bundles import (
    MANIFEST,
    change_part,
    lines_of,
    parts_of,
    write_parts,
)
from sociolab.core import (
    ChatReply,
    Ended,
    Event,
    Json,
    ModelError,
    Prompt,
    Score,
    ScoreFailure,
    StoreError,
    Unscored,
    Verdict,
)
from sociolab.store import RunReplies, Store, export_run, import_run, lock_run

from . import samples

GOAL = {"name": "goal", "low": 0, "high": 10}


def fill(store: Store, name: str) -> None:
    """A run with something of everything."""
    store.create_run(name, "sotopia", {"seed": 1, "note": "é"}, samples.plan(4), created=7.5)
    for turn in range(3):
        store.append(name, "t1", samples.moved(turn))
    store.append(name, "t1", Ended("turn limit", 2))
    store.set_status(name, "t1", "played")
    store.append(name, "t2", samples.moved(0))
    store.set_status(name, "t2", "failed", "rate limit", "429, five times")
    store.set_status(name, "t3", "playing")
    replies = RunReplies(store, name)
    for turn in range(3):
        prompt = samples.prompt("It was late. " * turn + "Your move.")
        replies.keep(f"k{turn}", samples.call(turn=turn), "m", prompt, samples.reply())
    judging = samples.call("judging 2 of t1", role="judge")
    replies.keep("j", judging, "judge", Prompt(()), samples.reply("[]", usd=None))
    replies.keep_failure(samples.call(turn=3), "m", ModelError("gone", cause="timeout"), 1.0)
    for billed in ("told", "possible", "no"):
        replies.keep_attempt(samples.call(turn=3), "m", samples.attempt(billed), at=8.5)
    verdicts: list[Verdict] = [
        Score(samples.MEASURE, "ann", 7, "She was herself.", outcome={"agreed": False}),
        ScoreFailure(samples.MEASURE, "bob", "incomplete", "no number", "{}", 2),
        Unscored(samples.MEASURE, None, "no rule"),
        Unscored(samples.MEASURE, "bob", "they differ", "disputed", 1, 7.5),
    ]
    store.verdicts.add(name, samples.JUDGE, verdicts, trial="t1", judging=1)
    store.verdicts.add(name, samples.OTHER_JUDGE, [], trial="t1")
    store.verdicts.add(name, samples.JUDGE, verdicts[:1], cell={"agent": ["x"]})
    store.verdicts.add(name, samples.JUDGE, verdicts[:1])
    store.attach(name, "t1", "trace", b"step " * 1000)
    store.attach(name, "t1", "trace", b"\xff\x00")
    store.notes.add(name, "to be repeated", at=9.5)
    store.add_seconds(name, 12.5)


def content(store: Store, name: str) -> dict[str, Any]:
    """All that a run holds, without primary keys."""
    run = store.run(name)
    trials = store.trials(name)
    ids = [row.trial.id for row in trials]
    calls = [
        (row.key, row.call, row.model, row.prompt_hash, row.reply, row.at, prompt)
        for row, prompt in store.calls.with_prompts(name)
    ]
    return {
        "run": (run.world, run.settings, run.created, run.seconds),
        "trials": trials,
        "events": [store.events(name, id_) for id_ in ids],
        "calls": calls,
        "failures": store.calls.failures(name),
        "notes": [(note.other, note.text, note.at) for note in store.notes.of(name)],
        "ledger": list(store.calls.ledger(name)),
        "judgings": list(store.verdicts.judgings(name)),
        "outcomes": [
            verdict.outcome
            for row in store.verdicts.judgings(name)
            for verdict in row.verdicts
            if isinstance(verdict, Score)
        ],
        "totals": store.calls.totals(name),
        "attachments": [
            (id_, title, list(store.attachment(name, id_, title)))
            for id_ in ids
            for title in store.attachments(name, id_)
        ],
    }


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "run.zip"


@pytest.fixture
def exported(store: Store, file: Path) -> Path:
    fill(store, "r")
    export_run(store, "r", file)
    return file


def test_a_run_comes_back_whole_under_another_name(store: Store, exported: Path) -> None:
    assert import_run(store, exported, "again") == "again"
    assert content(store, "again") == content(store, "r")
    assert len(content(store, "r")["calls"]) == 4


def test_a_run_comes_back_in_another_store_under_its_own_name(
    store: Store, exported: Path, tmp_path: Path
) -> None:
    with Store.open(tmp_path / "other.db") as other:
        assert import_run(other, exported) == "r"
        assert content(other, "r") == content(store, "r")


def test_what_was_imported_exports_to_the_same_bytes(
    store: Store, exported: Path, tmp_path: Path
) -> None:
    with Store.open(tmp_path / "other.db") as other:
        import_run(other, exported)
        export_run(other, "r", tmp_path / "again.zip")
    assert (tmp_path / "again.zip").read_bytes() == exported.read_bytes()


def test_an_imported_run_can_be_resumed(store: Store, exported: Path) -> None:
    import_run(store, exported, "again")
    assert RunReplies(store, "again").find("k1") == samples.reply()
    store.append("again", "t2", samples.moved(1))
    assert store.events("again", "t2") == (samples.moved(0), samples.moved(1))


_names = itertools.count()


def sound(what: Any) -> Any:
    """The same, with replacement characters for text that UTF-8 cannot say."""
    if isinstance(what, str):
        return re.sub("[\ud800-\udfff]", "\ufffd" * 3, what)
    if isinstance(what, (tuple, list)):
        return type(what)(map(sound, what))
    if isinstance(what, dict):
        return {sound(key): sound(value) for key, value in what.items()}
    if is_dataclass(what) and not isinstance(what, type):
        return replace(what, **{f.name: sound(getattr(what, f.name)) for f in fields(what)})
    return what


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(samples.events.map(sound), max_size=4),
    st.lists(st.tuples(samples.prompts, samples.replies).map(sound), max_size=3),
    st.lists(samples.verdicts.map(sound), max_size=3, unique_by=lambda v: (v.measure, v.seat)),
    samples.json_values.map(sound),
)
def test_any_run_comes_back(
    store: Store,
    file: Path,
    events: list[Event],
    calls: list[tuple[Prompt, ChatReply]],
    verdicts: list[Verdict],
    run_settings: Json,
) -> None:
    name = f"r{next(_names)}"
    store.create_run(name, "world", run_settings, samples.plan(1))
    for event in events:
        store.append(name, "t1", event)
    replies = RunReplies(store, name)
    for number, (prompt, reply) in enumerate(calls):
        replies.keep(f"k{number}", samples.call(turn=number), "m", prompt, reply)
    store.verdicts.add(name, samples.JUDGE, verdicts, trial="t1")
    export_run(store, name, file)
    import_run(store, file, f"{name}-again")
    assert content(store, f"{name}-again") == content(store, name)


def test_half_a_surrogate_pair_is_exported_as_replacement_characters(
    store: Store, file: Path
) -> None:
    store.create_run("r", "world", {}, samples.plan(1))
    store.append("r", "t1", samples.moved(0, "So \ud83d"))
    export_run(store, "r", file)
    import_run(store, file, "again")
    (event,) = store.episode("again", "t1").moves
    assert event.actions[0].text == "So \N{REPLACEMENT CHARACTER}" + "\N{REPLACEMENT CHARACTER}" * 2


def test_each_part_has_lines_of_one_kind(exported: Path) -> None:
    parts = {part: lines_of(exported, part) for part in parts_of(exported) if part != MANIFEST}
    assert {part: {line["line"] for line in lines} for part, lines in parts.items()} == {
        "run.jsonl": {"run"},
        "tasks.jsonl": {"task"},
        "trials.jsonl": {"trial"},
        "events.jsonl": {"event"},
        "calls.jsonl": {"call"},
        "call_failures.jsonl": {"call_failure"},
        "attempts.jsonl": {"attempt"},
        "judgings.jsonl": {"judging"},
        "attachments.jsonl": {"attachment"},
        "notes.jsonl": {"note"},
    }
    assert len(parts["tasks.jsonl"]) == 2
    last = parts["calls.jsonl"][-1]
    assert last["prompt"]["messages"][0] == {"role": "system", "text": "You are Ann."}
    assert len(last["prompt_hash"]) == 32


def test_the_manifest_says_what_is_inside_and_has_every_hash(exported: Path) -> None:
    texts = parts_of(exported)
    manifest = json.loads(texts.pop(MANIFEST))
    assert (manifest["sociolab_bundle"], manifest["about"]["run"]) == (1, "r")
    assert manifest["about"]["played"] == 1
    assert manifest["parts"] == {
        part: {
            "lines": text.count("\n"),
            "bytes": len(text.encode()),
            "sha256": hashlib.sha256(text.encode()).hexdigest(),
        }
        for part, text in texts.items()
    }


def test_an_unknown_run_is_not_exported(store: Store, file: Path) -> None:
    with pytest.raises(StoreError, match='there is no run "x"'):
        export_run(store, "x", file)
    assert not file.exists()


def test_an_unwritable_file_is_a_sentence(store: Store, tmp_path: Path) -> None:
    store.create_run("r", "world", {}, ())
    with pytest.raises(StoreError, match='run "r" cannot be written to'):
        export_run(store, "r", tmp_path / "nowhere" / "run.zip")


def test_an_export_that_fails_leaves_no_file(store: Store, file: Path) -> None:
    fill(store, "r")
    store.write("UPDATE calls SET prompt = x'00'")
    with pytest.raises(StoreError, match="a prompt in the store cannot be read"):
        export_run(store, "r", file)
    assert [path.name for path in file.parent.glob("run*")] == []


def test_a_taken_name_is_refused(store: Store, exported: Path) -> None:
    with pytest.raises(StoreError, match='there is a run "r" already'):
        import_run(store, exported)
    assert content(store, "r")["run"][0] == "sotopia"


def test_a_missing_file_is_a_sentence(store: Store, tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"none\.zip cannot be read"):
        import_run(store, tmp_path / "none.zip")


@pytest.mark.parametrize("text", ["", "Dear diary\n", '{"a": 1}\n', "\udcff\udcfe\n", "PK"])
def test_a_file_that_is_no_export_is_refused(store: Store, tmp_path: Path, text: str) -> None:
    file = tmp_path / "run.jsonl"
    file.write_text(text, errors="surrogateescape")
    with pytest.raises(StoreError, match="expected a bundle that `sociolab export` wrote"):
        import_run(store, file)
    assert store.runs() == ()


@pytest.mark.parametrize(
    ("kind", "change"),
    [
        ("run", {"created": "yesterday"}),
        ("run", {"colour": "red"}),
        ("task", {"task": {"id": "x"}}),
        ("trial", {"status": "dreamt"}),
        ("trial", {"trial": {"id": "t1", "task": 9}}),
        ("trial", {"trial": {"id": "t1"}}),
        ("event", {"event": ["sang", 0]}),
        ("event", {"event": ["moved", 0]}),
        ("event", {"trial": "t9"}),
        ("call", {"key": 5}),
        ("call", {"reply": {}}),
        ("call", {"reply": {"text": "a", "usage": {"prompt": 2**62}}}),
        ("call", {"reply": {"text": "a", "usage": {"completion": -1}}}),
        ("call", {"reply": {"text": "a", "usage": {"cached": True}}}),
        ("call_failure", {"tries": 2**70}),
        ("call_failure", {"cause": "bad mood"}),
        ("call", {"reply": {"text": "a", "served": {"cap": "long"}}}),
        ("attempt", {"attempt": {"number": 1}}),
        ("attempt", {"model": None}),
        ("judging", {"trial": "t9"}),
        ("judging", {"verdicts": [{"value": 11, "seat": None, "measure": {"name": "m"}}]}),
        ("judging", {"verdicts": [{"value": 11, "seat": None, "measure": GOAL}]}),
        ("attachment", {"data": "%%%"}),
    ],
)
def test_a_broken_line_is_named_and_nothing_is_left(
    store: Store, exported: Path, kind: str, change: dict[str, object]
) -> None:
    def broken(text: str) -> str:
        first, *rest = text.splitlines(keepends=True)
        return "".join([json.dumps({**json.loads(first), **change}) + "\n", *rest])

    part = f"{kind}s.jsonl" if kind != "run" else "run.jsonl"
    change_part(exported, part, broken)
    part = "trials.jsonl" if kind == "task" else part  # it is read with its trial
    with pytest.raises(StoreError, match=rf"run\.zip, {part}, line 1: "):
        import_run(store, exported, "again")
    assert [run.name for run in store.runs()] == ["r"]


def test_two_calls_under_one_key_are_refused(store: Store, exported: Path) -> None:
    change_part(exported, "calls.jsonl", lambda text: text.replace('"key":"k1"', '"key":"k2"'))
    with pytest.raises(StoreError, match="two calls of this run have the same key"):
        import_run(store, exported, "again")
    assert [run.name for run in store.runs()] == ["r"]


# ------------------------------------------------------------------ what is not as it was written


def test_every_changed_byte_is_noticed_or_changes_nothing(
    store: Store, exported: Path, tmp_path: Path
) -> None:
    sound, before = exported.read_bytes(), content(store, "r")
    chance, refused = random.Random(3), 0
    for at in chance.sample(range(len(sound)), 300):
        changed = bytearray(sound)
        changed[at] ^= 1 << chance.randrange(8)
        exported.write_bytes(changed)
        with Store.open(tmp_path / f"{at}.db") as other:
            with suppress(StoreError):
                import_run(other, exported, "r")
            if other.has_run("r"):
                assert content(other, "r") == before, f"byte {at} went unnoticed"
            else:
                refused += 1
    assert refused > 200


def test_a_part_that_was_changed_is_named(store: Store, exported: Path) -> None:
    parts = parts_of(exported)
    manifest = json.loads(parts.pop(MANIFEST))
    parts["judgings.jsonl"] = parts["judgings.jsonl"].replace('"value":7', '"value":9', 1)
    write_parts(exported, parts, manifest)
    with pytest.raises(StoreError, match=r"run\.zip: its part judgings\.jsonl was changed"):
        import_run(store, exported, "again")


def test_a_part_that_is_longer_than_it_should_be_is_not_unpacked(
    store: Store, exported: Path
) -> None:
    parts = parts_of(exported)
    manifest = json.loads(parts.pop(MANIFEST))
    write_parts(exported, {**parts, "events.jsonl": "0" * 20_000_000}, manifest)
    with pytest.raises(StoreError, match=r"its part events\.jsonl was changed"):
        import_run(store, exported, "again")


def test_a_line_of_endless_length_is_not_read(store: Store, exported: Path) -> None:
    change_part(exported, "events.jsonl", lambda _: "[" * (65 * 2**20))
    with pytest.raises(StoreError, match=r"events\.jsonl: expected lines of at most"):
        import_run(store, exported, "again")


@pytest.mark.parametrize("unnamed", [True, False])
@pytest.mark.parametrize("part", ["trials.jsonl", "attachments.jsonl"])
def test_a_missing_part_is_named(store: Store, exported: Path, part: str, unnamed: bool) -> None:
    parts = parts_of(exported)
    manifest = json.loads(parts.pop(MANIFEST))
    del parts[part]
    if unnamed:  # in the manifest either
        del manifest["parts"]
    write_parts(exported, parts, manifest)
    with pytest.raises(StoreError, match=rf"its part {part} is missing"):
        import_run(store, exported, "again")


def test_a_bundle_of_a_newer_version_names_it(store: Store, exported: Path) -> None:
    manifest = {"sociolab_bundle": 2, "version": "7.1", "parts": [], "colour": "red"}
    write_parts(exported, {}, manifest)
    with pytest.raises(StoreError, match=r"bundle of format 2 .* reads 1; use .* wrote it, 7\.1"):
        import_run(store, exported, "again")


@pytest.mark.parametrize(
    ("manifest", "problem"),
    [
        (None, "it has no manifest.json"),
        ("[]", "its manifest.json is not that of a bundle"),
        ("{", "it is damaged"),
        ('{"sociolab_bundle": 1}', "its manifest.json: "),
        (" " * 2_000_000, "its manifest.json is larger"),
    ],
)
def test_a_zip_that_is_no_bundle_is_refused(
    store: Store, file: Path, manifest: str | None, problem: str
) -> None:
    with ZipFile(file, "w", ZIP_DEFLATED) as archive:
        archive.writestr("word/document.xml", "<w/>")
        if manifest is not None:
            archive.writestr(MANIFEST, manifest)
    with pytest.raises(StoreError, match=rf"run\.zip: {problem}"):
        import_run(store, file)


def test_what_others_put_beside_the_parts_is_not_read(store: Store, exported: Path) -> None:
    with ZipFile(exported, "a") as archive:
        archive.writestr("LICENSE", "CC BY")
    assert import_run(store, exported, "again") == "again"


def test_a_line_in_the_wrong_part_is_refused(store: Store, exported: Path) -> None:
    trials = parts_of(exported)["trials.jsonl"]
    change_part(exported, "events.jsonl", lambda text: text + trials)
    with pytest.raises(StoreError, match=r'events\.jsonl, line 6: a "trial" line comes too late'):
        import_run(store, exported, "again")


# ------------------------------------------------------------------ one run in the place of another


def test_a_run_is_replaced_only_if_that_is_asked_for(store: Store, exported: Path) -> None:
    store.set_status("r", "t4", "failed", "timeout", "since then")
    changed = content(store, "r")
    with pytest.raises(StoreError, match=r'there is a run "r" already; .* or add --replace'):
        import_run(store, exported)
    assert content(store, "r") == changed
    assert import_run(store, exported, replace=True) == "r"
    assert content(store, "r") != changed
    assert [run.name for run in store.runs()] == ["r"]


def test_a_run_stays_as_it_was_where_the_one_in_its_place_is_broken(
    store: Store, exported: Path
) -> None:
    before = content(store, "r")
    exported.write_bytes(exported.read_bytes()[:-30])
    with pytest.raises(StoreError):
        import_run(store, exported, replace=True)
    assert content(store, "r") == before


def test_a_run_of_a_study_or_that_is_being_played_is_not_replaced(
    store: Store, exported: Path
) -> None:
    with lock_run(store.path, "r"), pytest.raises(StoreError, match="in use by process"):
        import_run(store, exported, replace=True)
    store.studies.create("talks", "play", {}, "r")
    with pytest.raises(StoreError, match='"r" belongs to the study talks and is not replaced'):
        import_run(store, exported, replace=True)
    assert store.has_run("r")
