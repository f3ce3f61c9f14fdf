"""Your own pages and questions as an environment: python examples/custom_benchmark.py, without options."""

import argparse

import gymnasium as gym

from webenv import Benchmark, Budget, Gold, Rules, Task, TaskSet, answer, search, visit
from webenv.corpora import Corpus
from webenv.envs import register
from webenv.rewards import PageJudge

# The pages: dictionaries here; a corpus of millions is a folder that `webenv corpus build` writes.
FAIR, SKYE, PUFFIN = "https://islands.example/fair", "https://islands.example/skye", "https://birds.example/puffin"
web = Corpus.of(
    [
        {"url": FAIR, "title": "Fair Isle", "text": "A small island known for its knitting."},
        {"url": SKYE, "title": "Skye", "text": "A large island with a bridge to the mainland."},
        {"url": PUFFIN, "title": "Puffin", "text": "A seabird that nests in burrows on cliffs."},
    ]
)
# The questions, each with the page that answers it; reports are broken down by whatever tags you give.
tasks = TaskSet(
    [
        Task("knit", "Which page is about an island of knitters?", gold=Gold((FAIR,)), tags={"topic": "islands"}),
        Task("nest", "Which page is about a bird in burrows?", gold=Gold((PUFFIN,)), tags={"topic": "birds"}),
    ]
)
# An answer is a URL whose page is fetched for the judge; a judge of your own is any class with `identity` and `score`.
rules, budget = Rules(fetch_answer=True), Budget(searches=3, visits=3, turns=8)
register(Benchmark(tasks, web, PageJudge(), rules, budget, name="MyBench-v0"))

if __name__ == "__main__":  # or: webenv eval custom_benchmark:MyBench-v0 --policy keyword --budget visits=1
    argparse.ArgumentParser(description=__doc__).parse_args()
    env = gym.make("MyBench-v0")
    observation, info = env.reset(options={"task": "knit"})
    observation, *_ = env.step(search("island knitting"))
    observation, *_ = env.step(visit(url := observation["results"][0]["url"]))
    print(observation["pages"][0]["text"])
    observation, reward, terminated, truncated, info = env.step(answer(url))
    print(reward, info["verdict"]["outcome"], info["spent"])
