from __future__ import annotations

import pytest
from pydantic import BaseModel, Field

from sociolab.core import ConfigError
from sociolab.engine import WorldSetup


class Settings(BaseModel):
    turns: int = Field(default=20, ge=1)
    controls: bool = True


def test_settings_are_read_as_the_types_of_the_world() -> None:
    found = WorldSetup(settings={"turns": "7", "controls": "no"}).read("toy", Settings)
    assert found == Settings(turns=7, controls=False)


@pytest.mark.parametrize(
    ("settings", "problem"),
    [
        ({"turn": "7"}, 'toy has no setting "turn"; expected one of turns, controls'),
        ({"turns": "0"}, "toy, the setting turns: expected at least 1"),
        ({"turns": "many"}, "toy, the setting turns: expected a whole number"),
    ],
)
def test_a_setting_that_is_wrong_is_named(settings: dict[str, str], problem: str) -> None:
    with pytest.raises(ConfigError, match=problem):
        WorldSetup(settings=settings).read("toy", Settings)
