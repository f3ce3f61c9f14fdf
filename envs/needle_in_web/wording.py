"""How the criteria of a simulated world call what is sought and what they leave unnamed, by language."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from webenv.corpora.procedural import Rng
from webenv.corpora.world import KindSpec, Subject
from webenv.envs.needle_in_web.tasks import render_question

_WIDEST_ZH = {
    "structure": "建筑", "place": "地方", "firm": "企业", "public": "机构", "club": "团体", "press": "媒体",
    "product": "产品", "work": "作品", "event": "事件",
}  # fmt: skip


_WIDER = {"medium": 0.35, "hard": 0.6}  # of needles, those that call a thing by a wider name than its kind's
_SINGULAR = {"were": "was", "are": "is", "have": "has", "play": "plays", "wear": "wears"}


def _article(noun: str) -> str:
    return f"{'an' if noun[0] in 'aeiou' and not noun.startswith('uni') else 'a'} {noun}"


class NeedleWords:
    """English.

    Attributes:
        overlap: least and most bits of a question's wording that stand on the gold page (see WorldWeb.overlap).
        plain: of the tasks, those told in the page's words. Of one kind alone, whoever visits ten hits would find far
            more, or whoever trusts the first hit far less, than a difficulty is to give.
        plain_overlap: the least bits of those.
        siblings: least and most things of the same kind in the region of what is sought: near misses.
    """

    overlap: Mapping[str, tuple[int, int]] = {"easy": (0, 4), "medium": (0, 2), "hard": (0, 2)}
    plain: Mapping[str, float] = {"easy": 0.5, "medium": 0.24, "hard": 0.08}
    plain_overlap: Mapping[str, int] = {"easy": 53, "medium": 46, "hard": 44}
    siblings: Mapping[str, tuple[int, int]] = {"easy": (0, 6), "medium": (0, 7), "hard": (8, 999)}

    def noun(self, kind: KindSpec, difficulty: str, rng: Rng) -> str:
        """What criteria call a thing of a kind: that, or something wider."""
        if kind.name == "person":
            return "someone"
        if difficulty == "easy" or not kind.wider:
            return kind.noun
        if not rng.chance(_WIDER[difficulty]):
            return kind.noun
        return rng.pick(kind.wider) if difficulty == "hard" else kind.wider[0]

    def sought(self, noun: str, kind: KindSpec, sex: str, place: int, clear: bool = True) -> Subject:
        """Whoever or whatever a criterion speaks of: by the noun at place 0, then by a pronoun; by the noun again where
        that would not be clear."""
        if place == 0:
            words = noun if sex else _article(noun)
            return Subject(words, f"{words}'s", words, words, "their" if sex else "its")
        if sex:
            who, own, whom = ("she", "her", "her") if sex == "f" else ("he", "his", "him")
            return Subject(who, own, whom, whom, own)
        who, own, whom = ("they", "their", "them") if kind.pronoun == "they" else ("it", "its", "it")
        if not clear:
            return Subject(f"the {noun}", f"the {noun}'s", f"the {noun}", f"the {noun}", own)
        return Subject(who, own, whom, f"the {noun}", own)

    def agreed(self, text: str, subject: str) -> str:
        """A criterion about a thing that is else told of as "they", in the singular after its noun: "a club has"."""
        verb = text[len(subject) + 1 :].partition(" ")[0]
        if not text.lower().startswith(f"{subject} ".lower()) or verb not in _SINGULAR:
            return text
        return f"{text[: len(subject)]} {_SINGULAR[verb]}{text[len(subject) + 1 + len(verb) :]}"

    def mention(self, kind: KindSpec, profession: str, rng: Rng) -> str:
        """What a described person, town or thing is called, before the clause that describes it."""
        return _article(profession or kind.noun)

    def question(self, criteria: Iterable[str]) -> str:
        """What an agent reads."""
        return render_question(criteria)


class ChineseNeedleWords(NeedleWords):
    """Chinese: each pair of characters counts, so that the same wording has more bits than in English."""

    overlap: Mapping[str, tuple[int, int]] = {"easy": (4, 14), "medium": (0, 4), "hard": (0, 3)}
    plain: Mapping[str, float] = {"easy": 0.47, "medium": 0.24, "hard": 0.09}
    siblings: Mapping[str, tuple[int, int]] = {"easy": (0, 999), "medium": (0, 999), "hard": (7, 999)}
    plain_overlap: Mapping[str, int] = {"easy": 60, "medium": 48, "hard": 40}

    def noun(self, kind: KindSpec, difficulty: str, rng: Rng) -> str:
        if kind.name == "person":
            return "人"
        if difficulty == "easy" or not kind.wider:
            return kind.noun
        if difficulty == "medium":
            return rng.pick(kind.wider[:2])
        return rng.pick((kind.wider[-1], _WIDEST_ZH.get(kind.group, kind.wider[-1])))

    def sought(self, noun: str, kind: KindSpec, sex: str, place: int, clear: bool = True) -> Subject:
        if sex:
            words = ("他" if sex == "m" else "她") if place else "某个人"
        elif noun == kind.noun:
            words = "它" if place == 1 and clear else f"{'这' if place else '某'}{kind.measure or '个'}{noun}"
        else:
            words = (f"某个{noun}", "它" if clear else f"该{noun}", f"该{noun}")[place]
        return Subject(words, f"{words}的", words, words, "其")

    def mention(self, kind: KindSpec, profession: str, rng: Rng) -> str:
        if kind.name == "person":
            return "一个{}人"
        return f"一{kind.measure or '个'}{{}}{rng.pick((kind.noun, *kind.wider[:1]))}"

    def question(self, criteria: Iterable[str]) -> str:
        lines = "\n".join(f"- {criterion}" for criterion in criteria)
        return f"找出同时提到以下各点的唯一网页，并回答其网址（找不到则回答“No source found.”）：\n{lines}"


NEEDLE_WORDS = {"en": NeedleWords(), "zh": ChineseNeedleWords()}
