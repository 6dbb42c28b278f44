"""A file of another program gets one sentence: what it looks like, and what helps."""

from __future__ import annotations

import gzip
import io
import json
import sqlite3
import zipfile
from pathlib import Path

import pytest

from cli.conftest import Sociolab

MESSAGE = {"speaker": {"alias": "Sorrel"}, "content": "I listen.", "timestamp": 17, "_id": "a"}
CHAT = {"messages": [{"role": "user", "content": "Hello."}]}
PAGE = "<!DOCTYPE html>\n<html><body>Sign in</body></html>"
DISCORD = {"guild": {"id": "1"}, "channel": {"id": "2"}, "messages": []}
GAME = {"scenario": "Mill", "agents": [{"name": "Ida", "role": "Seer", "team": "Village"}]}
EPISODE = {"pk": "e", "environment": "s", "agents": ["a", "b"], "messages": [], "tag": "t"}
SHOW = {"METADATA": {}, "TURNS": [{"NAMES": ["IDA"], "UTTERANCES": ["Roll."]}]}
CAMP = {"dialogue_id": 1, "chat_logs": [], "participant_info": {}}
MAP = {"type": "map", "tilewidth": 16, "tileheight": 16, "layers": []}
INSPECT = {"version": 2, "status": "success", "eval": {"task": "t"}, "plan": {}}
QUALTRICS = "StartDate,EndDate,Status,Progress,ResponseId,Q1\n1,2,0,100,R_1,7\n"


def zipped(name: str) -> bytes:
    """An archive with this empty file in it."""
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as opened:
        opened.writestr(name, "")
    return archive.getvalue()


@pytest.mark.parametrize(
    ("name", "content", "looks_like", "helps"),
    [
        ("log.db", MESSAGE, "Foundry VTT", "docs/import-dnd.md"),
        ("log.txt", "[11/2/2026, 8:15:12 PM] Sorrel\nI listen.\n" + "-" * 27, "Foundry", "docs/"),
        ("iso.txt", "[2026-11-02 20:15] Sorrel\r\nI listen.\r\n", "Foundry VTT", "docs/"),
        ("d.txt", "====\nGuild: The Mill\nChannel: Text / play\n", "DiscordChatExporter", "docs/"),
        ("d.html", "<!DOCTYPE html><style>.chatlog__x{}</style>", "DiscordChatExporter", "docs/"),
        ("avrae.txt", "Ida: I listen.\n!check perception adv\n", "Avrae", "docs/import-dnd.md"),
        ("discord.json", DISCORD, "DiscordChatExporter", "docs/import-dnd.md"),
        ("mill.json", GAME, "social games", "docs/worlds.md"),
        ("dump.rdb", b"REDIS0011\xfa\x09redis-ver", "a Redis dump", "EpisodeLog.all_pks()"),
        ("q.csv", QUALTRICS, "Qualtrics", "sociolab import ratings q.csv"),
        ("q16.csv", QUALTRICS.encode("utf-16"), "Qualtrics", "import ratings"),
        ("b.csv", "HITId,AssignmentId,WorkerId\nH,A,W\n", "Mechanical Turk", "import ratings"),
        ("ls.json", [{"id": 1, "data": {}, "annotations": []}], "Label Studio", "import ratings"),
        ("town.tmj", MAP, "a Tiled map", "docs/towns.md"),
        ("town.tmx", '<?xml version="1.0"?>\n<map tilewidth="16">', "a Tiled map", "docs/towns.md"),
        ("log.json", INSPECT, "Inspect", "sociolab import inspect"),
        ("chat.jsonl", CHAT, "OpenAI's form", "docs/import-sotopia.md"),
        ("talk.json", [{"conversations": [{"from": "a", "value": "b"}]}], "ShareGPT", "docs/"),
        ("run.zip", zipped("judgings.jsonl"), "exported by sociolab", "import run run.zip"),
        ("e.jsonl", EPISODE, "episodes of SOTOPIA", "import sotopia-episodes e.jsonl"),
        ("c.json", [CAMP], "CaSiNo's negotiations", "sociolab import casino c.json"),
        ("val.txt", "<input> 1 4 4 1 1 2 </input> <dialogue> YOU: hi", "Deal or No Deal", "import"),
        ("C1E001.json", SHOW, "CRD3", "sociolab import crd3"),
        ("rows.parquet", b"PAR1\x15\x04", "a Parquet file", "read_parquet('rows.parquet')"),
        ("paper.pdf", b"%PDF-1.7\n%\xe2\xe3", "a PDF", "the data it was made from"),
        ("face.png", b"\x89PNG\r\n\x1a\n", "a picture", "the data it was made from"),
        ("rows.jsonl", PAGE, "a web page", "Raw"),
    ],
)
def test_a_known_foreign_file_is_named_with_what_helps(
    sociolab: Sociolab,
    tmp_path: Path,
    name: str,
    content: bytes | str | object,
    looks_like: str,
    helps: str,
) -> None:
    text = content if isinstance(content, str | bytes) else json.dumps(content)
    (tmp_path / name).write_bytes(text if isinstance(text, bytes) else text.encode())

    refused = sociolab("import", "dnd", name, "--name", "x")

    assert refused.code == 2
    assert refused.sentence.startswith(f"sociolab: {name} looks like ")
    assert looks_like in refused.sentence
    assert helps in refused.sentence
    assert not (tmp_path / "lab").exists() or not [*(tmp_path / "lab").rglob("x*")]


