"""Without the extra everything can be imported; what needs it says so in one sentence."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from sociolab.core.errors import ConfigError
from sociolab.worlds.anteval.virtual_dm import finetune
from sociolab.worlds.anteval.virtual_dm.finetune import EncoderDM, LoraDM
from worlds.anteval.virtual_dm_finetune.finetune_examples import examples


def test_without_the_extra_fit_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(finetune, "PACKAGES", ("torch_that_is_not_there",))
    (tmp_path / "config.json").write_text("{}")
    said = r"torch_that_is_not_there is not installed; install it with: pip install .*finetune"
    with pytest.raises(ConfigError, match=said):
        EncoderDM(None).fit(examples(2))
    with pytest.raises(ConfigError, match=said):
        LoraDM(tmp_path).fit(examples(2))


def test_importing_the_virtual_dms_imports_nothing_heavy() -> None:
    code = (
        "import sys; from sociolab.worlds.anteval.virtual_dm import chat, finetune; "
        "sys.exit(' '.join({'torch', 'transformers', 'peft', 'tokenizers'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (1, "\n")


def test_the_name_tells_what_the_encoder_started_from(tmp_path: Path) -> None:
    assert EncoderDM(tmp_path).name == "encoder"
    assert EncoderDM(None).name == "encoder (random start)"


def test_weights_are_found_only_where_all_files_lie(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    package = tmp_path / "weights_made_here"
    (package / "model").mkdir(parents=True)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(finetune, "MODULE", "weights_made_here")
    (package / "__init__.py").write_text("raise RuntimeError('imported')")
    (package / "model" / "model.safetensors").write_bytes(b"")
    assert finetune.packaged_weights() is None
    (package / "model" / "tokenizer.json").write_text("{}")
    assert finetune.packaged_weights() == package / "model"
    monkeypatch.setattr(finetune, "MODULE", "weights_made_elsewhere")
    assert finetune.packaged_weights() is None
