"""`sociolab town levels`: the language level beside the action level."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from sociolab.app.conclusions.levels import Levels, levels
from sociolab.app.conclusions.levels_section import levels_sections
from sociolab.app.finding.stored import open_store
from sociolab.app.results.page import write_page
from sociolab.cli.output import show_sections
from sociolab.worlds.stss.talk.losses import OUTCOMES


def show_levels(
    talk: str, action: str, *, html: Path | None, store: Path | None, as_json: bool
) -> None:
    """Print what an agent's talks conveyed, beside what came of its tasks and where they failed."""
    with open_store(store) as opened:
        found = levels(opened, talk, action)
        if html is not None:
            write_page(opened, [found.talk, found.action], html, levels_sections(found))
    sections, document = levels_sections(found), partial(_document, found)
    show_sections(sections, document, as_json=as_json, html=html)


def _document(found: Levels) -> dict[str, object]:
    return {
        "schema": 1,
        "talk": found.talk.run,
        "action": found.action.run,
        "agents": [
            {
                "agent": one.agent,
                "judge": one.judge,
                "losses_by": one.read_by or None,
                "cautions": list(one.cautions),
                "types": [
                    {
                        "type": row.type,
                        "scores": {
                            name: entry.model_dump(mode="json")
                            for name, entry in row.scores.items()
                        },
                        "fates": {outcome: row.fates.get(outcome, 0) for outcome in OUTCOMES},
                        "wanted": row.wanted,
                        "losses_unknown": row.left_out,
                    }
                    for row in one.rows
                ],
            }
            for one in found.agents
        ],
    }