def test_archives_are_told_by_what_is_in_them(sociolab: Sociolab, tmp_path: Path) -> None:
    for name, member in (("a.zip", "rows.jsonl"), ("b.xlsx", "xl/workbook.xml")):
        with zipfile.ZipFile(tmp_path / name, "w") as archive:
            archive.writestr(member, "{}")
    with gzip.open(tmp_path / "c.json.gz", "wt") as packed:
        packed.write(json.dumps(SHOW))

    told = {name: sociolab("import", "dnd", name, "--name", "x").sentence for name in
            ("a.zip", "b.xlsx", "c.json.gz")}  # fmt: skip

    assert "an archive (zip, 7z, rar, xz, bz2 or zstd): unpack it" in told["a.zip"]
    assert "a spreadsheet (.xlsx): save it as CSV" in told["b.xlsx"]
    assert "a transcript of CRD3: sociolab import crd3" in told["c.json.gz"]


def test_a_store_of_sociolab_and_a_database_of_others_are_told_apart(
    sociolab: Sociolab, tmp_path: Path
) -> None:
    with sqlite3.connect(tmp_path / "other.db") as other:
        other.execute("CREATE TABLE t (a)")
    sociolab("run", "sotopia", "--limit", 1, "--store", "mine.db")

    assert "SQLite database of another" in sociolab("import", "run", "other.db").sentence
    assert "use it with --store mine.db" in sociolab("import", "run", "mine.db").sentence


def test_a_broken_file_of_the_format_itself_keeps_its_own_error(
    sociolab: Sociolab, tmp_path: Path
) -> None:
    row = {"candidates": [], "context_turns": [], "labels": [], "id": "1", "episode": "e"}
    (tmp_path / "play.jsonl").write_text(json.dumps(row))

    assert "line 1: candidates" in sociolab("import", "dnd", "play.jsonl", "--name", "x").sentence
    assert "import dnd play.jsonl" in sociolab("import", "run", "play.jsonl").sentence


def test_an_unknown_file_is_refused_with_the_page_that_says_what_is_read(
    sociolab: Sociolab, tmp_path: Path
) -> None:
    (tmp_path / "rows.jsonl").write_text('{"a": 1}\n')
    for format, page in (
        ("dnd", "docs/import-dnd.md"),
        ("sotopia-episodes", "docs/import-sotopia.md"),
    ):
        sentence = sociolab("import", format, "rows.jsonl", "--name", "x").sentence
        assert "rows.jsonl, line 1: " in sentence
        assert page in sentence

    missing = sociolab("import", "sotopia-episodes", "gone.jsonl", "--name", "x")
    assert missing.code == 2
    assert "no such file" in missing.sentence
    assert "docs/" not in missing.sentence


def test_profiles_given_as_episodes_are_named(sociolab: Sociolab, tmp_path: Path) -> None:
    ida = {"first_name": "Ida", "last_name": "Mill", "big_five": "open"}
    (tmp_path / "p.jsonl").write_text(json.dumps(ida), "utf-8")
    done = sociolab("import", "sotopia-episodes", "p.jsonl", "--name", "x", "--store", "s.db")
    assert done.code == 2
    assert "a data set of SOTOPIA, without episodes: sociolab import sotopia" in done.sentence


def test_a_redis_dump_is_known_by_its_name_in_a_folder(sociolab: Sociolab, tmp_path: Path) -> None:
    (tmp_path / "redis").mkdir()
    (tmp_path / "redis" / "dump.rdb").write_bytes(b"REDIS0011")

    refused = sociolab("import", "sotopia-episodes", "redis", "--name", "x")

    assert "EpisodeLog.all_pks()" in refused.sentence


def test_a_damaged_archive_is_not_to_be_unpacked(sociolab: Sociolab, tmp_path: Path) -> None:
    (tmp_path / "cut.xlsx").write_bytes(zipped("xl/workbook.xml")[:40])

    refused = sociolab("import", "ratings", "cut.xlsx")

    assert refused.code == 2
    assert "unpack it" not in refused.sentence
