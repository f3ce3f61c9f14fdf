"""Why was the reward 0? An episode step by step, and other ways on from one of its steps.

A run is recorded, an episode that failed is read turn by turn, the environment is put back where the agent stood
(at_step), and tried from there: a bad action is undone (snapshot, restore), and three twins (fork) go three ways.

    python examples/debug_step_by_step.py       # seconds, no network, no options
"""

import argparse
import tempfile

import webenv
from webenv import answer, search, visit
from webenv.evaluation import at_step, evaluate, read_records
from webenv.policies import make_policy

argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
with tempfile.TemporaryDirectory() as folder:
    # 1. Play: every trajectory is kept. Any run folder of `webenv eval` does as well.
    run = f"{folder}/run"
    evaluate("NeedleInWeb-v0", make_policy("keyword"), episodes=32, out=run)
    lost = (record for record in read_records(run) if record.reward == 0)
    failed = next(record for record in lost if record.turns[-1].reward_terms["recall"] == 1)  # seen, not answered

    # 2. Read: what was done, what came of it, and what the judge said.
    print(f"Task {failed.task}: {failed.question}\n")
    for number, turn in enumerate(failed.turns, start=1):
        print(f"turn {number}: {turn.kind} {' | '.join(turn.texts)[:100]}")
        for item in (turn.observation["results"] or turn.observation["pages"])[:2]:
            print(f"    saw {item['title']}: {(item.get('snippet') or item['text'])[:80]}…")
    terms = {name: round(value, 2) for name, value in failed.turns[-1].reward_terms.items()}
    print(f"\nreward {failed.reward}, {failed.verdict['outcome']}: {failed.verdict['explanation']}")
    print(f"terms {terms}")
    if terms["recall"] == 1.0:
        print("recall is 1: the page that was sought had come before the agent, which answered another one.\n")

    # 3. Go back: the environment stands where the agent stood before its last turn, with what it had then.
    env, observation = at_step(run, failed.task, failed.attempt, step=len(failed.turns) - 1)
    print(
        f"Before its answer the agent had read {len(observation['pages'])} pages, and had {observation['budget']} left"
    )

    # 4. A bad action is no error: the notice says what was wrong. Restoring takes the turn back.
    saved = webenv.snapshot(env)
    observation, *_ = env.step(visit(*["https://nowhere.example"] * 9))
    print(f"notice: {observation['notice']}")
    webenv.restore(env, saved)

    # 5. Three twins go on from the same step, each in its own way.
    criteria = [line[2:] for line in failed.question.splitlines() if line.startswith("- ")]
    for name, action in {
        "the page that was sought": answer(failed.gold["urls"][0]),
        "a search for one criterion, and its top result": search(criteria[0]),
        "no page": answer("No source found."),
    }.items():
        twin = webenv.fork(env)
        observation, reward, ended, _, info = twin.step(action)
        if not ended:
            observation, reward, ended, _, info = twin.step(answer(observation["results"][0]["url"]))
        print(f"twin, {name}: reward {reward}, {info['verdict']['outcome']} ({info['verdict']['explanation']})")
