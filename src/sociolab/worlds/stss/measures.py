"""The measures of social tasks (STSS section 5.1, Table 4)."""

from __future__ import annotations

from sociolab.core.score import Measure
from sociolab.worlds.stss.talk.losses import LOSSES
from sociolab.worlds.stss.task import TASK_TYPES, TaskType

MOST_RATIO = 3
"""A talk with everybody where a third of them are expected; of one, two or four, it is less."""

OF_TYPE: dict[TaskType, Measure] = {
    kind: Measure(kind.replace(" ", "_"), 0, 1, title=kind) for kind in TASK_TYPES
}
"""The columns of Table 4: the goal's score, for tasks of one type only."""

OVERALL = Measure("overall", 0, 1, title="overall")
RATIO = Measure("conversation_ratio", 0, MOST_RATIO, title="conversation ratio")
RATIO_BOTH = Measure("conversation_ratio_both", 0, MOST_RATIO, title="ratio, either began")
ANY_HELPER = Measure("goal_any_helper", 0, 1, title="goal, any helper")
ANY_HOST = Measure("goal_any_host", 0, 1, title="goal, host or not")


GOAL_READ = Measure("goal_read", 0, 1, title="goal, actions read")
BY_FILTER = Measure("took_part_by_filter", 0, 1, title="took part, by filter")
BY_READING = Measure("took_part_read", 0, 1, title="took part, read")
AGREEMENT = Measure("filter_agreement", 0, 1, title="filter and reading agree")
"""Of those who were at the place in time: who took part by the keyword filter, who as a model reads
their actions, and on how many the two agree."""

READ = (GOAL_READ, BY_FILTER, BY_READING, AGREEMENT, *LOSSES.values())
"""What a model that reads the words says of an episode."""


def at_least(minutes: int) -> Measure:
    """The goal's score if taking part had to last so many minutes."""
    return Measure(f"goal_{minutes}_min", 0, 1, title=f"goal, {minutes} min")


def measures_of(kind: TaskType, beside: tuple[int, ...]) -> tuple[Measure, ...]:
    """The measures of a task of this type, in the order of a table's columns."""
    found = (OF_TYPE[kind], OVERALL, *map(at_least, beside))
    if kind == "asking for help":
        return (*found, ANY_HELPER, *LOSSES.values())
    if kind == "public activity":
        found = (*found, ANY_HOST)
    return (*found, RATIO, RATIO_BOTH, *LOSSES.values())
