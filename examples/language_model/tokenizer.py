"""Tokenizer: common words have ids of their own; every other word of a conversation has a slot of that conversation."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

from webenv.errors import DataError
from webenv.wrappers.menu.words import stem

_PIECE = re.compile(
    r"<\|\w+\|>|</?[A-Za-z]\w*[^<>\n]*>|https?://[^\s<>]+|\d+(?:,\d{3})*|[^\W\d_]+(?:['’-][^\W\d_]+)*|\"|\n+"
)
_TAG = re.compile(r"</?[A-Za-z]\w*")
_LINE_WORDS = 3  # a line of fewer words is no token of its own
_SPLIT = re.compile(r"(\n+|<\|\w+\|>)")
_SPECIAL = ("(pad)", "(rest)", "<|system|>", "<|user|>", "<|assistant|>", "<|end|>")


class Tokenizer:
    """A vocabulary of words, tags and whole lines that training conversations share, and of slots.

    Worlds share no names, so the vocabulary holds what they do share, and a word that it does not hold has
    the id of a slot for the length of one conversation, as entities have in Hermann et al. (2015), "Teaching
    Machines to Read and Comprehend", section 2.2. Which slot that is, chance decides in each conversation; so
    a model can learn of a slot nothing but where else it stands. Words of one stem share an id ("prints",
    "printed"), and are written as the conversation had them first. Case, spaces and punctuation other than the
    quotation mark are not kept.

    Args:
        words: stems, tags and whole lines that have an id.
        slots: how many different other words one conversation may have; those beyond share one id.
    """

    def __init__(self, words: Sequence[str], slots: int = 256) -> None:
        self.words = list(words)
        self.slots = slots
        self._names = [*_SPECIAL, *self.words]
        self._ids = {name: number for number, name in enumerate(self._names)}
        self.pad, self.rest, self.end = 0, 1, _SPECIAL.index("<|end|>")
        self.first_slot = len(self._names)

    def __len__(self) -> int:
        """The number of ids."""
        return self.first_slot + self.slots

    @classmethod
    def of(cls, conversations: Iterable[Iterable[str]], words: int = 1_000, slots: int = 256) -> Tokenizer:
        """The vocabulary of training conversations.

        Args:
            conversations: the texts of each.
            words: how many words have an id: those that most conversations have in lower case. Tags,
                line ends, the numbers to 99, and lines of three words or more that one conversation in fifty
                has, have one as well.
            slots: as for the class.
        """
        counts: Counter[str] = Counter()
        lines: Counter[str] = Counter()
        number = 0
        for texts in conversations:
            number += 1
            joined = "\n".join(texts)
            counts.update({_name(piece) for piece in _PIECE.findall(joined) if piece.islower() or piece[0] == "<"})
            lines.update({line.strip() for line in joined.splitlines() if len(line.split()) >= _LINE_WORDS})
        tags = sorted(name for name in counts if name.startswith("<"))
        common = sorted((name for name in counts if name.isalpha()), key=lambda name: (-counts[name], name))[:words]
        whole = sorted(line for line, count in lines.items() if count * 50 >= number)
        every = ["\n", '"', *tags, *map(str, range(100)), *sorted(common), *whole]
        return cls(list(dict.fromkeys(every)), slots)

    def find(self, name: str) -> int | None:
        """The id of a stem, a tag or a line; ``None`` where it has none."""
        return self._ids.get(name)

    def name(self, token: int) -> str:
        """What an id below ``first_slot`` stands for."""
        return self._names[token]

    def written(self, token: int) -> bool:
        """Whether an id stands for the same text in every conversation."""
        return len(_SPECIAL) <= token < self.first_slot

    def save(self, path: Path) -> None:
        """Writes the vocabulary as JSON."""
        path.write_text(json.dumps({"slots": self.slots, "words": self.words}, ensure_ascii=False), encoding="utf-8")

    @classmethod
    def load(cls, path: Path) -> Tokenizer:
        """Reads what :meth:`save` wrote.

        Raises:
            DataError: if the file is none of those.
        """
        try:
            saved = json.loads(path.read_text(encoding="utf-8"))
            return cls(saved["words"], saved["slots"])
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise DataError(
                f"vocabulary {str(path)!r} cannot be read ({error}); train anew without --resume."
            ) from error


class Conversation:
    """The table of the slots of one conversation, with which its texts become ids, and ids texts.

    Texts are those of :class:`webenv.wrappers.Transcript`, in the order of the conversation, with its marks
    ``<|user|>`` and the like; so ``transcript.tokenize(conversation.encode)`` gives ids and loss mask.
    """

    def __init__(self, tokenizer: Tokenizer, rng: np.random.Generator) -> None:
        self.tokenizer = tokenizer
        self._order = rng.permutation(tokenizer.slots)
        self._slots: dict[str, int] = {}
        self._forms: dict[int, str] = {}

    def encode(self, text: str) -> list[int]:
        """The ids of a text; words that were not seen before take the next slots.

        Line ends beside the marks of messages are left out.
        """
        ids: list[int] = []
        for line in filter(None, _SPLIT.split(text)):
            whole = self.tokenizer.find(line.strip()) if len(line.split()) >= _LINE_WORDS else None
            ids += [whole] if whole is not None else map(self._id, _PIECE.findall(line))
        newline = self.tokenizer.find("\n")
        near = zip([self.tokenizer.end, *ids], ids, [*ids[1:], self.tokenizer.end], strict=False)
        return [one for before, one, after in near if one != newline or not (self._marks(before) or self._marks(after))]

    def _marks(self, number: int) -> bool:
        return number < len(_SPECIAL)

    def _id(self, piece: str) -> int:
        name = _name(piece)
        number = self.tokenizer.find(name)
        if number is None:
            if name not in self._slots and len(self._slots) < self.tokenizer.slots:
                self._slots[name] = self.tokenizer.first_slot + int(self._order[len(self._slots)])
            number = self._slots.get(name, self.tokenizer.rest)
        if name[0] not in '<"\n' and number != self.tokenizer.rest:
            self._forms.setdefault(number, piece)
        return number

    def decode(self, ids: Sequence[int]) -> str:
        """The text of ids that the agent wrote: words in the form that the conversation had first.

        Marks, and slots of no word, give no text.
        """
        parts = (self._text(number) for number in ids)
        text = " ".join(part for part in parts if part)
        text = re.sub(r" ?(\n|</?\w+>) ?", r"\1", text)
        return re.sub(r'" ([^"]*) "', r'"\1"', text)

    def _text(self, number: int) -> str:
        if number in self._forms:
            return self._forms[number]
        return self.tokenizer.name(number) if self.tokenizer.written(number) else ""


def _name(piece: str) -> str:
    """What a piece of text is looked up as: a tag without attributes, a stem, a line end."""
    if piece[0] == "<":
        found = _TAG.match(piece)
        return f"{found[0].lower()}>" if found else piece
    if piece[0] == "\n":
        return "\n"
    return piece if piece.startswith("http") else stem(piece.lower())
