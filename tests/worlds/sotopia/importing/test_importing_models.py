"""Which model sat where."""

from __future__ import annotations

import pytest

from sociolab.worlds.sotopia.importing.episodes import model_labels
from sociolab.worlds.sotopia.importing.reading import Quirk, Quirks


@pytest.mark.parametrize(
    ("models", "setting", "tag", "expected"),
    [
        (("judge", "gpt-4", "gpt-3.5-turbo"), "GPT3.5-GPT4", "t", ("gpt-4", "gpt-3.5-turbo")),
        (("judge", "gpt-3.5-turbo", "custom_model"), "GPT3.5-BC", "t", ("gpt-3.5-turbo", "BC")),
        (("judge", "custom_model", "gpt-3.5-turbo"), "GPT3.5-A-B", "t", ("A-B", "gpt-3.5-turbo")),
        (("judge", "custom_model", "m-2"), "GPT3.5-BC", "mist_m-2_test", ("mist", "m-2")),
        (("judge", "custom_model", "m-2"), "", "a_tag", ("a_tag", "m-2")),
        (("judge", "custom_model", "m-2"), "", "", ("custom_model", "m-2")),
        ((), "GPT3.5-BC", "t", ("unknown model", "unknown model")),
        (("a", "b"), "", "", ("unknown model", "unknown model")),
    ],
)
def test_models_are_named_after_the_judge_in_the_order_of_the_seats(
    models: tuple[str, ...], setting: str, tag: str, expected: tuple[str, ...]
) -> None:
    assert model_labels(models, setting, tag, 2, Quirks()) == expected


def test_what_is_guessed_or_unknown_is_counted() -> None:
    quirks = Quirks()
    model_labels(("judge", "custom_model", "m"), "", "", 2, quirks)
    model_labels((), "", "", 3, quirks)
    assert quirks == {Quirk.CUSTOM_MODEL: 1, Quirk.UNKNOWN_MODEL: 3}
