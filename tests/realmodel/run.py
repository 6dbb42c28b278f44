"""Run these tests with the model that SOCIOLAB_REAL_MODEL_URL serves; without one, say so.

    SOCIOLAB_REAL_MODEL_URL=http://127.0.0.1:8080/v1 make test-realmodel

SOCIOLAB_REAL_MODEL names the model; by default it is the first that the server lists.
"""

from __future__ import annotations

import json
import os
import sys
import urllib.request
from http.client import HTTPException
from pathlib import Path

import pytest


def first_model(base_url: str) -> str:
    """The first model of the server's list; OSError, ValueError or HTTPException without one."""
    with urllib.request.urlopen(f"{base_url}/models", timeout=30) as response:
        listed = json.load(response)
    match listed:
        case {"data": [{"id": str(name)}, *_]}:
            return name
    raise ValueError("expected a list of models, found none")


def main() -> int:
    base_url = os.environ.get("SOCIOLAB_REAL_MODEL_URL", "").rstrip("/")
    if not base_url:
        print("No real model to test with: SOCIOLAB_REAL_MODEL_URL is not set (docs/models.md).")
        return 0
    try:
        listed = first_model(base_url)
    except (OSError, ValueError, HTTPException) as problem:
        print(f"No real model to test with: {base_url}/models: {problem}.")
        return 0
    os.environ["SOCIOLAB_REAL_MODEL_URL"] = base_url
    os.environ.setdefault("SOCIOLAB_REAL_MODEL", listed)
    return pytest.main(["-v", "--durations=0", str(Path(__file__).parent), *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
