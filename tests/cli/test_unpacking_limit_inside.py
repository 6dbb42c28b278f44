"""A small file that unpacks to a huge one is refused before it fills the memory."""

from __future__ import annotations

import gzip
import io
import tarfile
import zipfile
import zlib
from pathlib import Path

import pytest

from cli.conftest import Sociolab
from sociolab.core.errors import ConfigError
from sociolab.core.unpacking import MOST_UNPACKED, inflate, open_unpacked, open_zip

MIB = 1 << 20
SOURCE = "sotopia/envs/evaluators.py"


def write_bomb(path: Path) -> None:
    with gzip.open(path, "wb", 1) as packed:
        for _ in range(MOST_UNPACKED // MIB + 2):
            packed.write(b" " * MIB)


def test_a_gzipped_file_has_a_limit(sociolab: Sociolab, tmp_path: Path) -> None:
    write_bomb(tmp_path / "play.jsonl.gz")
    assert (tmp_path / "play.jsonl.gz").stat().st_size < 2 * MIB

    refused = sociolab("import", "dnd", "play.jsonl.gz", "--name", "x")

    assert refused.code == 2
    assert "play.jsonl.gz: expected at most 256 MiB when unpacked" in refused.sentence


@pytest.mark.parametrize("name", ["sotopia.whl", "sotopia.tar.gz"])
def test_a_package_has_a_limit(sociolab: Sociolab, tmp_path: Path, name: str) -> None:
    huge = io.BytesIO(bytes(MOST_UNPACKED + 1))
    if name.endswith("whl"):
        with zipfile.ZipFile(tmp_path / name, "w", zipfile.ZIP_DEFLATED) as wheel:
            wheel.writestr(SOURCE, huge.getbuffer())
    else:
        with tarfile.open(tmp_path / name, "w:gz", compresslevel=1) as sdist:
            member = tarfile.TarInfo(f"sotopia-1/{SOURCE}")
            member.size = len(huge.getbuffer())
            sdist.addfile(member, huge)

    refused = sociolab("import", "prompts", "sotopia", name, "--name", "theirs")

    assert refused.code == 2
    assert f"{name}: expected at most 256 MiB when unpacked" in refused.sentence


def test_what_is_within_the_limit_is_read_whole(tmp_path: Path) -> None:
    path = tmp_path / "packed"
    path.write_bytes(gzip.compress(b"a" * 10) + gzip.compress(b"b" * 10))
    with open_unpacked(path, 20) as file:
        assert file.read() == b"a" * 10 + b"b" * 10
    with open_unpacked(path, 19) as file, pytest.raises(ConfigError, match="when unpacked"):
        file.read()

    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("one", b"a" * 10)
        archive.writestr("two", b"b" * 10)
    with open_zip(tmp_path / "a.zip", 20) as archive:
        assert archive.read("two") == b"b" * 10
    with pytest.raises(ConfigError, match="when unpacked"):
        open_zip(tmp_path / "a.zip", 19)


def test_a_compressed_value_has_a_limit() -> None:
    packed = zlib.compress(b"a" * MIB)
    assert inflate(packed) == b"a" * MIB
    assert inflate(packed, MIB) == b"a" * MIB
    with pytest.raises(zlib.error, match="more than"):
        inflate(packed, MIB - 1)
    with pytest.raises(zlib.error, match="incomplete"):
        inflate(packed[:-5])
