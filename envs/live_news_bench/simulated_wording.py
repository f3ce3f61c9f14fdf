"""How questions about a simulated world's news are put together, by language."""

from __future__ import annotations

from webenv.corpora.world import KindSpec
from webenv.envs.live_news_bench.tasks import render_question


class NewsWords:
    """English."""

    def hidden(self, kind: KindSpec) -> str:
        """What stands in place of a name."""
        return "someone" if kind.name == "person" else f"a certain {kind.noun}"

    def that(self, kind: KindSpec) -> str:
        """What the question calls it."""
        return f"that {'person' if kind.name == 'person' else kind.noun}"

    def dated(self, month: str, clue: str) -> str:
        """A clue with when the news told it."""
        return f"In {month}: {clue}"

    def question(self, text: str) -> str:
        """What an agent reads."""
        return render_question(text)


class ChineseNewsWords(NewsWords):
    """Chinese."""

    def hidden(self, kind: KindSpec) -> str:
        return "某人" if kind.name == "person" else f"某{kind.measure or '个'}{kind.noun}"

    def that(self, kind: KindSpec) -> str:
        return "此人" if kind.name == "person" else f"这{kind.measure or '个'}{kind.noun}"

    def dated(self, month: str, clue: str) -> str:
        return f"据{month}的新闻，{clue}"

    def question(self, text: str) -> str:
        return f"用一个简短的词语回答下面关于新闻的问题：\n{text}"


NEWS_WORDS = {"en": NewsWords(), "zh": ChineseNewsWords()}
