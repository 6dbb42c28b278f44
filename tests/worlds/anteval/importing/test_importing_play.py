"""`sociolab import` of real play: where it goes, and that a name is not taken twice."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from sociolab.app.data.importing import Import, import_anything, world_formats
from sociolab.app.data.sets import imported_folder, imported_names
from sociolab.core.errors import ConfigError, StoreError
from sociolab.worlds.anteval.importing.dnd import read_examples

TRANSCRIPT = """DM: Petra
Players: Ines = Bramble
Ines: I hum a tune.
[check: Bramble, performance]
"""


@pytest.fixture
def wanted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Import:
    monkeypatch.setenv("SOCIOLAB_HOME", str(tmp_path / "home"))
    source = tmp_path / "night.txt"
    source.write_text(TRANSCRIPT)
    return Import(source, "nights", replace=False, store=None)


def test_real_play_comes_in_four_formats() -> None:
    assert {"dnd", "crd3", "fireball", "dnd-transcript"} <= set(world_formats())


def test_an_import_is_found_by_its_name(wanted: Import) -> None:
    lines = import_anything("dnd-transcript", wanted)
    assert lines[-1] == "learn from it: sociolab gap --real nights --generated RUN"
    assert imported_names("dnd") == ("nights",)
    (example,) = read_examples(imported_folder("dnd", "nights"))
    assert example.labels == {("Bramble", "performance")}


def test_an_import_may_be_imported_under_another_name(wanted: Import) -> None:
    import_anything("dnd-transcript", wanted)
    folder = imported_folder("dnd", "nights")
    import_anything("dnd", replace(wanted, path=folder, name="again"))
    assert imported_names("dnd") == ("again", "nights")


def test_a_name_is_not_taken_twice_without_replace(wanted: Import) -> None:
    import_anything("dnd-transcript", wanted)
    with pytest.raises(ConfigError, match="add --replace"):
        import_anything("dnd-transcript", wanted)
    import_anything("dnd-transcript", replace(wanted, replace=True))


def test_a_failed_replacement_keeps_what_was_there(wanted: Import) -> None:
    import_anything("dnd-transcript", wanted)
    wanted.path.write_text("DM: Petra\n")
    with pytest.raises(ConfigError, match="Players"):
        import_anything("dnd-transcript", replace(wanted, replace=True))
    assert len(read_examples(imported_folder("dnd", "nights"))) == 1
    assert imported_names("dnd") == ("nights",)


def test_a_name_that_is_no_file_name_is_refused(wanted: Import) -> None:
    with pytest.raises(StoreError, match="1 to 80 letters"):
        import_anything("dnd", replace(wanted, name="../nights"))
