"""Vectors as text, so that embeddings are stored like any other reply."""

from __future__ import annotations

import base64
import binascii
import zlib
from collections.abc import Sequence
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from sociolab.core.errors import StoreError
from sociolab.core.unpacking import inflate

GRAIN: Final = 2048
"""Unit vectors are rounded to multiples of 1/2048 before they are compared, so that a stored vector
equals the one that was used, to the last bit."""

Vector: TypeAlias = npt.NDArray[np.float32]


def encode_vector(vector: Sequence[float] | Vector) -> str:
    """A vector as base64, scaled to length one (zeros stay zeros); about a byte per dimension."""
    values = np.asarray(vector, np.float64)
    length = float(np.linalg.norm(values))
    rounded = np.rint(values / (length or 1.0) * GRAIN).astype("<i2")
    return base64.b64encode(zlib.compress(rounded.tobytes(), 6)).decode()


def decode_vector(text: str) -> Vector:
    """The inverse of `encode_vector`, of length one; StoreError for any other text."""
    try:
        rounded = np.frombuffer(inflate(base64.b64decode(text, validate=True)), "<i2")
    except (ValueError, zlib.error, binascii.Error) as error:
        raise StoreError(f'expected the vector of an embedding, found "{text[:40]}"') from error
    return rounded.astype(np.float32) / np.float32(GRAIN)
