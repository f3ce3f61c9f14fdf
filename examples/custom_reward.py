"""A reward of your own: first by weights, then as a class, and what it makes of two policies.

A reward is any class with `weights` and `terms(submissions, verdicts)`: a batch in, a mapping of terms for each
episode out. It sees what a judge sees (task, answer, pages seen, what was spent), and scored episodes alone.

    python examples/custom_reward.py            # seconds, no network, no options
"""

import argparse
import tempfile
from collections.abc import Mapping, Sequence

import gymnasium as gym

from webenv import Submission, Verdict, answer, search
from webenv.evaluation import evaluate
from webenv.policies import KeywordPolicy
from webenv.rewards import StandardReward
from webenv.web import Failure


class Thrifty:
    """Half for a right answer, half for what of the budget was left when it was given; less where it is not cited.

    answer      the verdict, 0 to 1
    efficiency  the share of searches, visits and asks that was left, 0 to 1; 0 where the answer is wrong
    uncited     −1 where the answered page had never come before the agent, else 0
    """

    weights: Mapping[str, float] = {"answer": 0.5, "efficiency": 0.5, "uncited": 0.2}

    def __init__(self) -> None:
        self.standard = StandardReward({"citation": self.weights["uncited"]})  # its terms are shown as well

    def terms(
        self, submissions: Sequence[Submission], verdicts: Sequence[Verdict]
    ) -> list[Mapping[str, float] | Failure]:
        """The terms of each finished episode; a Failure, which leaves it unscored, where one cannot be told."""
        return [
            terms if isinstance(terms, Failure) else {**terms, **self._own(one, terms)}
            for one, terms in zip(submissions, self.standard.terms(submissions, verdicts), strict=True)
        ]

    def _own(self, one: Submission, terms: Mapping[str, float]) -> Mapping[str, float]:
        most = one.budget.searches + one.budget.visits + one.budget.asks
        left = 1 - (one.spending.searches + one.spending.visits + one.spending.asks) / max(most, 1)
        return {"efficiency": terms["answer"] * left, "uncited": min(0.0, terms["citation"] - 1)}


if __name__ == "__main__":
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    rewards = {"weights": {"answer": 1.0, "recall": 0.2, "cost": 0.1}, "class": Thrifty()}

    env = gym.make("NeedleInWeb-v0", web="sample", reward=rewards["class"])  # one episode at a time
    observation, info = env.reset(options={"task": "music_easy/0"})
    criteria = [line[2:] for line in observation["question"].splitlines() if line.startswith("- ")]
    observation, *_ = env.step(search(" ".join(criteria)))
    found = [result["url"] for result in observation["results"]]
    *_, reward, terminated, truncated, info = env.step(answer(found[0]))
    print("gym.make:", reward, info["reward_terms"])

    envs = gym.make_vec("NeedleInWeb-v0", num_envs=3, web="sample", reward=rewards["class"])  # and many
    envs.reset(options={"task": "music_easy/0"})
    _, vector, *_ = envs.step([answer(found[0]), answer(found[1]), answer("No source found.")])  # without a search
    print("make_vec:", vector)

    with tempfile.TemporaryDirectory() as folder:
        print("keyword, 30 episodes, reading so many pages at most; means an episode, the last two of either reward:")
        print(f"{'pages read':12}{'success':>9}{'searches':>10}{'visits':>8}{'weights':>10}{'class':>10}")
        for visits in (0, 2, 10):
            totals = [
                evaluate(
                    "NeedleInWeb-v0",
                    KeywordPolicy(visits=visits),
                    episodes=30,
                    out=f"{folder}/{visits}-{name}",
                    settings={"web": "sample", "reward": reward},
                ).total
                for name, reward in rewards.items()
            ]
            one = totals[0]
            figures = "".join(f"{total.reward:10.3f}" for total in totals)
            print(f"{visits:<12}{one.success_rate:9.3f}{one.searches:10.2f}{one.visits:8.2f}{figures}")
