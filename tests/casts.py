"""Casts of episodes that are made by hand."""

from __future__ import annotations

from urllib.parse import parse_qsl

from sociolab.core import Agent, AgentKind, CastMember


def agent(label: str, settings: str = "", code: str | None = None) -> Agent:
    """What a spec that is spelled so is."""
    path, _, query = label.partition("?")
    if path.startswith("python:"):
        return Agent(label, "own code", path.removeprefix("python:"), "", settings, None, code)
    if "/" in path:
        endpoint, _, model = path.partition("/")
        temperature = dict(parse_qsl(query)).get("temperature")
        return Agent(
            label, "model", model, endpoint, settings, float(temperature) if temperature else None
        )
    kinds: dict[str, AgentKind] = {
        "human": "person", "scripted": "rules", "scripted-complete": "rules"
    }  # fmt: skip
    return Agent(label, kinds.get(label, "plugin"), label, "", settings)


def seated(seat: str, label: str, settings: str = "", code: str | None = None) -> CastMember:
    """Such an agent in a seat."""
    return CastMember(seat, agent(label, settings, code))
