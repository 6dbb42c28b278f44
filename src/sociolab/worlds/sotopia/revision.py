"""How do reviewers' decisions make the next version of a data set (SOTOPIA, appendix D.2)?"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from importlib.resources import as_file, files
from pathlib import Path

from sociolab.core.errors import ConfigError
from sociolab.core.reading import json_file
from sociolab.core.user_files import write_files
from sociolab.plugin.shown import DecidedCluster
from sociolab.report.words import plural
from sociolab.worlds.sotopia.dataset import FILES, META, load
from sociolab.worlds.sotopia.scenarios import Provenance, Scenario
from sociolab.worlds.sotopia.scene import PACKAGE


def revise(
    source: Path | None, fresh: Path, study: str, decided: Mapping[str, DecidedCluster]
) -> Sequence[str]:
    """Write the next version of a folder (None: the package's data) into a new one.

    Rejected scenarios are left out with their tasks, edited ones have the new texts and the same
    facts; what was not decided stays, and so do all other tasks.
    """
    if source is None:
        with as_file(files(PACKAGE) / "data") as own:
            return revise(own, fresh, study, decided)
    data = load(source)
    left = [
        _revised(one, study, decided[one.id]) if one.id in decided else one
        for one in data.scenarios.values()
        if one.id not in decided or decided[one.id].decision != "reject"
    ]
    if not left:
        raise ConfigError("the reviews reject every scenario: no data set is left to write")
    stays = {one.id for one in left}
    rows = [row for row in data.rows if row.scenario in stays]
    meta = json_file(source / META)
    assert isinstance(meta, dict)  # as it was loaded
    rejected = {key: one.reasons for key, one in decided.items() if one.decision == "reject"}
    meta |= {
        "version": next_version(data.id.version),
        "revised": {
            "study": study,
            "from": [data.id.name, data.id.version, data.id.hash],
            "rejected": rejected,
        },
    }
    write_files(
        fresh,
        {
            META: json.dumps(meta, ensure_ascii=False, indent=1) + "\n",
            FILES[0]: "".join(one.line() for one in data.characters.values()),
            FILES[1]: "".join(one.line() for one in data.relationships.values()),
            FILES[2]: "".join(one.line() for one in left),
            FILES[3]: "".join(row.line() for row in rows),
        },
    )
    revised = load(fresh)
    return (
        f"{data.id.name} {data.id.version} becomes {revised.id.version}: "
        f"{plural(len(left), 'scenario')}, {plural(len(rows), 'task')}",
    )


def next_version(version: str) -> str:
    """The version with its last number one higher: "1.0.9" becomes "1.0.10", "a" becomes "a.2"."""
    found = re.fullmatch(r"(.*?)(\d+)", version)
    return f"{found[1]}{int(found[2]) + 1}" if found else f"{version}.2"


def _revised(scenario: Scenario, study: str, one: DecidedCluster) -> Scenario:
    """The scenario as decided, with who decided it, when and why."""
    if not one.decision:
        return scenario
    edited = one.decision == "edit"
    step = Provenance(
        step="edited" if edited else "kept",
        by=one.by,
        on=one.on,
        study=study,
        reasons=one.reasons,
    )
    changed: dict[str, object] = {"provenance": (*scenario.provenance, step)}
    if edited:
        context, *goals = one.texts
        changed |= {"context": context, "published": None}  # which has the texts before the edit
        changed["goals"] = tuple(
            goal.model_copy(update={"text": text})
            for goal, text in zip(scenario.goals, goals, strict=True)
        )
    return scenario.model_copy(update=changed)
