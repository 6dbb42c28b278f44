"""The tools of `sociolab mcp`: what the verbs of the command line do, for assistants."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BaseModel, Field, ValidationError, create_model

from sociolab import __version__
from sociolab.analysis.compare_sides import CompareRequest
from sociolab.analysis.run_comparison import compare_runs, two_agents
from sociolab.app.data.sets import world_names
from sociolab.app.queries import EpisodeQuery, query_episodes, transcript
from sociolab.app.registry import about_world
from sociolab.app.run.config import ArenaConfig, RunConfig, WorldConfig
from sociolab.cli.list_rows import episode_table, run_table
from sociolab.cli.listing import agent_rows, task_rows
from sociolab.cli.mcp.limits import ClientLimits, Left
from sociolab.cli.mcp.runs import Runs, RunState, StartedRun, usd_range
from sociolab.cli.mcp.seats import Seats, SeatView
from sociolab.core.errors import SociolabError, did_you_mean, missing_extra
from sociolab.core.reading import first_problem
from sociolab.core.redaction import redact
from sociolab.plugin.options import (
    FIRST_WORLD,
    Description,
    ModelAccess,
    checked,
    flags_of,
)
from sociolab.report.result import by_main_judge, result_of, run_of_episodes
from sociolab.report.terminal import full_report, overview, plain_text, printed
from sociolab.store.store import open_store

try:
    from mcp.server.mcpserver import MCPServer
    from mcp.server.mcpserver.exceptions import ToolError
    from mcp.server.mcpserver.tools import Tool
    from mcp.types import CallToolResult, ToolAnnotations
except ImportError as _missing:
    raise missing_extra("mcp needs", "mcp", "mcp") from _missing

MOST_CHARACTERS = 16_000
"""Of one text; the next page has the rest."""
MOST_ROWS = 100
LONGEST_WAIT = 60.0
"""Seconds."""
_WIDE = 100_000
"""Columns: no line is wrapped, as in output into a pipe."""

INSTRUCTIONS = (
    "sociolab runs and compares language agents in social worlds. A study: list_tasks, price_run, "
    "start_run with two agents and a judge, run_progress until it is done, compare; then quote the "
    "sentence of the comparison with its interval. Figures of scripted players are a smoke test, "
    "not a result. To play yourself: take_seat, then act until it is done. Nothing can be deleted "
    "here, and nothing is spent beyond the server's budget."
)

World: TypeAlias = Annotated[str, Field(description="One of list_worlds")]
Run: TypeAlias = Annotated[str, Field(description="The name of a run")]
Label: TypeAlias = Annotated[str | None, Field(description="An agent of the run, or a judge")]
Filter: TypeAlias = Annotated[str | None, Field(description="Ids or tags; comma: any, plus: all")]
Usd: TypeAlias = Annotated[float | None, Field(description="At most; default: all left", ge=0)]
Offset: TypeAlias = Annotated[int, Field(description="Where to go on: next_offset", ge=0)]
Seconds: TypeAlias = Annotated[float, Field(description="Wait for its end", ge=0, le=LONGEST_WAIT)]
Full: TypeAlias = Annotated[bool, Field(description="All tables, not only the overview")]
Form: TypeAlias = Annotated[Literal["text", "json"], Field(description="json: as with --json")]
Seat: TypeAlias = Annotated[int | str, Field(description="1, 2... or its id")]
Played: TypeAlias = Annotated[str, Field(description="The episode, from take_seat")]


_PLANNED = {
    "world", "agents", "partner", "judges", "readers", "tasks", "limit", "repeats", "seed", "data",
    "settings", "tags",
}  # fmt: skip
_FIELDS: dict[str, Any] = {
    name: (
        Annotated[field.rebuild_annotation(), Field(description=flags_of(RunConfig)[name].help)],
        field.get_default(call_default_factory=True),
    )
    for name, field in RunConfig.model_fields.items()
    if name in _PLANNED
}
Plan = create_model("Plan", __base__=Description, **_FIELDS)
"""The fields of a run that clients set: what is played, who plays, who judges. None of them names a
file, a key or an address."""


class Listing(BaseModel):
    rows: list[dict[str, Any]]
    total: int
    next_offset: int | None = None


class Page(BaseModel):
    text: str
    total_characters: int
    next_offset: int | None = None


class RunPrice(BaseModel):
    """What a run takes: nothing was called."""

    text: str
    episodes: int
    usd_low: float | None = Field(description="null where a price is unknown")
    usd_high: float | None
    left: Left


class Tools:
    """The tools over one store and one budget. Their docstrings are what assistants read."""

    def __init__(self, access: ModelAccess, limits: ClientLimits) -> None:
        self._access = access
        self._limits = limits
        self._runs = Runs(limits, access.store)
        self._seats = Seats(limits)

    def close(self) -> tuple[RunState, ...]:
        """End everything that is under way, and return the runs that were stopped."""
        self._seats.close()
        return self._runs.close()

    # ------------------------------------------------------------------ what there is

    def list_worlds(self) -> Listing:
        """The worlds that can be played, each in a line."""
        rows = [{"world": name, "about": about_world(name)} for name in world_names()]
        return _listing(rows, len(rows), 0)

    def list_agents(self, world: World = FIRST_WORLD) -> Listing:
        """Who can play in a world, code of the user's own that is allowed included.

        A judge is a model, too, or "none" for the world's checks alone.
        """
        own = [{"agent": spec, "from": "allowed", "about": ""} for spec in self._limits.allowed]
        rows = own + [row for row in agent_rows(world) if row["from"] in (world, "models")]
        return _listing(rows, len(rows), 0)

    def list_tasks(
        self,
        world: World = FIRST_WORLD,
        tasks: Filter = None,
        data: str | None = None,
        offset: Offset = 0,
    ) -> Listing:
        """The tasks of a world, or of an imported data set: title, scenario and tags, 100 at a
        time."""
        self._limits.check(WorldConfig(world=world, data=data), ())
        rows = task_rows(world, data, tasks)
        return _listing(rows[offset : offset + MOST_ROWS], len(rows), offset)

    def budget(self) -> Left:
        """How many dollars and episodes are left for runs and seats."""
        return self._limits.left

    # ------------------------------------------------------------------ runs

    def price_run(self, plan: Plan) -> RunPrice:
        """Estimate the calls, tokens and cost of a run without calling a model.

        Do this before start_run, and tell the user what it will cost.
        """
        estimate = self._runs.price(self._config(plan))
        low, high = usd_range(estimate)
        return RunPrice(
            text=plain_text(printed([estimate.section()], endless=True), _WIDE),
            episodes=estimate.trials,
            usd_low=low,
            usd_high=high,
            left=self._limits.left,
        )

    def start_run(self, plan: Plan, name: str | None = None, budget: Usd = None) -> StartedRun:
        """Start or resume a run, which goes on by itself; run_progress follows it.

        Name two agents and a judge to compare them; the name of a stopped run resumes it. A run is
        refused where the budget does not reach.
        """
        return self._runs.start(self._config(plan, name=name, budget=budget))

    def run_progress(self, run: Run, wait_seconds: Seconds = 0) -> RunState:
        """How far a run is: episodes done and failed, dollars spent, seconds left."""
        return self._runs.state(run, wait_seconds)

    def list_runs(self, offset: Offset = 0) -> Listing:
        """The stored runs, the latest first, with agents, judges, episodes played and cost."""
        with open_store(self._access.store) as store:
            runs = [row for row in store.runs() if not row.keeps][::-1]
            rows = run_table(store, runs[offset : offset + MOST_ROWS], everything=False).objects
        return _listing(rows, len(runs), offset)

    def list_episodes(
        self,
        run: Run,
        agent: Label = None,
        failed: bool = False,
        scores: Sequence[str] = (),
        sort: str | None = None,
        judge: Label = None,
        offset: Offset = 0,
    ) -> Listing:
        """The episodes of a run with their scores in one metric, 100 at a time.

        `scores` are rules such as "goal<4", `sort` is a metric; `failed`: only failed ones and
        those with invalid turns.
        """
        query = EpisodeQuery(agent, failed=failed, scores=tuple(scores), sort=sort, judge=judge)
        with open_store(self._access.store) as store:
            found = query_episodes(store, run_of_episodes(store, run).name, query)
        rows = episode_table(found).objects
        return _listing(rows[offset : offset + MOST_ROWS], found.total, offset)

    def report(self, run: Run, full: Full = False, form: Form = "text", offset: Offset = 0) -> Page:
        """The tables of a run: mean scores with intervals, warnings, failures, cost."""
        with open_store(self._access.store) as store:
            result = result_of(store, run)
            if form == "json":
                return _page(result.as_json(), offset)
            result = by_main_judge(result)
            shown = (
                full_report(result, endless=True)
                if full
                else overview(result, two_agents(store, result), endless=True)
            )
        return _page(plain_text(shown, _WIDE), offset)

    def compare(
        self,
        runs: Annotated[list[str], Field(min_length=1)],
        agent: Label = None,
        other: Label = None,
        metrics: Sequence[str] = (),
        judge: Label = None,
        full: Full = False,
        form: Form = "text",
        offset: Offset = 0,
    ) -> Page:
        """Compare two agents on the same tasks: paired differences with 95 % intervals.

        `runs` is one run of two agents, or two runs; `agent` and `other` are A and B. Quote its
        sentences as they are. A difference whose interval holds 0 is no evidence of equality.
        """
        request = CompareRequest(tuple(runs), agent, other, judge, tuple(metrics))
        with open_store(self._access.store) as store:
            found = compare_runs(store, request)
        if form == "json":
            return _page(json.dumps(found.document(), ensure_ascii=False, indent=2), offset)
        sections = (*found.sections, *found.noted) if full else found.overview
        return _page(plain_text(printed(sections, endless=True), _WIDE), offset)

    def show(self, run: Run, episode: str, seat: str | None = None, offset: Offset = 0) -> Page:
        """The transcript and the scores of an episode, or only what one `seat` saw of it."""
        with open_store(self._access.store) as store:
            return _page(transcript(store, run, episode, seat), offset)

    # ------------------------------------------------------------------ seats

    def take_seat(
        self,
        world: World = FIRST_WORLD,
        task: str | None = None,
        seat: Seat = 1,
        partner: str = "scripted",
        judge: Label = None,
        seed: int = 0,
        settings: Mapping[str, str] | None = None,
        budget: Usd = None,
    ) -> SeatView:
        """Take a seat in an episode, and see what its player sees. Reply with act.

        Stay in the role that the messages give you. `partner` plays the other seats. The episode is
        not stored.
        """
        world_config = checked(
            WorldConfig, {"world": world, "seed": seed, "settings": settings or {}}
        )
        shared = self._access.model_dump(exclude_unset=True, exclude={"budget", "store"})
        own = {"settings": world_config.settings, "budget": budget}
        config = checked(ArenaConfig, shared | own)
        return self._seats.take(world_config, config, task, seat, partner, judge)

    def act(self, episode: Played, reply: str | dict[str, Any]) -> SeatView:
        """Reply for your seat by the object that reply_schema describes.

        It returns what is new to the seat, or how the episode ended.
        """
        return self._seats.act(episode, reply)

    def leave_seat(self, episode: Played) -> Left:
        """Break an episode off, and free what it held of the budget."""
        self._seats.leave(episode)
        return self._limits.left

    def _config(self, plan: BaseModel, **own: object) -> RunConfig:
        access = self._access.model_dump(exclude_unset=True, exclude={"budget"})
        named = {name: value for name, value in own.items() if value is not None}
        return checked(RunConfig, access | plan.model_dump(exclude_unset=True) | named, "plan")


def _listing(rows: list[dict[str, Any]], total: int, offset: int) -> Listing:
    after = offset + MOST_ROWS
    return Listing(rows=rows, total=total, next_offset=after if after < total else None)


def _page(text: str, offset: int) -> Page:
    """A part of a text, up to the end of a line if it goes on."""
    end = offset + MOST_CHARACTERS
    if end < len(text):
        end = text.rfind("\n", offset + 1, end) + 1 or end
    after = end if end < len(text) else None
    return Page(text=text[offset:end], total_characters=len(text), next_offset=after)


# ------------------------------------------------------------------ the server


class _Tool(Tool):
    """A tool whose errors are one sentence, and whose texts hold no secret."""

    async def run(
        self, arguments: dict[str, Any], context: Any, convert_result: bool = False
    ) -> Any:
        names = self.parameters.get("properties", {})
        for name in arguments:
            if name not in names:
                raise ToolError(
                    f'{self.name} has no argument "{name}"{did_you_mean(name, names)}; it takes '
                    f"{', '.join(names) or 'none'}"
                )
        try:
            result = await super().run(arguments, context, convert_result)
        except ToolError as error:
            match error.__cause__:
                case SociolabError() as cause:
                    message = str(cause)
                case ValidationError() as cause:
                    message = first_problem(cause)
                case _:
                    raise
            raise ToolError(redact(message, lookalikes=True)) from error
        if isinstance(result, CallToolResult):
            return CallToolResult.model_validate_json(redact(result.model_dump_json(by_alias=True)))
        return result


_HINTS = dict.fromkeys(
    (
        Tools.list_worlds, Tools.list_agents, Tools.list_tasks, Tools.budget, Tools.price_run,
        Tools.run_progress, Tools.list_runs, Tools.list_episodes, Tools.report, Tools.compare,
        Tools.show,
    ),
    ToolAnnotations(read_only_hint=True, open_world_hint=False),
) | dict.fromkeys(
    (Tools.start_run, Tools.take_seat, Tools.act, Tools.leave_seat),
    ToolAnnotations(read_only_hint=False, destructive_hint=False, open_world_hint=True),
)  # fmt: skip


def create_server(tools: Tools) -> MCPServer:
    """An MCP server with these tools."""
    return MCPServer(
        "sociolab",
        version=__version__,
        instructions=INSTRUCTIONS,
        tools=[
            _Tool.from_function(getattr(tools, method.__name__), annotations=hints)
            for method, hints in _HINTS.items()
        ],
        log_level="ERROR",
    )
