"""The goods of a scenario, and finding them in what is said."""

from __future__ import annotations

from collections.abc import Mapping

from sociolab.worlds.sotopia.checks.phrases import Mark, Phrases
from sociolab.worlds.sotopia.checks.said_of_goods import OF_GOODS, Cue
from sociolab.worlds.sotopia.checks.words import words


class GoodNames:
    """The goods with their counts, by full name and by the words that only one of them has."""

    def __init__(self, counts: Mapping[str, int]) -> None:
        self.counts = dict(counts)
        self._names = {good: words(good, dropped=frozenset()) or [good] for good in counts}
        self._phrases: Phrases[Cue | str] = Phrases(OF_GOODS, self._wordings())

    def named_last(self, said: list[str]) -> str | None:
        """The good that is named last in a turn."""
        goods = [mark for _, _, mark in self._phrases.marks(said) if isinstance(mark, str)]
        return goods[-1] if goods else None

    def marks(self, sentence: list[str]) -> list[Mark[Cue | str]]:
        """The cues and the goods in a sentence; a good's mark is its name."""
        return self._phrases.marks(sentence)

    def is_plural(self, good: str, word: str) -> bool:
        """Whether a word names the good as the scenario does, and not one piece of it."""
        return word in self._names[good]

    def _wordings(self) -> dict[Cue | str, str]:
        """Each good by its full name and by words that only it has, plural and singular."""
        tables: dict[Cue | str, str] = {}
        for good, parts in self._names.items():
            others = {word for other, ws in self._names.items() if other != good for word in ws}
            own = [part for part in parts if part not in others and len(part) > 2]
            wordings = {" ".join(parts), *own}
            wordings |= {" ".join([*parts[:-1], one]) for one in _singulars(parts[-1])}
            wordings |= {" ".join([one, *parts[1:]]) for one in _singulars(parts[0])}
            wordings |= {one for part in own for one in _singulars(part)}
            tables[good] = "\n".join(sorted(wordings))
        return tables


def _singulars(word: str) -> set[str]:
    """What may be the singular of a plural: balls, boxes, berries, knives, locomotives."""
    if not word.endswith("s") or word.endswith("ss"):
        return {word}
    found = {word[:-1]}
    if word.endswith("ies"):
        found.add(word[:-3] + "y")
    if word.endswith("ves"):
        found |= {word[:-3] + "f", word[:-3] + "fe"}
    if word.endswith(("xes", "ches", "shes", "sses")):
        found.add(word[:-2])
    return found
