"""What may be changed in a study that exists: whether it is open, and its texts."""

from __future__ import annotations

from collections.abc import Mapping

from sociolab.app.study.settings import StudySettings
from sociolab.app.study.setup import settings_of
from sociolab.core.errors import ConfigError
from sociolab.store.store import Store

TEXTS = ("title", "welcome", "consent", "instructions", "thanks", "contact")
"""What can be worded anew. The plan and the survey cannot: what some were given or asked would no
longer be what others were."""


def change_texts(store: Store, study: str, texts: Mapping[str, str]) -> StudySettings:
    """Word a study's texts anew; those not named stay.

    ConfigError for a text that cannot be, and for another consent when some have consented: what
    they agreed to must stay on record.
    """
    row = store.studies.get(study)
    old = StudySettings.model_validate(row.settings)
    unknown = sorted(set(texts) - set(TEXTS))
    if unknown:
        raise ConfigError(f"expected texts ({', '.join(TEXTS)}), found {', '.join(unknown)}")
    changed = settings_of({**old.model_dump(mode="json"), **texts}, study)
    agreed = consented(store, study)
    if changed.consent != old.consent and agreed:
        raise ConfigError(
            f"consent: {agreed} participant{'s' if agreed > 1 else ''} agreed to the text as it "
            "is, so it cannot be changed; set up a new study for another one"
        )
    store.studies.change(study, settings=changed.model_dump(mode="json"))
    return changed


def consented(store: Store, study: str) -> int:
    """How many have given their consent."""
    return sum(row.consented is not None for row in store.studies.participants(study))
