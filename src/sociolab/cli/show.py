"""`sociolab show`: an episode's transcript and scores, its prompts, or two episodes in parallel."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sociolab.cli.options import Html, OptText, OptTexts, StoreFile, option
from sociolab.cli.output import say
from sociolab.core.errors import ConfigError

if TYPE_CHECKING:
    from sociolab.app.queries import StoredEpisode
    from sociolab.report.transcript_views import EpisodeSide, TranscriptView
    from sociolab.store.calls import CallRow
    from sociolab.store.store import Store

verbs = typer.Typer()

_LONG = 1_000
"""Characters from which a message is printed only once, and named where it is sent again."""


@verbs.command(epilog="Example: sociolab show e0a9b4aa --run first")
def show(
    episode: Annotated[
        list[str],
        typer.Argument(metavar="ID [ID]", help="Episode id, or its first characters; or two."),
    ],
    seat: Annotated[
        OptText, option("--as", "SEAT", "Show only what this seat saw: its id or a name.")
    ] = None,
    run: Annotated[
        OptTexts,
        option("--run", "RUN", "The run, if several have the episode; twice for two episodes."),
    ] = None,
    prompts: Annotated[
        bool, typer.Option("--prompts", help="Show prompts and replies word for word.")
    ] = False,
    markdown: Annotated[bool, typer.Option("--markdown", help="Write Markdown.")] = False,
    html: Html = None,
    store: StoreFile = None,
) -> None:
    """Show the transcript and scores of an episode, or of two side by side.

    Or only what one seat saw (--as), or every prompt and reply (--prompts).
    """
    from sociolab.app.transcripts import find_seat
    from sociolab.report.transcript_views import EpisodeSide
    from sociolab.store.store import open_store

    if len(episode) > 2:
        raise ConfigError(f"expected one episode or two, found {len(episode)}")
    if prompts and (len(episode) > 1 or html):
        raise ConfigError("--prompts is for one episode in the terminal: leave out the others")
    with open_store(store) as opened:
        hits = _find_episodes(opened, episode, run or ())
        seats = [seat and find_seat(hit.episode, seat) for hit in hits]
        if prompts:
            _print_prompts(opened, hits[0], seats[0])
            return
        views = [_transcript_view(opened, hit, seat) for hit, seat in zip(hits, seats, strict=True)]
    heads = [f"{hit.episode.trial.id} of {hit.run}" for hit in hits]
    sides = [EpisodeSide(head, view) for head, view in zip(heads, views, strict=True)]
    _print(sides, markdown=markdown, html=html)
    for hit, head in zip(hits, heads, strict=True):
        if hit.status == "failed":
            which = "This trial" if len(hits) == 1 else f"The trial {head}"
            typer.echo(f"{which} failed: {hit.problem}")


def _find_episodes(
    store: Store, prefixes: Sequence[str], runs: Sequence[str]
) -> tuple[StoredEpisode, ...]:
    """The episodes with these ids or prefixes; one run holds for all, two for one episode each."""
    from sociolab.app.queries import find_episode

    if len(runs) > len(prefixes):
        raise ConfigError(
            f"expected as many --run as episodes, or one, found {len(runs)} for {len(prefixes)}"
        )
    own = list(runs) if len(runs) == len(prefixes) else [*runs, None][:1] * len(prefixes)
    return tuple(
        find_episode(store, prefix, run) for prefix, run in zip(prefixes, own, strict=True)
    )


def _transcript_view(store: Store, hit: StoredEpisode, seat: str | None) -> TranscriptView:
    from sociolab.analysis.credit import load_credit, with_credit
    from sociolab.app.transcripts import transcript_of
    from sociolab.report.exam import exams_by_judge
    from sociolab.report.transcript_views import transcript_view, with_retries

    trial = hit.episode.trial
    transcript = transcript_of(hit.episode, seat)
    if seat is None:
        transcript = with_credit(transcript, load_credit(store, hit.run, trial.id))
        again = store.calls.count_judge_retries(hit.run, trial.id)
        transcript = with_retries(transcript, hit.episode, again)
    judgings = () if seat else tuple(store.verdicts.judgings(hit.run, trial=trial.id))
    exams = exams_by_judge(store, hit.run, (row.judge for row in judgings))
    return transcript_view(hit.episode, transcript, judgings, store.run(hit.run).declared, exams)


def _print(sides: Sequence[EpisodeSide], *, markdown: bool, html: Path | None) -> None:
    from rich.console import Console

    from sociolab.report.export import play_markdown, write_report
    from sociolab.report.html import pair_page
    from sociolab.report.terminal import play, side_by_side

    if html is not None:
        write_report(html, pair_page(sides))
        say(f"wrote {html}")
    elif markdown:
        typer.echo("\n".join(play_markdown(side.view) for side in sides))
    elif len(sides) == 1:
        Console().print(play(sides[0].view))
    else:
        console = Console()
        console.print(side_by_side(sides, console.width if console.is_terminal else None))


def _print_prompts(store: Store, hit: StoredEpisode, seat: str | None) -> None:
    trial = hit.episode.trial
    calls = [c for c in store.calls.all(hit.run, trial.id) if seat in (None, c.call.seat)]
    if not calls:
        raise ConfigError(f"no model was called in {trial.id}: there is no prompt to show")
    printed: dict[str, int] = {}
    for number, call in enumerate(calls, 1):
        typer.echo(_format_call(store, number, call, printed))


def _format_call(store: Store, number: int, row: CallRow, printed: dict[str, int]) -> str:
    """A heading, then request and response verbatim.

    `printed` maps long messages to the number of the call that showed them first; such a message
    is not repeated, and new ones are added.
    """
    from sociolab.report.served import served_words
    from sociolab.report.words import about

    call, prompt, usage = row.call, store.calls.prompt(row), row.reply.usage
    who, mark = f"{call.role} {call.seat}".strip(), about(usage.estimated)
    parts = [
        f"==== {number}. {who}, turn {call.turn + 1}, {call.name}, attempt {call.attempt}: "
        f"{row.model}, {mark}{usage.prompt} tokens read ({usage.cached} cached), "
        f"{mark}{usage.completion} written, {row.reply.seconds:.2f} s, prompt "
        f"{row.prompt_hash[:12]}"
    ]
    if served := served_words(row.reply.served):
        parts.append(f"---- served\n{served}")
    if row.reply.fault:
        parts.append(f"---- fault\n{row.reply.fault}")
    for message in prompt.messages:
        earlier = printed.get(message.shown)
        text = message.shown if earlier is None else f"(as in prompt {earlier}, word for word)"
        parts.append(f"---- {message.role}\n{text}")
        if len(message.shown) > _LONG:
            printed.setdefault(message.shown, number)
    if prompt.schema is not None:
        schema = json.dumps(json.loads(prompt.schema.text))
        parts.append(f"---- schema {prompt.schema.name}\n{schema}")
    parts.append(f"---- reply ({row.reply.finish})\n{row.reply.shown}\n")
    return "\n".join(parts)
