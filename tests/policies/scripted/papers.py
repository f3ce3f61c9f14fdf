"""A small web of news, written by hand: a fire, a flood and an election that share people, and two portraits."""

from __future__ import annotations

from webenv.corpora import Corpus
from webenv.envs.live_news_bench.env import LiveNewsBenchEnv
from webenv.task import Gold, Task, TaskSet
from webenv.web import Scope

LINE = "Answer this question about the news with a short phrase:"
NOISE = " ".join(["The weather stayed mild for the time of year, and the market opened late."] * 12)
EVENT = (
    "Whoever led the crews against the fire of 3 May 2024 in Arlemouth also gave the alarm in a flood. "
    "How many people had to leave their homes in that flood?"
)
PROFILE = "Where was the person who led the crews against the fire of 3 May 2024 in Arlemouth born?"
DETAIL = "What was the damage of the fire out of which somebody carried a stuffed pike?"
# URL, title, opening and what else the page says, which stands too far behind for a snippet of the opening.
PAGES = [
    ("a.example/fires/1", "Flames over Arlemouth", "A fire broke out in Arlemouth on 3 May 2024.",
     "The crews worked under Ada Byrne. 12 people were hurt."),
    ("b.example/fires/2", "Fire in Arlemouth", "People in Arlemouth were woken on 3 May 2024 by a blaze.",
     "Orders came from Ada Byrne. The buildings belonged to the Lorne Trust."),
    ("c.example/fires/3", "After the blaze in Arlemouth", "The blaze of 3 May 2024 in Arlemouth is in the news again.",
     "Among what was saved was a stuffed pike."),
    ("d.example/fires/4", "Arlemouth counts the cost", "Since the fire of 3 May 2024 Arlemouth has been counting.",
     "The damage was put at 4,200 crowns."),
    ("a.example/floods/5", "Borthwick under water", "The river rose in Borthwick on 9 June 2024.",
     "The alarm was raised by Ada Byrne."),
    ("b.example/floods/6", "Flood in Borthwick, 9 June 2024", "Of the flood in Borthwick of 9 June 2024.",
     "It left 310 people homeless. The hall of the Cray Guild took them in."),
    ("c.example/floods/7", "Water in the streets of Borthwick", "Boats went through Borthwick on 9 June 2024.",
     "310 people slept in schools."),
    ("c.example/floods/8", "Deptmere under water", "The river rose in Deptmere on 2 April 2023.",
     "The alarm was raised by Cai Dunn. 77 people had to leave their homes."),
    ("a.example/elections/9", "Deptmere has voted", "Deptmere voted on 7 July 2024.",
     "Cai Dunn won the election. Ada Byrne came second."),
    ("e.example/names/10", "Ada Byrne", "Ada Byrne was born at Frayholm in 1971.", "She lodged at Deptmere in 1990."),
    ("e.example/names/11", "Cai Dunn", "Cai Dunn was born at Gorse in 1969.", "He lodged at Borthwick in 1991."),
]  # fmt: skip


def environment(searches: int = 5, visits: int = 5, turns: int | None = None) -> LiveNewsBenchEnv:
    """LiveNewsBench on these pages, its three questions under the ids event, profile and detail."""
    gold = {"event": (EVENT, "310"), "profile": (PROFILE, "Frayholm"), "detail": (DETAIL, "4,200 crowns")}
    tasks = TaskSet(
        Task(name, f"{LINE}\n{question}", gold=Gold(answers=(answer,)), scope=Scope(("source.example",)))
        for name, (question, answer) in gold.items()
    )
    web = Corpus.of(
        [
            {"url": f"https://{url}", "title": title, "text": " ".join((first, NOISE, more))}
            for url, title, first, more in PAGES
        ]
    )
    budget = {"searches": searches, "visits": visits} | ({} if turns is None else {"turns": turns})
    return LiveNewsBenchEnv(web=web, tasks=tasks, budget=budget)
