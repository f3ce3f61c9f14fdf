"""GRPO in a loop that you can change: groups of attempts at one task, on generated webs, in minutes on a CPU.

    pip install '.[train]'
    python examples/train_grpo.py                                            # 300,000 steps on 8 worlds
    python examples/train_grpo.py --web sample --steps 400 --num-envs 16     # seconds, to see that it works

`webenv train NeedleInWeb-v0 --algo grpo` does the same, and keeps checkpoints, logs and a learning curve.
"""

import argparse
import tempfile

import gymnasium as gym

from webenv.corpora.procedural import Worlds, prepare_worlds
from webenv.evaluation import evaluate
from webenv.policies import KeywordPolicy
from webenv.policies.learned.grpo import GrpoLearner, GrpoSettings
from webenv.wrappers import VectorMenuWrapper


def main() -> None:
    """Trains, saves the policy, and evaluates it beside the keyword policy."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--web", default="procedural:worlds=8", help="what is trained on (%(default)s by default)")
    parser.add_argument("--steps", type=int, default=300_000, help="turns of agents (%(default)s by default)")
    parser.add_argument("--num-envs", type=int, default=64, help="episodes at a time (%(default)s by default)")
    parser.add_argument("--group-size", type=int, default=8, help="attempts at one task (%(default)s by default)")
    parser.add_argument("--episodes", type=int, default=500, help="of the evaluation (%(default)s by default)")
    parser.add_argument("--seed", type=int, default=0, help="decides all chance (%(default)s by default)")
    parser.add_argument("--out", default="policy.pt", help="what is learned (%(default)s by default)")
    args = parser.parse_args()

    generated = args.web.startswith("procedural")
    if generated:
        prepare_worlds(Worlds.parse(args.web))  # so that no world has to be made while episodes wait
    envs = gym.make_vec(
        "NeedleInWeb-v0",
        num_envs=args.num_envs,
        group_size=args.group_size,
        autoreset_mode="same_step",
        web=args.web,
        reward={"answer": 1.0, "cost": 0.1},  # a right answer, and not to waste searches and visits
    )
    groups = args.num_envs // args.group_size * 2
    settings = GrpoSettings(groups=groups, learning_rate=1e-3, entropy=0.01, scaled=False)  # costs stay small
    learner = GrpoLearner(VectorMenuWrapper(envs), settings, seed=args.seed)

    while learner.steps < args.steps:
        update = learner.update()  # plays until enough groups are done, and learns from them
        speed = update.steps / (update.play_seconds + update.learn_seconds)
        entropy = update.figures.get("entropy")  # none where all attempts at a task were worth the same
        print(
            f"{learner.steps:9,} steps  {speed:5.0f}/s  success {100 * update.success:5.1f}%  "
            f"reward {update.reward:6.3f}  entropy {'-' if entropy is None else f'{entropy:.2f}'}  "
            f"unscored {update.unscored}"
        )
    learner.policy().save(args.out)
    held_out = {"web": args.web, "split": "test"} if generated else {"web": args.web}  # worlds that it has not seen
    options = "".join(f" --{name} {value}" for name, value in held_out.items())
    print(f"{args.out}: webenv eval NeedleInWeb-v0{options} --policy {args.out}")
    for policy in (learner.policy(), KeywordPolicy()):
        with tempfile.TemporaryDirectory() as folder:
            total = evaluate(
                "NeedleInWeb-v0", policy, episodes=args.episodes, seed=0, out=f"{folder}/run", settings=held_out
            ).total
        low, high = total.interval
        print(f"{policy.identity['name']:10} {100 * total.success_rate:.1f}% ({100 * low:.1f}–{100 * high:.1f})")


if __name__ == "__main__":
    main()
