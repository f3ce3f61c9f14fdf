"""Names of the persons, places and things of a world."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from webenv.corpora.procedural.rng import Rng
from webenv.corpora.world.schema import Schema
from webenv.corpora.world.templates import Alternatives, Part, Synonyms, Wording
from webenv.errors import DataError

if TYPE_CHECKING:
    from webenv.corpora.world.language import WorldLanguage

_COMPOSED = 0.75  # of surnames, and half as many streets: of two parts, as whole ones are used up in some hundred pages
_STOCKS = ("", "2", "3")  # starts and ends of surnames that go together
_LETTERS = "ABCDEFGHJKLMNPRSTVWX"
_FIGURES = {
    "phone": ("0%%%% %%% %%%", "(0%%%) %%% %%%%", "0%%% / %% %% %%", "0%%%%-%%%%%", "%% %% %% %%"),
    "file": ("@@/%%%%/%%%", "%%-%%%%", "@.%%.%%%", "@@ %%%/%%", "%%%%.%%"),
    "grid": ("@@ %%% %%%", "@@ %%%% %%%%", "%%%%.%% E, %%%%.%% N", "sheet @%%, square %%%%"),
    "isbn": ("978-%-%%%%-%%%%-%", "978-%%-%%%%%-%%-%", "%-%%%%-%%%%-%"),
}
"""How figures that stand for one thing alone are built: "%" a digit, "@" a letter."""
_SHARE = 0.55  # of the names of all worlds that one world uses, so that names do not tell the generator


class Names:
    """The names of one world: a part of all, drawn from its seed; test worlds use the held-out ones too.

    Args:
        schema: where names stand.
        seed: parts of the world's seed.
        test: whether it is a world of the test split.
        language: of the names.
    """

    def __init__(self, schema: Schema, seed: tuple[int | str, ...], test: bool, language: WorldLanguage) -> None:
        self.language = language
        self._lists: dict[str, tuple[str, ...]] = {}
        for what, (plain, held) in schema.names.items():
            names = (*plain, *held) if test else plain
            rng = Rng(*seed, "names", what)
            least = min(len(names), 12)
            chosen = rng.sample(names, max(least, int(len(names) * _SHARE)))
            self._lists[what] = tuple(chosen)
        self._schema = schema
        self._test = test

    def has(self, what: str) -> bool:
        """Whether there are names of a sort."""
        return what in self._lists

    def pick(self, what: str, rng: Rng) -> str:
        """A name of a sort.

        Raises:
            DataError: where no file has names of it.
        """
        if what == "surname" and "surname_start" in self._lists and rng.chance(_COMPOSED):
            stock = rng.pick(_STOCKS)
            return _joined(self.pick(f"surname_start{stock}", rng), self.pick(f"surname_end{stock}", rng))
        if what == "street" and "street_kind" in self._lists and rng.chance(_COMPOSED / 2):
            return f"{self.pick('surname', rng)} {self.pick('street_kind', rng)}"
        names = self._lists.get(what)
        if not names:
            raise DataError(f"no names of {what!r:.40}: expected one of {', '.join(sorted(self._lists))}.")
        return rng.pick(names)

    def person(self, sex: str, rng: Rng) -> str:
        """First name and surname; now and then with an initial between them."""
        first = self.pick("first_female" if sex == "f" else "first_male", rng)
        middle = f" {rng.pick('ABCDEFGHJKLMPRSTW')}." if rng.chance(0.08) else ""
        return self.language.person(first, middle, self.pick("surname", rng))

    def town(self, rng: Rng) -> str:
        """A town's name, of two parts, one in seven of two words."""
        name = _joined(self.pick("town_start", rng), self.pick("town_end", rng))
        if "town_whole" in self._lists and rng.chance(0.15):
            name = self.pick("town_whole", rng).replace("{x}", name)
        return name

    def country(self, rng: Rng) -> tuple[str, str]:
        """A country and its adjective."""
        name, _, adjective = self.pick("country", rng).partition("/")
        return name.strip(), adjective.strip() or name.strip() + "n"

    def fill(self, form: Wording, given: Mapping[str, str], rng: Rng, kind: str = "") -> str:
        """A form of proper names with its places filled.

        Args:
            form: as in a kind's ``name`` line.
            given: what is known already: the town.
            rng: chance.
            kind: whose pools ``{pool:NAME}`` are.
        """
        parts = [part if isinstance(part, str) else self._part(part, given, rng, kind) for part in form.parts]
        text = "".join(parts)
        return text if text.startswith("the ") else text[:1].upper() + text[1:]

    def _part(self, part: Part, given: Mapping[str, str], rng: Rng, kind: str) -> str:
        if isinstance(part, str):
            return part
        if isinstance(part, Alternatives):
            return "".join(self._part(one, given, rng, kind) for one in rng.pick(part.ways))
        if isinstance(part, Synonyms):
            return rng.pick(part.test if self._test else part.train)
        name = part.name
        if name in given:
            return given[name]
        if name == "town":
            return self.town(rng)
        if name == "person":
            return self.person("f" if rng.chance(0.5) else "m", rng)
        if name == "first":
            return self.pick("first_female" if rng.chance(0.5) else "first_male", rng)
        if name == "number":
            return str(rng.between(2, 40))
        if name == "year":
            return str(rng.between(1900, 2020))
        if name == "count":
            return self.language.digits(int(1.6 ** rng.between(8, 20) * (1 + rng.random())))
        if name in _FIGURES:
            form = rng.pick(_FIGURES[name])
            return "".join(str(rng.below(10)) if c == "%" else rng.pick(_LETTERS) if c == "@" else c for c in form)
        if name.startswith("pool:"):
            values = self._schema.pool(kind, name[5:])
            values = tuple(one for one in values if self._test or not one.held) or values
            if not values:
                raise DataError(f"kind {kind!r:.40}: no pool {name[5:]!r:.40}.")
            return rng.pick(values).wordings[0]
        if name in ("adj", "noun", "colour", "animal", "saint", "river", "street", "county"):
            word = self.pick(name, rng)
            return word[:1].upper() + word[1:]
        return self.pick(name, rng)


def _joined(start: str, end: str) -> str:
    """Two parts as one word; of "Hell" and "lid" no three letters of a kind."""
    return start + end[start[-2:] == end[:1] * 2 :]
