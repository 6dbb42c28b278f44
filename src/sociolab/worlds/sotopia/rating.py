"""People's ratings and reviews of SOTOPIA: the guide to the seven dimensions, episodes with all
that is private, and the next version of a reviewed data set (appendix D.2)."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from importlib.resources import as_file, files
from pathlib import Path

from sociolab.core.episode import Episode, Moved, Task
from sociolab.core.errors import ConfigError
from sociolab.core.reading import json_file
from sociolab.core.score import Measure
from sociolab.core.user_files import write_files
from sociolab.plugin.shown import (
    DecidedCluster,
    DimensionGuide,
    RatedLine,
    RatedPerson,
    RatedScene,
    ReviewedTask,
    guides_from,
)
from sociolab.plugin.world import RatingGuide
from sociolab.report.words import plural
from sociolab.worlds.sotopia.closing_form import describe_selections
from sociolab.worlds.sotopia.dataset import FILES, META, load
from sociolab.worlds.sotopia.evaluation import (
    BELIEVABILITY,
    COMPREHENSIVE,
    DIMENSIONS,
    FINANCIAL,
    GOAL,
    KNOWLEDGE,
    RELATIONSHIP,
    SECRET,
    SOCIAL_RULES,
    compute_overall,
    read_instructions,
)
from sociolab.worlds.sotopia.scenarios import Provenance, Scenario, SceneCast, casting_from
from sociolab.worlds.sotopia.scene import JUDGED, PACKAGE, describe_ties, judge_names, paper_prompts
from sociolab.worlds.sotopia.visibility import (
    describe_known,
    describe_self,
    describe_tie,
    format_line,
    reveal_character,
)

SCENE = (
    "The examples below are of one small scene. Ada wants to buy Ben's old bicycle for $60 or "
    "less. Ben wants $90 or more. Ada's secret: she lost her driving licence and tells nobody. "
    "Ben's secret: the brakes slip, and he knows it. They are colleagues."
)


EXAMPLES: Mapping[Measure, tuple[tuple[int, str], ...]] = {
    BELIEVABILITY: (
        (1, "Ada says the same polite sentence four times and thanks Ben for things he never "
            "did."),
        (5, "Ben haggles as one would, but all at once speaks like a sales leaflet, which is "
            "nothing like him."),
        (10, "Ada hesitates, jokes about her knees and asks what anyone would ask about an "
             "old bicycle."),
    ),
    RELATIONSHIP: (
        (-4, "Ben shouts that Ada is a cheat and that he will tell everybody at work."),
        (0, "They settle on a price, nod, and are the colleagues that they were."),
        (4, "Ben offers to ride out with Ada on Sunday, and she is glad to say yes."),
    ),
    KNOWLEDGE: (
        (0, "Ada hears the price, which she had read in the advertisement."),
        (5, "Ada learns how old the tyres are, which helps her a little to decide."),
        (9, "Ada finds out that the brakes slip: it changes what she wants to do."),
    ),
    SECRET: (
        (-10, "Ada says: I lost my licence in March, please tell nobody."),
        (-4, "Ada says that she cannot drive just now and quickly changes the subject."),
        (0, "Ada speaks of fresh air and exercise; nobody could guess."),
    ),
    SOCIAL_RULES: (
        (-9, "Ben swears that the brakes are new and lets Ada ride off towards the traffic."),
        (-4, "Ada interrupts all the time and mocks Ben's job."),
        (0, "Both are frank about money and stay polite."),
    ),
    FINANCIAL: (
        (-4, "Ada pays $120 for a bicycle with broken brakes."),
        (0, "Nothing is sold, and neither of them gains or loses anything."),
        (3, "Ada gets the bicycle for $50, with the lock and the lamps on top."),
    ),
    GOAL: (
        (0, "Ada wanted to pay $60 or less, and Ben kept the bicycle."),
        (5, "Ada gets it for $70: more than she wanted to pay, less than he asked."),
        (10, "Ada gets it for $60."),
    ),
}  # fmt: skip
"""Examples of ratings, which raters see beside the instructions (appendix D.3)."""

KNEW = (
    "The two people may have known each other only in part. Above each episode you read what each "
    "of them was told about the other, and you see more than either of them did: both goals and "
    "both secrets. Rate what people did with what they could know. Somebody who meets a stranger "
    "cannot use a name, a job or a weakness that nobody told them."
)


def rating_guide() -> RatingGuide:
    """The seven dimensions in the judge's words, with examples; the overall follows from them."""
    texts = paper_prompts()
    wordings = read_instructions(texts)
    guides = tuple(
        DimensionGuide(
            measure,
            wording.title,
            wording.question,
            " ".join((wording.account, *[COMPREHENSIVE] * wording.comprehensive, wording.scale)),
            wording.low_end,
            wording.high_end,
            EXAMPLES[measure],
        )
        for measure in DIMENSIONS
        for wording in (wordings[measure.name],)
    )
    instructions = texts.instructions(*JUDGED)
    return RatingGuide(guides, rated_scene, SCENE, KNEW, compute_overall, instructions)


def behaviour_guide() -> RatingGuide:
    """The behaviour of sections 6 and 7, as yes/no questions."""
    with as_file(files(PACKAGE) / "prompts" / "paper" / "behaviour.toml") as file:
        return RatingGuide(guides_from(file), rated_scene, SCENE, KNEW)


