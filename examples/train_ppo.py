"""PPO with masks (sb3-contrib's MaskablePPO) and one scorer for all search results, in a loop that you can change.

    pip install '.[train]'
    python examples/train_ppo.py                                            # 300,000 steps on 8 worlds
    python examples/train_ppo.py --web sample --steps 400 --num-envs 8      # seconds, to see that it works

`learner.model` is the MaskablePPO itself.
`webenv train NeedleInWeb-v0 --algo ppo` does the same, and keeps checkpoints, logs and a learning curve.
"""

import argparse
import tempfile

from webenv.corpora.procedural import Worlds, prepare_worlds
from webenv.evaluation import evaluate
from webenv.policies import KeywordPolicy
from webenv.policies.learned.ppo import PpoLearner, PpoSettings
from webenv.wrappers import make_sb3


def main() -> None:
    """Trains, saves the policy, and evaluates it beside the keyword policy."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--web", default="procedural:worlds=8", help="what is trained on (%(default)s by default)")
    parser.add_argument("--steps", type=int, default=300_000, help="turns of agents (%(default)s by default)")
    parser.add_argument("--num-envs", type=int, default=64, help="episodes at a time (%(default)s by default)")
    parser.add_argument("--n-steps", type=int, default=64, help="steps of each in an update (%(default)s by default)")
    parser.add_argument("--episodes", type=int, default=500, help="of the evaluation (%(default)s by default)")
    parser.add_argument("--seed", type=int, default=0, help="decides all chance (%(default)s by default)")
    parser.add_argument("--out", default="policy.pt", help="what is learned (%(default)s by default)")
    args = parser.parse_args()

    generated = args.web.startswith("procedural")
    if generated:
        prepare_worlds(Worlds.parse(args.web))  # so that no world has to be made while episodes wait
    reward = {"answer": 1.0, "cost": 0.1}  # a right answer, and not to waste searches and visits
    envs = make_sb3("NeedleInWeb-v0", num_envs=args.num_envs, web=args.web, reward=reward)
    settings = PpoSettings(n_steps=args.n_steps, learning_rate=1e-3, ent_coef=0.01)
    learner = PpoLearner(envs, settings, seed=args.seed)

    while learner.steps < args.steps:
        update = learner.update()  # plays n_steps in every slot, and learns from them
        speed = update.steps / (update.play_seconds + update.learn_seconds)
        loss = update.figures.get("value_loss")  # none where no episode was scored
        print(
            f"{learner.steps:9,} steps  {speed:5.0f}/s  success {100 * update.success:5.1f}%  "
            f"reward {update.reward:6.3f}  value loss {'-' if loss is None else f'{loss:.3f}'}  "
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
