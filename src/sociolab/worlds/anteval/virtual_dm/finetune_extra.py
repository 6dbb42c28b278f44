"""The optional extra `finetune`, asked for when something needs it."""

from __future__ import annotations

from importlib.util import find_spec

from sociolab.core.errors import ConfigError

PACKAGES = ("torch", "transformers", "peft", "tokenizers", "safetensors")


def require_finetune(who: str) -> None:
    """Nothing where the extra is installed; else ConfigError that says what `who` needs."""
    missing = [package for package in PACKAGES if find_spec(package) is None]
    if missing:
        raise ConfigError(
            f"the virtual DM {who!r} needs the extra `finetune`, and {', '.join(missing)} is not "
            'installed; install it with: pip install "sociolab[finetune]"'
        )
