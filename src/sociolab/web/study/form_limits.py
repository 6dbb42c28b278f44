"""What a form in a browser may not set, since it reaches beyond the store: code and folders.

Whoever gets hold of the admin token must not be able to run code on this machine, or to look into
its folders. A file on this machine may name both.
"""

from __future__ import annotations

import re

from sociolab.studies.settings import StudySettings

_CODE = (
    "classes of one's own are named in a file, not in a form: `sociolab study create FILE`; found "
    '"{}"'
)
_FOLDER = (
    "expected an imported data set by its name, as `sociolab list data` has it; a folder is named "
    "in a file: `sociolab study create FILE`"
)
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,79}")


def beyond_a_form(settings: StudySettings) -> dict[str, str]:
    """What is set beyond what a form may, by field."""
    wrong: dict[str, str] = {}
    play, review = settings.play, settings.review
    if play is not None:
        specs = {
            "play.partners": play.partners,
            "play.stand_in": (play.stand_in or "",),
            "play.judges": play.judges,
        }
        for place, texts in specs.items():
            code = [text for text in texts if text.strip().startswith("python:")]
            wrong |= {place: _CODE.format(code[0][:80])} if code else {}
    for place, data in (("play.data", play and play.data), ("review.data", review and review.data)):
        if data and not _NAME.fullmatch(data):
            wrong[place] = _FOLDER
    return wrong