def reviewed_task(task: Task) -> ReviewedTask:
    casting = casting_of(task.content)
    names = judge_names(casting)
    return ReviewedTask(
        (casting.scenario.context, *(goal.text for goal in casting.scenario.goals)),
        tuple((names[character.id], describe_self(character)) for character in casting.characters),
        describe_ties(casting),
    )


def rated_scene(episode: Episode) -> RatedScene:
    """An episode for raters, with everything private; ConfigError if it is not SOTOPIA's."""
    casting = casting_of(episode.trial.task.content)
    names = judge_names(casting)
    environment = casting.scenario.environment
    context = (
        casting.scenario.context,
        environment and f"What the participants were not told: {environment}",
        describe_selections(casting.scenario, episode, names),
    )
    return RatedScene(
        "\n".join(filter(None, context)),
        tuple(_rated_person(casting, names, index) for index in range(len(casting.characters))),
        describe_ties(casting),
        tuple(_rated_line(move, names) for move in episode.moves),
    )


def _rated_line(move: Moved, names: Mapping[str, str]) -> RatedLine:
    lines = [
        format_line("", action, tuple(names[to] for to in action.to)) for action in move.actions
    ]
    text = " ".join(line.removeprefix(":").strip() for line in lines)
    return RatedLine(move.turn + 1, move.seat, names[move.seat], text, lines[0].startswith(":"))


def casting_of(content: str) -> SceneCast:
    """Parse the content of a task; ConfigError if it is not SOTOPIA's."""
    try:
        return casting_from(content)
    except ValueError as error:
        raise ConfigError(
            "expected an episode of SOTOPIA with its characters and goals, found another kind; "
            "rate a run of sotopia"
        ) from error


def _rated_person(casting: SceneCast, names: Mapping[str, str], index: int) -> RatedPerson:
    """A character, and what it knew of the others in the words of its player's prompt."""
    me, knowledge = casting.characters[index], []
    for other in casting.characters:
        if other.id != me.id:
            tie = casting.between(me.id, other.id)
            profile = reveal_character(
                other, tie.type, describe_tie(tie, other.id, other.first_name)
            )
            knowledge.append((names[other.id], describe_known(profile)))
    return RatedPerson(
        me.id,
        names[me.id],
        describe_self(me.model_copy(update={"secret": ""})),
        me.secret,
        casting.scenario.goals[index].text,
        tuple(knowledge),
        me.name,
    )


# ------------------------------------------------------------------ revision after reviews


def revise(
    source: Path | None, fresh: Path, study: str, decided: Mapping[str, DecidedCluster]
) -> Sequence[str]:
    """Write the next version of a folder (None: the package's data) into a new one.

    Rejected scenarios are left out with their tasks; edited ones get the new texts and keep their
    facts. Everything else stays.
    """
    if source is None:
        with as_file(files(PACKAGE) / "data") as own:
            return revise(own, fresh, study, decided)
    data = load(source)
    scenarios = [
        _revise_scenario(scenario, study, decided[scenario.id])
        if scenario.id in decided
        else scenario
        for scenario in data.scenarios.values()
        if scenario.id not in decided or decided[scenario.id].decision != "reject"
    ]
    if not scenarios:
        raise ConfigError("the reviews reject every scenario: no data set is left to write")
    remaining = {scenario.id for scenario in scenarios}
    rows = [row for row in data.rows if row.scenario in remaining]
    meta = json_file(source / META)
    assert isinstance(meta, dict)  # as `load` has checked
    rejected = {
        key: review.reasons for key, review in decided.items() if review.decision == "reject"
    }
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
            FILES[0]: "".join(character.line() for character in data.characters.values()),
            FILES[1]: "".join(relationship.line() for relationship in data.relationships.values()),
            FILES[2]: "".join(scenario.line() for scenario in scenarios),
            FILES[3]: "".join(row.line() for row in rows),
        },
    )
    revised = load(fresh)
    return (
        f"{data.id.name} {data.id.version} becomes {revised.id.version}: "
        f"{plural(len(scenarios), 'scenario')}, {plural(len(rows), 'task')}",
    )


def next_version(version: str) -> str:
    """The version with its last number increased: "1.0.9" becomes "1.0.10", "a" becomes "a.2"."""
    match = re.fullmatch(r"(.*?)(\d+)", version)
    return f"{match[1]}{int(match[2]) + 1}" if match else f"{version}.2"


def _revise_scenario(scenario: Scenario, study: str, review: DecidedCluster) -> Scenario:
    """The scenario as decided, with the decision in its provenance."""
    if not review.decision:
        return scenario
    edited = review.decision == "edit"
    step = Provenance(
        step="edited" if edited else "kept",
        by=review.by,
        on=review.on,
        study=study,
        reasons=review.reasons,
    )
    changed: dict[str, object] = {"provenance": (*scenario.provenance, step)}
    if edited:
        context, *goals = review.texts
        changed |= {"context": context, "published": None}  # `published` has the unedited texts
        changed["goals"] = tuple(
            goal.model_copy(update={"text": text})
            for goal, text in zip(scenario.goals, goals, strict=True)
        )
    return scenario.model_copy(update=changed)
