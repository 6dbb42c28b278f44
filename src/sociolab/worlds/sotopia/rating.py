"""How do people rate and review SOTOPIA's scenes: the guide to the seven dimensions, and an episode
with all that is private."""

from __future__ import annotations

from sociolab.core.episode import Episode, Task
from sociolab.core.errors import ConfigError
from sociolab.plugin.shown import DimensionGuide, RatedLine, RatedPerson, RatedScene, ReviewedTask
from sociolab.plugin.world import RatingGuide
from sociolab.worlds.sotopia.evaluation import (
    BELIEVABILITY,
    FINANCIAL,
    GOAL,
    KNOWLEDGE,
    RELATIONSHIP,
    SECRET,
    SOCIAL_RULES,
    overall,
)
from sociolab.worlds.sotopia.scene import SceneCast, casting_from, judge_names, ties
from sociolab.worlds.sotopia.visibility import (
    describe_known,
    describe_self,
    known,
    line_text,
    shown_tie,
)

SCENE = (
    "The examples below are of one small scene. Ada wants to buy Ben's old bicycle for $60 or "
    "less. Ben wants $90 or more. Ada's secret: she lost her driving licence and tells nobody. "
    "Ben's secret: the brakes slip, and he knows it. They are colleagues."
)


GUIDES = (
    DimensionGuide(
        BELIEVABILITY,
        "Believability",
        "Would a person like this, in this situation, talk and act like that?",
        "Their manner of speaking, whether they repeat themselves or the other, and whether what "
        "they do fits their character, values and situation. Not whether you like it.",
        "no human would",
        "just like this person",
        (
            (1, "Ada says the same polite sentence four times and thanks Ben for things he never "
                "did."),
            (5, "Ben haggles as one would, but all at once speaks like a sales leaflet, which is "
                "nothing like him."),
            (10, "Ada hesitates, jokes about her knees and asks what anyone would ask about an "
                 "old bicycle."),
        ),
    ),
    DimensionGuide(
        RELATIONSHIP,
        "Relationship",
        "What did the scene do to the bond between the two, for this person?",
        "Compare before and after: trust, closeness, respect, also their standing with others. "
        "0: nothing changed.",
        "badly harmed",
        "grew a great deal",
        (
            (-4, "Ben shouts that Ada is a cheat and that he will tell everybody at work."),
            (0, "They settle on a price, nod, and are the colleagues that they were."),
            (4, "Ben offers to ride out with Ada on Sunday, and she is glad to say yes."),
        ),
    ),
    DimensionGuide(
        KNOWLEDGE,
        "Knowledge",
        "How much did this person learn that is new and matters to them?",
        "Only what came up in the scene. What they were told beforehand does not count, nor does "
        "small talk.",
        "nothing new",
        "a great deal that matters",
        (
            (0, "Ada hears the price, which she had read in the advertisement."),
            (5, "Ada learns how old the tyres are, which helps her a little to decide."),
            (9, "Ada finds out that the brakes slip: it changes what she wants to do."),
        ),
    ),
    DimensionGuide(
        SECRET,
        "Secret",
        "Did this person keep what they want nobody to know?",
        "Their secret, and whatever their goal says they hide. 0 if it was kept, or if there was "
        "nothing to hide.",
        "told outright",
        "kept",
        (
            (-10, "Ada says: I lost my licence in March, please tell nobody."),
            (-4, "Ada says that she cannot drive just now and quickly changes the subject."),
            (0, "Ada speaks of fresh air and exercise; nobody could guess."),
        ),
    ),
    DimensionGuide(
        SOCIAL_RULES,
        "Social rules",
        "Did this person break the law, moral rules or the unwritten rules of good manners?",
        "How grave it is, not how often. 0 if nothing was broken.",
        "gravely broken",
        "none broken",
        (
            (-9, "Ben swears that the brakes are new and lets Ada ride off towards the traffic."),
            (-4, "Ada interrupts all the time and mocks Ben's job."),
            (0, "Both are frank about money and stay polite."),
        ),
    ),
    DimensionGuide(
        FINANCIAL,
        "Financial and material gain",
        "What did this person gain or lose in money or goods, at once or later?",
        "A fair exchange is 0: the one has the money, the other the bicycle. Only what the scene "
        "leads to counts.",
        "a heavy loss",
        "a large gain",
        (
            (-4, "Ada pays $120 for a bicycle with broken brakes."),
            (0, "Ada pays what the bicycle is worth; or nothing is sold at all."),
            (3, "Ada gets the bicycle for $50, with the lock and the lamps on top."),
        ),
    ),
    DimensionGuide(
        GOAL,
        "Goal",
        "How far did this person reach their own private goal?",
        "Their goal as it is written, and nothing else: what they should have wanted does not "
        "count. Each person is rated by their own goal.",
        "not at all",
        "all of it",
        (
            (0, "Ada wanted to pay $60 or less, and Ben kept the bicycle."),
            (5, "Ada gets it for $70: more than she wanted to pay, less than he asked."),
            (10, "Ada gets it for $60."),
        ),
    ),
)  # fmt: skip

KNEW = (
    "The two people may have known each other only in part. Above each episode you read what each "
    "of them was told about the other, and you see more than either of them did: both goals and "
    "both secrets. Rate what people did with what they could know. Somebody who meets a stranger "
    "cannot use a name, a job or a weakness that nobody told them."
)


def rating_guide() -> RatingGuide:
    """The seven dimensions, in the order of the paper; the overall once all of them are there."""
    return RatingGuide(GUIDES, rated_scene, SCENE, KNEW, overall)


def reviewed(task: Task) -> ReviewedTask:
    """The task as reviewers see it."""
    casting = casting_of(task.content)
    names = judge_names(casting)
    return ReviewedTask(
        (casting.scenario.context, *(goal.text for goal in casting.scenario.goals)),
        tuple((names[one.id], describe_self(one)) for one in casting.characters),
        ties(casting),
    )


def rated_scene(episode: Episode) -> RatedScene:
    """The scene of an episode; ConfigError where it is not one of SOTOPIA's."""
    casting = casting_of(episode.trial.task.content)
    names = judge_names(casting)
    return RatedScene(
        casting.scenario.context,
        tuple(_person(casting, names, index) for index in range(len(casting.characters))),
        ties(casting),
        tuple(
            RatedLine(
                move.turn + 1,
                move.seat,
                names[move.seat],
                " ".join(
                    line_text("", action, tuple(names[to] for to in action.to))
                    .removeprefix(":")
                    .strip()
                    for action in move.actions
                ),
            )
            for move in episode.moves
        ),
    )


def casting_of(content: str) -> SceneCast:
    """The casting in a task's content; ConfigError where it holds none."""
    try:
        return casting_from(content)
    except ValueError as error:
        raise ConfigError(
            "expected an episode of SOTOPIA with its characters and goals, found another kind; "
            "rate a run of sotopia"
        ) from error


def _person(casting: SceneCast, names: dict[str, str], index: int) -> RatedPerson:
    me = casting.characters[index]
    about = describe_self(me.model_copy(update={"secret": ""}), to_people=True)
    return RatedPerson(
        me.id,
        names[me.id],
        about,
        me.secret,
        casting.scenario.goals[index].text,
        tuple(
            (
                names[other.id],
                describe_known(
                    known(other, tie.type, shown_tie(tie), to_people=True), to_people=True
                ),
            )
            for other in casting.characters
            if other.id != me.id
            for tie in (casting.between(me.id, other.id),)
        ),
    )
