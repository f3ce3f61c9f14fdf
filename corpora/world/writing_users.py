"""What users write and ask on a page: reviews, comments, questions and threads."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator

from webenv.corpora.world.choosing import Block
from webenv.corpora.world.model import Claim, WorldFact
from webenv.corpora.world.plan import OWN
from webenv.corpora.world.wording import MEMORY
from webenv.corpora.world.writing import PageSentences, capital

_VISITED = ("structure", "place", "public")  # groups of what people travel to
_STARS = (3, 3, 4, 4, 4, 5)
_DOUBTS = 0.25  # of threads in which somebody doubts the answer, and is told where it is from
_AGREES, _CHATS = 0.18, 0.05  # of posts what somebody adds to them who has nothing to tell
_ASKS_ON = 0.2  # of what was not asked, what somebody asks in the thread before it is told


class UserBlocks(PageSentences):
    """Blocks in which visitors of a site speak: a method for each form of block."""

    def _user(self) -> str:
        return self._planner.line("user", self._rng, {"number": str(self._rng.between(2, 99))})

    def _section(self, fact: WorldFact) -> int:
        return self._world.setting.kinds[fact.kind].facts[fact.relation].section

    def _reviews(self, block: Block) -> Iterator[str]:
        rng = self._rng
        stars, helpful = rng.chance(0.6), rng.chance(0.4)
        for claim in block.claims:
            self._telling.focus(self._entity(block.about))
            said = self._telling.sentence(claim, "f", whole=True)
            if not said:
                continue
            count = rng.pick(_STARS)  # what is said is seldom all praise or all blame
            mark = f"{'★' * count}{'☆' * (5 - count)}" if stars else f"{count}/5"
            who = self._user() if rng.chance(0.6) else self._planner.line("reviewer", rng, {}) or self._user()
            tail = self._planner.line("helpful", rng, {"number": str(rng.between(2, 40))}) if helpful else ""
            yield f"{self._language.named(f'**{mark} {who}**', capital(said))}{' ' + tail if tail else ''}"

    def _comments(self, block: Block) -> Iterator[str]:
        """Under a post: first-hand remarks, and somebody who comes with another of the kind."""
        for claim in block.claims:
            own = claim.fact.subject in self._head.about
            self._telling.focus(self._entity(block.about) if own else None)
            said = self._telling.sentence(claim, "f", "e", naming=not own, whole=True)
            other = self._entity(claim.fact.subject)
            if not own and other is not None and other.name not in said:
                continue  # nobody would know of which one it is
            if not own and said:
                said = self._language.led(self._planner.line("comment_other", self._rng, self._given()), said)
            yield self._language.named(f"**{self._user()}**", capital(said)) if said else ""

    def _faq(self, block: Block) -> Iterator[str]:
        rng = self._rng
        plain = rng.below(3)  # the answer alone in place of a sentence: now and then, or never
        subject = self._entity(block.about)
        for place, claim in enumerate(block.claims):
            self._telling.focus(subject if place else None)  # the first question names it in full
            question = self._telling.sentence(claim, "a", naming=not place)
            asked = self._telling.slots
            self._telling.focus(subject)
            if not question:
                continue
            if claim.fact.object.type != "year" and not plain and rng.chance(0.4):
                answer = self._language.closed(capital(self._telling.value(claim.fact.object, full=True)))
                self._telling.note(claim.fact, "O")
            else:
                uses = self._uses_of(claim) if self._head.form in OWN else ("e",)
                answer = self._telling.sentence(claim, *uses, whole=True, like=asked)
            if not answer:
                continue
            yield f"### {question}" if self._head.form == "faq" else f"**{question}**"
            yield answer

    def _thread(self, block: Block) -> Iterator[str]:
        rng = self._rng
        users = list(dict.fromkeys(self._user() for _ in range(9)))[:5]  # no two of one name: nobody answers himself
        year, month, day = (int(part) for part in self._head.date.split("-"))
        shown = rng.chance(0.6)  # whether posts bear dates
        careful = {user for user in users if rng.chance(0.5)}  # who write with capitals, and full stops
        used: set[str] = set()  # nobody says what another has said

        def post(user: str, text: str) -> str:
            when = f" · {self._language.date(year, month, day, self._style.dates)}" if shown else ""
            text = text if user in careful else self._language.careless(text)
            return f"**{user}**{when}\n{text}"

        def remark(use: str, to: str) -> str:
            text = self._planner.line(use, rng, {**self._given(), "user": to})
            start = " ".join(text.split()[:2])
            if not text or start in used:
                return ""
            used.add(start)
            return capital(self._language.closed(text))

        opening = self._planner.line("forum_open", rng, {})
        subject = self._entity(block.about)
        visited = subject is not None and self._world.setting.kinds[subject.kind].group in _VISITED
        more = self._say("forum_visit" if visited and rng.chance(0.5) else "forum_why") if rng.chance(0.6) else ""
        asked = self._language.opened(opening, self._head.title)
        yield post(users[0], f"{asked}{self._language.space}{more}".strip())
        last = answerer = users[0]
        asked_of = self._head.lead
        section = None if asked_of is None else self._section(asked_of)
        for place, told in enumerate(self._posts(block)):
            own = told[0].fact.subject in self._head.about
            entity = self._entity(told[0].fact.subject)
            other = "" if entity is None else entity.title
            lead = ""
            asked_on: Collection[str] = ()
            aside = own and section is not None and self._section(told[0].fact) != section
            if place and aside and told[0].asserted and rng.chance(_ASKS_ON):  # somebody asks for it first
                self._telling.focus(entity)
                self._telling.know()
                if question := self._telling.sentence(told[0], "a"):
                    asked_on = self._telling.slots
                    asker = (
                        users[0] if last != users[0] and rng.chance(0.6) else next(u for u in users[1:] if u != last)
                    )
                    lead = self._planner.line("forum_more", rng, {})
                    day = min(28, day + rng.below(2))
                    yield post(asker, self._language.opened(lead, question))
                    last, lead = asker, ""
            if not asked_on and (not own or rng.chance(0.75)):
                use = "forum_aside" if aside else "forum_reply" if own else "forum_other"
                use = use if place else "forum_answer"
                for _ in range(4):
                    lead = self._planner.line(use, rng, {**self._given(), "user": last, "other": other})
                    if lead not in used:
                        break
                lead = "" if lead in used else lead
                used.add(lead)
            self._telling.focus(entity if own and place else None)
            if asked_on:
                self._telling.know()
            if other and other in lead:
                self._telling.focus(entity)
                self._telling.know()
            said: list[str] = []
            for claim in told:
                if claim.asserted and asked_of is not None and claim.fact.key == asked_of.key:
                    spec = self._world.setting.kinds[claim.fact.kind].facts[claim.fact.relation]
                    sentence = self._telling.sentence(claim, "e", whole=True, like=("O", "Y", *spec.extras))
                elif asked_on and not said:
                    sentence = self._telling.sentence(claim, "e", whole=True, like=("O", *asked_on))
                else:
                    sentence = self._telling.sentence(claim, "f", "e", naming=not said, whole=True)
                told_on = (own and said) or lead or asked_on
                said.append(sentence if told_on else self._whole(claim, sentence))
                self._telling.focus(entity)
                self._telling.know()
            user = rng.pick([one for one in users[1:] if one != last])
            said = [capital(one) if user in careful else one for one in said if one]
            text = self._language.space.join(said)
            if not text:
                continue
            if own and entity is not None and (entity.name in text or entity.title in text):
                self._said.add(entity.number)
            text = self._language.led(lead, text)
            last = user
            answerer = answerer if place else user
            day = min(28, day + rng.below(2))
            yield post(user, text)
            for by, text in self._remarks(place, user, users, remark):
                last = by
                yield post(by, text)
        if rng.chance(0.75) and (text := remark("forum_thanks", answerer)):
            yield post(users[0], text)
            if answerer != users[0] and rng.chance(0.3) and (text := remark("forum_bye", users[0])):
                yield post(answerer, text)

    def _posts(self, block: Block) -> list[list[Claim]]:
        """What a thread tells, post by post: each is about one thing, tells two or three facts, and in one voice."""
        posts: list[list[Claim]] = []

        def chats(claim: Claim) -> bool:
            recent = not claim.fact.year or self._world.setting.now - claim.fact.year <= MEMORY
            return recent and claim.asserted and self._planner.has(claim.fact, "f")

        for claim in block.claims:
            last_post = posts[-1] if posts else []
            same = bool(last_post) and last_post[0].fact.subject == claim.fact.subject
            same = same and self._section(last_post[0].fact) == self._section(claim.fact)
            if len(posts) == 1 and self._head.lead is not None:  # the answer stands alone
                posts.append([claim])
            elif same and chats(last_post[0]) == chats(claim) and len(last_post) < self._rng.between(1, 3):
                posts[-1].append(claim)
            else:
                posts.append([claim])
        return posts

    def _remarks(
        self, place: int, user: str, users: list[str], remark: Callable[[str, str], str]
    ) -> Iterator[tuple[str, str]]:
        """What follows a post from people who have nothing to tell: a doubt and its answer, assent, or chat."""
        rng = self._rng
        others = [one for one in users if one != user]
        by = rng.pick(others)
        if not place and rng.chance(_DOUBTS):
            if doubt := remark("forum_doubt", user):
                yield by, doubt
                if sure := remark("forum_sure", by):
                    yield user, sure
        else:
            by = rng.pick([one for one in others if one != users[0]])  # whoever asked does not know
            use = "forum_agree" if rng.chance(_AGREES) else "forum_chat" if place and rng.chance(_CHATS) else ""
            if use and (text := remark(use, user)):
                yield by, text
