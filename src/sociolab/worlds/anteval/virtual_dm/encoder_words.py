"""How the encoder cuts text into tokens: as its weights were made, or by words of the examples.

Needs the package tokenizers (the extra `finetune`): import it late.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from tokenizers import Tokenizer, normalizers, pre_tokenizers
from tokenizers.models import WordLevel

from sociolab.worlds.anteval.virtual_dm.embedding_weights import TOKENIZER

PADDING, UNKNOWN, START, END = "[PAD]", "[UNK]", "[CLS]", "[SEP]"
MOST_WORDS = 4096


@dataclass(frozen=True, slots=True)
class Words:
    """A vocabulary of `size` tokens; `start` and `end` frame what is read."""

    tokenizer: Tokenizer
    size: int
    start: int
    end: int

    def ids_of(self, text: str) -> list[int]:
        """The token ids of a text, without `start` and `end`."""
        ids: list[int] = self.tokenizer.encode(text, add_special_tokens=False).ids
        return ids


def packaged_words(folder: Path) -> Words:
    """The tokens that the weights in this folder were made with."""
    tokenizer = Tokenizer.from_file(str(folder / TOKENIZER))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return _words(tokenizer)


def words_in(texts: Iterable[str]) -> Words:
    """The most frequent words of some texts, in lower case; alike frequent ones by alphabet."""
    normal, cut = normalizers.BertNormalizer(lowercase=True), pre_tokenizers.BertPreTokenizer()
    times = Counter(
        word for text in texts for word, _ in cut.pre_tokenize_str(normal.normalize_str(text))
    )
    frequent = sorted(times, key=lambda word: (-times[word], word))[:MOST_WORDS]
    vocabulary = {word: i for i, word in enumerate((PADDING, UNKNOWN, START, END, *frequent))}
    tokenizer = Tokenizer(WordLevel(vocabulary, unk_token=UNKNOWN))
    tokenizer.normalizer, tokenizer.pre_tokenizer = normal, cut
    return _words(tokenizer)


def _words(tokenizer: Tokenizer) -> Words:
    start, end = tokenizer.token_to_id(START), tokenizer.token_to_id(END)
    return Words(tokenizer, tokenizer.get_vocab_size(), start, end)
