"""A bundle: parts of JSON lines in one ZIP file, with a manifest that names, sizes and hashes them.

This module knows the file alone: what the lines say is the matter of `store.export`.
"""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Annotated
from zipfile import ZIP_DEFLATED, BadZipFile, ZipFile, ZipInfo, is_zipfile

from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError

from sociolab.core import __version__
from sociolab.core.errors import StoreError
from sociolab.core.reading import first_problem
from sociolab.core.user_files import atomic_file

FORMAT = 1
"""Of the bundle; raised with every change that this version would not read rightly."""

MANIFEST = "manifest.json"

LONGEST_LINE = 64 * 2**20
"""In bytes: a longer line is not read, whatever the file unpacks to."""

_LARGEST_MANIFEST = 2**20
_CHUNK = 2**20
_MOST_BYTES = 64 << 30
"""Of all parts together, which are read line by line."""

_DAMAGED = (BadZipFile, EOFError, zlib.error, NotImplementedError, RuntimeError, ValueError)
"""What `zipfile` raises where bytes of an archive were changed."""


class BundleError(StoreError):
    """A bundle that is not as it was written, is incomplete, or of a newer version."""


class BundlePart(BaseModel):
    """What a part holds before it is compressed."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    lines: Annotated[int, Field(ge=0)]
    bytes: Annotated[int, Field(ge=0)]
    sha256: str


class BundleManifest(BaseModel):
    """The manifest: `about` says what is in the bundle, for people; the parts, in their order, are
    what is read."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    sociolab_bundle: int
    version: str
    about: dict[str, JsonValue]
    parts: dict[str, BundlePart]


def write_bundle(
    file: Path, about: Mapping[str, JsonValue], parts: Iterable[tuple[str, Iterable[str]]]
) -> None:
    """Write the lines of each part, and the manifest last; equal lines give equal bytes. The file
    appears only when complete; OSError if it cannot be written."""
    written: dict[str, BundlePart] = {}
    with atomic_file(file) as unfinished, ZipFile(unfinished, "w") as archive:
        for name, lines in parts:
            count = size = 0
            sha256 = hashlib.sha256()
            with archive.open(_entry(name), "w", force_zip64=True) as out:
                for line in lines:
                    data = line.encode() + b"\n"
                    count += 1
                    size += out.write(data)
                    sha256.update(data)
            written[name] = BundlePart(lines=count, bytes=size, sha256=sha256.hexdigest())
        manifest = BundleManifest(
            sociolab_bundle=FORMAT, version=__version__, about=dict(about), parts=written
        )
        archive.writestr(_entry(MANIFEST), json.dumps(manifest.model_dump(), indent=2) + "\n")


def _entry(name: str) -> ZipInfo:
    """An entry without a time: the moment of writing is no part of a run."""
    entry = ZipInfo(name)
    entry.compress_type = ZIP_DEFLATED
    return entry


def check_bundle(file: Path, needed: Iterable[str]) -> BundleManifest:
    """Read a bundle's manifest, and compare every part with it.

    BundleError where a part was changed or is missing, or the bundle is of a newer version. Nothing
    is unpacked beyond the sizes in the manifest, and nothing of a file that would unpack to more
    than 64 GiB.
    """
    try:
        with file.open("rb") as opened:
            if not is_zipfile(opened):
                raise BundleError(
                    f"{file}: expected a bundle that `sociolab export` wrote, found no complete "
                    f"ZIP file; name another, or {_AGAIN}"
                )
        with ZipFile(file) as archive:
            if sum(entry.file_size for entry in archive.infolist()) > _MOST_BYTES:
                raise BundleError(f"{file}: expected at most 64 GiB when unpacked, found more")
            manifest = _read_manifest(file, archive)
            for name in dict.fromkeys((*needed, *manifest.parts)):
                _check_part(file, archive, manifest, name)
    except _DAMAGED as error:
        raise BundleError(
            f"{file}: it is damaged and cannot be unpacked ({error}); {_AGAIN}"
        ) from error
    return manifest


def bundle_lines(file: Path, part: str) -> Iterator[bytes]:
    """The lines of a part of a bundle that `check_bundle` has checked."""
    with ZipFile(file) as archive, archive.open(part) as lines:
        while line := lines.readline(LONGEST_LINE + 1):
            if len(line) > LONGEST_LINE:
                raise StoreError(
                    f"expected lines of at most {LONGEST_LINE:,} bytes, found a longer one"
                )
            yield line


_AGAIN = "get it again from where it comes from"


def _read_manifest(file: Path, archive: ZipFile) -> BundleManifest:
    if MANIFEST not in archive.namelist():
        raise BundleError(f"{file}: it has no {MANIFEST}: name a file that `sociolab export` wrote")
    if archive.getinfo(MANIFEST).file_size > _LARGEST_MANIFEST:
        raise BundleError(f"{file}: its {MANIFEST} is larger than that of any bundle; {_AGAIN}")
    fields = json.loads(archive.read(MANIFEST))
    version = fields.get("sociolab_bundle") if isinstance(fields, dict) else None
    if not isinstance(version, int):
        raise BundleError(
            f"{file}: its {MANIFEST} is not that of a bundle; name a file that `sociolab export` "
            "wrote"
        )
    if version != FORMAT:
        raise BundleError(
            f"{file}: it is a bundle of format {version} and this sociolab ({__version__}) reads "
            f"{FORMAT}; use the version that wrote it, {fields.get('version')}, or a newer one"
        )
    try:
        return BundleManifest.model_validate(fields)
    except ValidationError as error:
        problem = first_problem(error, BundleManifest)
        raise BundleError(f"{file}: its {MANIFEST}: {problem}; {_AGAIN}") from error


def _check_part(file: Path, archive: ZipFile, manifest: BundleManifest, name: str) -> None:
    part = manifest.parts.get(name)
    if part is None or name not in archive.namelist():
        raise BundleError(f"{file}: its part {name} is missing; {_AGAIN}")
    size, sha256 = archive.getinfo(name).file_size, hashlib.sha256()
    if size == part.bytes:  # and so it unpacks to no more
        with archive.open(name) as opened:
            while chunk := opened.read(_CHUNK):
                sha256.update(chunk)
    if size != part.bytes or sha256.hexdigest() != part.sha256:
        raise BundleError(
            f"{file}: its part {name} was changed after it was written (expected {part.bytes:,} "
            f"bytes with the SHA-256 {part.sha256[:12]}..., found others); {_AGAIN}"
        )
