"""Words cut into sentences and clauses; every piece is a part of the text, letter for letter."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from sociolab.worlds.stss.talk.rules.patterns import Pattern

_STOP = r"[.!?\u2026]"
# Each alternative begins with a mark, and what must not be before it is looked up only there.
_END = Pattern(
    rf"[.!?\u2026;\n](?:(?<={_STOP}){_STOP}*(?<!\bMr\.)(?<!\bMrs\.)(?<!\bMs\.)(?<!\bDr\.)(?<!\bProf\.)"
    r"(?<!\bSt\.)(?<! a\.m\.)(?<!\da\.m\.)(?<! p\.m\.)(?<!\dp\.m\.)(?<!\be\.g\.)(?<!\bi\.e\.)"
    r"[\"')\u201d\u2019]*\s+"
    r"|(?<=m\.)\s+(?=[A-Z])|(?<=\w\?)\?*(?=\w)|(?<=\n)\s*|(?<=;)\s+)"
)
_CLAUSE = Pattern(
    r"(?=[\s,;:()\u2014])(?:\s*;\s*|:\s+| [-\u2013] |\s*\u2014\s*|\s+\(|\)\s*"
    r"|,?\s+(?=(?:but|although|though|because|while|whereas|unless|except)\b)"
    r"|,?\s+(?=(?:once|before|after|when|until|till|as soon as) "
    r"(?:i|we|he|she|they|you|it|(?:the|my|his|her|your) (?:\w+ ){1,2}(?:is|has|are|closes?"
    r"|opens?|shuts?))"
    r"(?:'\w+)? )"
    r"|,\s+(?=(?:so|and|as|then|since|only|which|where|when|if|or|that's|there's|just)\b)"
    r"|,\s+(?=(?:i|we|he|she|they|you|it|that|there|my|her|his|your|our)(?:'\w+)? (?!too\b)\w+)"
    r"|,\s+(?=\w+ (?:has|have|had|is|are|was|needs?|wants?|says|said|can|can't|will|won't|closes"
    r"|opens"
    r"|starts|gets|takes) )"
    r"|,\s+(?=the \w+ (?:\w+s|is|are|has|have|\w+'s) )"
    r"|\s+(?=and (?:i|we|he|she|they|you|it|there|then)(?:'\w+)? )"
    r"|\s+(?=so (?:i|we|he|she|they|you|it)(?:'\w+)? ))"
)
_SAME = str.maketrans("\u2019\u2018\u2013\u00a0\u201c\u201d", "''- \"\"")


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence: `quote` as it was said, `text` in small letters with plain quotation marks.

    Both are equally long, so that a span of one is a span of the other. `clauses` are the spans
    of its clauses.
    """

    quote: str
    text: str
    asks: bool
    clauses: tuple[tuple[int, int], ...]

    def clause_at(self, place: int) -> str:
        """The clause around a letter."""
        return next((self.text[a:b] for a, b in self.clauses if a <= place < b), self.text)


@lru_cache(maxsize=8192)
def sentences(text: str) -> tuple[Sentence, ...]:
    """The sentences of a text, in order; empty ones are left out."""
    found = []
    begin = 0
    for match in _END.finditer(text):
        found.append(text[begin : match.end()])
        begin = match.end()
    found.append(text[begin:])
    return tuple(_sentence(one.strip()) for one in found if one.strip())


def _sentence(quote: str) -> Sentence:
    low = small(quote)
    asks = low.rstrip("\"')").endswith("?")
    return Sentence(quote, low, asks, _clauses(low))


def small(text: str) -> str:
    """In small letters with plain quotation marks, as long as before."""
    same = text.translate(_SAME)
    low = same.lower()
    if len(low) == len(same):
        return low
    return "".join(one.lower() if len(one.lower()) == 1 else one for one in same)


def _clauses(text: str) -> tuple[tuple[int, int], ...]:
    spans = []
    begin = 0
    for match in _CLAUSE.finditer(text):
        if match.start() > begin:
            spans.append((begin, match.start()))
        begin = match.end()
    spans.append((begin, len(text)))
    return tuple(spans)
