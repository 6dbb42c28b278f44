"""Which model sat where, as far as an episode's line tells it."""

from __future__ import annotations

from sociolab.worlds.sotopia.importing.quirks import Quirk, Quirks

UNKNOWN = "unknown model"
CUSTOM = "custom_model"


def model_labels(
    models: tuple[str, ...], setting: str, tag: str, seats: int, quirks: Quirks
) -> tuple[str, ...]:
    """The label of the model in each seat.

    `models` names the judge first and then the seats in order. That this is the order shows in the
    public episodes: of gpt-4 and gpt-3.5-turbo only the latter ever leaves, in either seat, and the
    utterances of "custom_model" have their own length in either seat. Such a model is named by the
    rest of the setting ("GPT3.5-BC" beside gpt-3.5-turbo: "BC") or of the tag.
    """
    if len(models) != seats + 1:
        quirks[Quirk.UNKNOWN_MODEL] += seats
        return (UNKNOWN,) * seats
    labels = []
    for seat, model in enumerate(models[1:], start=1):
        if model == CUSTOM:
            quirks[Quirk.CUSTOM_MODEL] += 1
            others = [name for other, name in enumerate(models) if other not in (0, seat)]
            model = _custom(others, setting, tag)
        labels.append(model)
    return tuple(labels)


def _custom(others: list[str], setting: str, tag: str) -> str:
    for other in others:
        beside, _, rest = setting.partition("-")
        if rest and _plain(beside) and _plain(other).startswith(_plain(beside)):
            return rest
        name, found, _ = tag.partition(f"_{other}")
        if found and name:
            return name
    return tag or CUSTOM


def _plain(name: str) -> str:
    return "".join(letter for letter in name.lower() if letter.isalnum())
