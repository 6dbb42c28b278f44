"""`sociolab compare`: two agents on the same tasks, the repeats of one, or one over its runs."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sociolab.cli.gates import AcceptFailedExam, GateCheck, Junit, fail_option, gate_check
from sociolab.cli.options import (
    BySeat,
    FigureFile,
    Full,
    Html,
    Json,
    Latex,
    Markdown,
    OneJudge,
    OptFloat,
    OptInt,
    OptPath,
    OptText,
    OptTexts,
    Rename,
    StoreFile,
    argument,
    option,
    parse_match,
    parse_renames,
    refuse,
)
from sociolab.cli.output import Media, VerbResult, say, say_next
from sociolab.cli.people import OptPeople, people_beside
from sociolab.core.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sociolab.analysis.compare_sides import CompareRequest
    from sociolab.analysis.episode_pairs import ComparedPairs
    from sociolab.analysis.gates import Gate, GateRule
    from sociolab.analysis.run_comparison import Conclusions
    from sociolab.store.store import Store

verbs = typer.Typer()

_K = "1,2,4"
_PAIRS = 5


@verbs.command(epilog="Example: sociolab compare first second --metric goal --html compared.html")
def compare(
    run: Annotated[
        list[str],
        argument("RUN [RUN ...]", "Runs with one agent each, or one with several agents."),
    ],
    agent: Annotated[OptText, option("--agent", "LABEL", "Agent A; default: the only one.")] = None,
    with_: Annotated[
        OptText, option("--with", "LABEL", "Agent B, in the other run or the same.")
    ] = None,
    judge: OneJudge = None,
    measure: Annotated[
        OptTexts, option("--metric", "NAME", "Only this metric; default: all. Repeatable.")
    ] = None,
    k: Annotated[str, option("--k", "K,K", "Values of k for pass^k (all k repeats succeed).")] = _K,
    threshold: Annotated[
        OptFloat, option("--threshold", "X", "Minimum score that counts as a success.")
    ] = None,
    curve: Annotated[
        bool, typer.Option("--curve", help="Follow the runs in the order given, as checkpoints.")
    ] = False,
    pairs_shown: Annotated[
        int, option("--pairs-shown", "N", "Pairs shown per metric.", min=0)
    ] = _PAIRS,
    every: Annotated[
        bool,
        typer.Option("--all", help="Show pairs of every metric, not only of those that differ."),
    ] = False,
    pairs: Annotated[
        OptPath, option("--pairs", "FILE", "Write all pairs to a new CSV file.")
    ] = None,
    latex: Latex = None,
    markdown: Markdown = None,
    csv: Annotated[OptPath, option("--csv", "FILE", "Write means and differences.")] = None,
    figure: FigureFile = None,
    rename: Rename = None,
    by_seat: BySeat = False,
    match: Annotated[
        OptText,
        option("--match", "HOW", "exact, scenario or none; default: what the runs' design allows."),
    ] = None,
    looks: Annotated[
        OptInt,
        option("--looks", "N", "Planned number of looks; p-values are corrected for it.", min=1),
    ] = None,
    by: Annotated[
        OptText,
        option("--by", "prompts", "Compare two sets of instructions instead of two agents."),
    ] = None,
    over: Annotated[
        OptText,
        option("--over", "prompts", "Pool runs; treat their different prompts as error."),
    ] = None,
    people: OptPeople = None,
    fail_if: Annotated[OptTexts, fail_option("A - B", "goal<0")] = None,
    accept_failed_exam: AcceptFailedExam = False,
    junit: Junit = None,
    html: Html = None,
    full: Full = False,
    store: StoreFile = None,
    json: Json = False,
) -> None:
    """Compare two agents on the same tasks, or the repeats of one.

    Paired differences on the tasks that both played; for one agent, the consistency of its repeats.
    Prints the differences; --full adds effect sizes, power, pass^k and the pairs that differ most
    (so do --all, --k, --threshold and --pairs-shown).
    """
    from sociolab.analysis.compare_sides import CompareRequest

    if by not in (None, "prompts"):
        raise ConfigError(f'--by: expected prompts, found "{by}"')
    if over not in (None, "prompts") or (over and by):
        found = "--by, too" if by else f'"{over}"'
        raise ConfigError(f"--over: expected prompts, without --by, found {found}")
    metrics = tuple(measure or ())
    if curve:
        refuse({
            "--with": with_, "--by": by, "--threshold": threshold, "--all": every, "--pairs": pairs,
            "--fail-if": fail_if, "--accept-failed-exam": accept_failed_exam, "--junit": junit,
            "--latex": latex, "--markdown": markdown,
            "--csv": csv, "--figure": figure, "--rename": rename, "--by-seat": by_seat,
            "--match": match, "--over": over, "--people": people,
        }, "is for two agents: leave it out, or leave --curve out")  # fmt: skip
        from sociolab.analysis.curve import follow_runs
        from sociolab.store.store import open_store

        request = CompareRequest(tuple(run), agent, None, judge, metrics)
        with open_store(store) as opened:
            checkpoints = follow_runs(opened, request)
            result = VerbResult(request.runs, [checkpoints.section], checkpoints.document)
            Media(html, json=json).show(opened, result)
        if checkpoints.led_by:
            say(checkpoints.led_by)
        return
    request = CompareRequest(
        tuple(run),
        agent,
        with_,
        judge,
        metrics,
        parse_ks(k),
        threshold,
        parse_renames(rename),
        by_seat,
        by is not None,
        parse_match(match),
        looks or 1,
        over is not None,
    )
    media = Media(html, latex, markdown, csv, figure, json)
    check = gate_check("compare", run, fail_if, junit, accept_failed_exam)
    detailed = full or every or threshold is not None or (k, pairs_shown) != (_K, _PAIRS)
    display = _PairDisplay(detailed, pairs_shown, every, pairs)
    _compare(request, media, check, display, store, people, keep_look=looks is not None)


@dataclass(frozen=True, slots=True)
class _PairDisplay:
    """Which pairs of episodes are printed, and whether all sections are (`detailed`).

    At most `most` pairs per metric; of every metric, or only of those that differ. `file` is the
    new file for all pairs; ConfigError where it exists.
    """

    detailed: bool
    most: int
    every: bool
    file: Path | None

    def __post_init__(self) -> None:
        if self.file is not None:
            from sociolab.core.user_files import require_new_file

            require_new_file(self.file, "--pairs")

    def pairs(self, store: Store, conclusions: Conclusions) -> ComparedPairs | None:
        """The pairs of episodes; ConfigError where they are asked for and there are none."""
        from sociolab.analysis.episode_pairs import compared_pairs

        needed = self.every or self.file is not None
        comparison = conclusions.two("--pairs (or --all)") if needed else conclusions.comparison
        if comparison is not None and comparison.match == "exact":
            return compared_pairs(store, comparison, self.most, every=self.every)
        if comparison is not None and needed:
            raise ConfigError(
                "--pairs and --all need pairs of episodes; these were matched by "
                f"--match {comparison.match}"
            )
        return None


def _compare(
    request: CompareRequest,
    media: Media,
    check: GateCheck,
    display: _PairDisplay,
    store: Path | None,
    people: str | None,
    *,
    keep_look: bool,
) -> None:
    """Compare, write the files, print the rest and what to type next, and decide the gates."""
    from sociolab.analysis.agent_labels import agent_names
    from sociolab.analysis.gates import order_notes
    from sociolab.analysis.run_comparison import compare_runs, with_looks
    from sociolab.app.results import write_pairs
    from sociolab.store.store import open_store

    with check.deciding(), open_store(store) as opened:
        conclusions = compare_runs(opened, request)
        if keep_look:
            conclusions = with_looks(opened, conclusions)
        figure = conclusions.forest() if media.figure is not None else None
        pairs = display.pairs(opened, conclusions)
        gates = check.trusted(_gates(opened, conclusions, check.rules), conclusions.outlines)
        pair_sections = (pairs.section,) if pairs and display.most else ()
        names = agent_names(opened, request.runs, request.rename) if request.rename else None
        beside = people_beside(opened, request.runs, people, names)
        among = [section for section, _ in beside]
        printed = (*conclusions.sections, *conclusions.noted, *pair_sections)
        result = VerbResult(
            request.runs,
            (*conclusions.sections, *conclusions.noted, *among),
            partial(_document, conclusions, pairs, gates, [people for _, people in beside]),
            conclusions.rows,
            figure,
            (*(printed if display.detailed else conclusions.overview), *among),
            (*conclusions.paper, *among),
        )
        if media.html is not None:
            result = _with_page(opened, request, result, pairs if pair_sections else None)
        media.show(opened, result)
    if conclusions.led_by:
        say(conclusions.led_by)
    if pairs is not None and not display.detailed and not media.json:
        sides = {"--agent": request.agent, "--with": request.other, "--judge": request.judge}
        sides["--over"] = "prompts" if request.over_prompts else None
        flags = [word for flag, value in sides.items() if value for word in (flag, value)]
        say_next([*pairs.next_pair(), ("compare", *request.runs, *flags, "--full")], store)
    if pairs is not None and display.file is not None:
        say(f"wrote {write_pairs(pairs, display.file):,} pairs to {display.file}")
    for sentence in order_notes(conclusions.outlines) if gates else ():
        say(sentence)
    check.decide(gates, conclusions.outlines, verdicts=[conclusions.verdict])


def _with_page(
    store: Store, request: CompareRequest, result: VerbResult, pairs: ComparedPairs | None
) -> VerbResult:
    """The result with what only its page has: new names, and the transcripts of these pairs."""
    from sociolab.analysis.agent_labels import AS_LABELLED, agent_names
    from sociolab.analysis.episode_pairs import with_episodes
    from sociolab.app.transcripts import transcript_of

    names = agent_names(store, request.runs, request.rename) if request.rename else AS_LABELLED
    episodes = (with_episodes(store, pairs, transcript_of, names),) if pairs else ()
    return replace(result, sections=(*result.sections, *episodes), names=names)


def _gates(store: Store, conclusions: Conclusions, rules: Sequence[GateRule]) -> tuple[Gate, ...]:
    from sociolab.analysis.gates import difference_gates
    from sociolab.analysis.values import why_not_compared

    if not rules:
        return ()
    why_not = partial(why_not_compared, store, [outline.run for outline in conclusions.outlines])
    return difference_gates(conclusions.two("--fail-if"), rules, why_not)


def _document(
    conclusions: Conclusions,
    pairs: ComparedPairs | None,
    gates: Sequence[Gate],
    beside: Sequence[dict[str, Any]],
) -> dict[str, Any]:
    decided = {"gates": [gate.document() for gate in gates]} if gates else {}
    among = {"beside_people": list(beside)} if beside else {}
    return conclusions.document() | {"pairs": pairs.document() if pairs else []} | decided | among


def parse_ks(text: str) -> tuple[int, ...]:
    """The numbers in a text such as "1,2,4", each once and sorted; ConfigError for another text."""
    if not re.fullmatch(r"\s*[1-9]\d{0,3}\s*(,\s*[1-9]\d{0,3}\s*)*", text):
        raise ConfigError(
            f'--k: expected numbers from 1 with commas, such as 1,2,4; found "{text}"'
        )
    return tuple(sorted({int(part) for part in text.split(",")}))
