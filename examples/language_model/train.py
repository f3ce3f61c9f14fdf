"""A language model, from nothing, that learns to search: first it imitates the investigator, then GRPO goes on.

    python examples/language_model/train.py --minutes 10 --seed 0 --out runs/language-model
    python examples/language_model/train.py --size tiny --minutes 0.1 --out runs/tiny    # to see that it works

See README.md beside this file.
"""

from __future__ import annotations

import argparse
import io
import json
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

try:
    import torch
except ModuleNotFoundError as error:
    from webenv.errors import MissingExtra

    raise SystemExit(str(MissingExtra("torch", "train", "the language model"))) from error
import gymnasium
import numpy as np
from grpo import Settings, seconds, update
from imitate import Shown, imitate, show, write_chats
from model import LanguageModel, Size
from play import play
from result import draw, mean, rise
from scale import SCALES, Scale
from tokenizer import Tokenizer

from webenv.benchmark import Benchmark
from webenv.errors import DataError, InvalidArgument, WebenvError
from webenv.runtime.files import write_atomic
from webenv.vector import SearchVectorEnv
from webenv.wrappers import VectorTextWrapper

PROMPT = """\
You look for a web page. In each turn write one action:
<search> queries, one a line
<visit> numbers of results, one a line
<answer> the number of the page that was sought, which ends the work"""


class Training:
    """One run, in a folder: ``chats.jsonl`` (the teacher's episodes), ``vocabulary.json``, ``imitated.pt``,
    ``last.pt`` (all that goes on from here), ``progress.jsonl``, ``curve.png``, and ``validation.json`` or
    ``test.json``.

    Args:
        out: the folder.
        scale: how large everything is.
        seed: of weights, tasks and sampling.
        device: ``"cpu"`` or ``"cuda"``.
        split: what is evaluated on, ``"validation"`` or ``"test"``; training does not depend on it.
    """

    def __init__(self, out: Path, scale: Scale, seed: int, device: str, split: str) -> None:
        self.out, self.scale, self.seed, self.split = out, scale, seed, split
        self.device = torch.device(device)
        self.passes = self.updates = 0
        self.spent = 0.0  # seconds that training took
        self.rng = np.random.default_rng(seed)
        self.chance = torch.Generator(self.device).manual_seed(seed)
        self.start: dict[str, dict[str, list[float | None]]] = {}  # what _evaluate gave, by split
        out.mkdir(parents=True, exist_ok=True)
        torch.manual_seed(seed)

    # ── the stages ────────────────────────────────────────────────────────────

    def run(self, minutes: float, resume: bool) -> dict[str, Any]:
        """All stages; gives what it found, as in ``validation.json``."""
        self.benchmark = self._benchmark("train", self.scale.worlds)
        self.held = self._benchmark(self.split, self.scale.held)
        saved = self._saved() if resume else None
        shown = self._teach(saved is not None)
        self._build(saved)
        self._imitate(shown)
        self._learn(minutes)
        return self._finish()

    def _teach(self, resumed: bool) -> list[Shown]:
        """The teacher's episodes, and the vocabulary."""
        envs = self._envs(self.benchmark, 64 if self.scale.episodes >= 64 else self.scale.episodes)
        if resumed and self.passes >= self.scale.passes:
            self.tokenizer = Tokenizer.load(self.out / "vocabulary.json")
            return []
        began = time.monotonic()
        shown = list(show(self.benchmark, envs, self.scale.episodes, self.seed))
        write_chats(self.out / "chats.jsonl", shown)
        texts = ([segment.text for segment in one.transcript.segments] for one in shown)
        self.tokenizer = Tokenizer.of(texts, self.scale.words)
        self.tokenizer.save(self.out / "vocabulary.json")
        success = np.mean([one.value >= 0.5 for one in shown])
        print(f"teacher: {len(shown)} episodes, success {success:.1%}, {time.monotonic() - began:.0f} s", flush=True)
        return shown

    def _build(self, saved: Mapping[str, Any] | None) -> None:
        scale = self.scale
        size = Size(len(self.tokenizer), scale.width, scale.layers, scale.heads, scale.context)
        self.model = LanguageModel(size).to(self.device)
        self.optimizer = self._optimizer(scale.rate if self.passes < scale.passes else scale.reward_rate)
        if saved is not None:
            self.model.load_state_dict(saved["model"])
            self.optimizer.load_state_dict(saved["optimizer"])
            self.chance.set_state(saved["chance"].cpu())
            self.rng.bit_generator.state = json.loads(saved["rng"])
        parameters = sum(one.numel() for one in self.model.parameters())
        print(f"model: {parameters:,} parameters, {len(self.tokenizer)} ids, on {self.device.type}", flush=True)

    def _imitate(self, shown: Sequence[Shown]) -> None:
        transcripts = [one.transcript for one in shown]
        while self.passes < self.scale.passes:
            began, ids = seconds(self.device), 0
            schedule = (self.passes, self.scale.passes)
            steps = imitate(
                self.model, transcripts, self.tokenizer, self.optimizer, self.rng, self.device, schedule=schedule
            )
            for step, (loss, right, read) in enumerate(steps, start=1):
                ids += read
                rate = ids / max(seconds(self.device) - began, 1e-9)
                if step % 20 == 1:
                    print(
                        f"imitation, pass {self.passes + 1}, step {step}: loss {loss:.3f}, "
                        f"right {right:.1%}, {rate:,.0f} ids/s",
                        flush=True,
                    )
            self.passes += 1
            self.spent += seconds(self.device) - began
            if self.passes == self.scale.passes:
                self.optimizer = self._optimizer(self.scale.reward_rate)
            self._save()
            if self.passes == self.scale.passes:
                _write_state(self.out / "imitated.pt", self.model.state_dict())
        if self.split not in self.start:
            now = {name: value.clone() for name, value in self.model.state_dict().items()}
            self.model.load_state_dict(
                torch.load(self.out / "imitated.pt", map_location=self.device, weights_only=True)
            )
            self.start[self.split] = self._evaluate("start")
            self.model.load_state_dict(now)
            self._save()

    def _learn(self, minutes: float) -> None:
        scale = self.scale
        envs = self._envs(self.benchmark, scale.groups * scale.attempts, scale.attempts)
        tasks = self.benchmark.tasks.ids()
        last, settings = self.spent, Settings(longest=scale.reply)
        while self.spent < 60 * minutes:
            began = seconds(self.device)
            drawn = [str(task) for task in self.rng.choice(tasks, scale.groups)]
            done = update(
                self.model, envs, self.tokenizer, self.optimizer, self.rng, self.chance, settings, tasks=drawn
            )
            self.updates += 1
            self.spent += seconds(self.device) - began
            self._note({"update": self.updates, "minutes": self.spent / 60, **done._asdict()})
            took = done.play_seconds + done.learn_seconds
            print(
                f"update {self.updates} at {self.spent / 60:.1f} min: success {done.success:.1%} of "
                f"{done.episodes - done.unscored} ({done.unscored} unscored, {done.taught} taught), "
                f"loss {done.loss:+.4f}, entropy {done.entropy:.3f}, "
                f"{done.ids / took:,.0f} ids/s, {done.steps / took:.0f} steps/s",
                flush=True,
            )
            if self.spent - last > 60:
                last = self.spent
                self._save()
        self._save()

    def _finish(self) -> dict[str, Any]:
        end = self._evaluate("end")
        result: dict[str, Any] = {
            "seed": self.seed,
            "split": self.split,
            "minutes": self.spent / 60,
            "updates": self.updates,
            "scale": asdict(self.scale),
        }
        for way, values in end.items():
            result[way] = rise(self.start[self.split][way], values)
            print(
                "{split}, {way}: {start:.1%} → {end:.1%}, a rise of {rise:+.1%} [{low:+.1%}, {high:+.1%}] "
                "on {tasks} tasks ({unscored} unscored)".format(split=self.split, way=way, **result[way])
            )
        write_atomic(self.out / f"{self.split}.json", json.dumps(result, indent=1) + "\n")
        draw(self.out, result)
        return result

    # ── parts ─────────────────────────────────────────────────────────────────

    def _benchmark(self, split: str, worlds: int) -> Benchmark:
        scale = self.scale
        web = f"{scale.web}{',' if ':' in scale.web else ':'}worlds={worlds}"
        env = gymnasium.make(
            "NeedleInWeb-v0", web=web, split=split, difficulty=list(scale.difficulty), budget=dict(scale.budget)
        )
        benchmark: Benchmark = env.unwrapped.benchmark  # type: ignore[attr-defined]
        return replace(benchmark, rules=replace(benchmark.rules, results=scale.results))

    def _envs(self, benchmark: Benchmark, slots: int, group_size: int = 1) -> VectorTextWrapper:
        envs = SearchVectorEnv(benchmark, slots, group_size=group_size)
        return VectorTextWrapper(envs, prompt=PROMPT, page_characters=100, references=True)

    def _optimizer(self, rate: float) -> torch.optim.Optimizer:
        parameters = [{"params": list(self.model.parameters()), "initial_lr": rate}]
        return torch.optim.AdamW(parameters, lr=rate, betas=(0.9, 0.98), weight_decay=0.0)

    def _evaluate(self, when: str) -> dict[str, list[float | None]]:
        """The values of the held-out tasks, ``None`` where unscored: of one sampled attempt each, and of the
        likeliest."""
        ids = np.array(self.held.tasks.ids())
        tasks = np.random.default_rng(0).permutation(ids)[: self.scale.tasks]
        envs = self._envs(self.held, self.scale.slots)
        found: dict[str, list[float | None]] = {}
        began = time.monotonic()
        self.model.eval()
        for way in ("sampled", "greedy"):
            values: list[float | None] = []
            for first in range(0, len(tasks), self.scale.slots):
                part = np.resize(tasks[first : first + self.scale.slots], self.scale.slots)
                rng = np.random.default_rng(first)
                chance = torch.Generator(self.device).manual_seed(self.seed * 1_000_003 + first)
                greedy, longest = way == "greedy", self.scale.reply
                played = play(
                    self.model, envs, self.tokenizer, rng, chance, greedy=greedy, longest=longest, tasks=part.tolist()
                )
                values += [one.value if one.scored else None for one in played[: len(tasks) - first]]
            found[way] = values
        shown = ", ".join(f"{way} {mean(values):.1%}" for way, values in found.items())
        print(
            f"{self.split} at the {when}: {shown} of {len(tasks)} tasks, {time.monotonic() - began:.0f} s", flush=True
        )
        return found

    # ── the folder ────────────────────────────────────────────────────────────

    def _note(self, line: Mapping[str, Any]) -> None:
        with (self.out / "progress.jsonl").open("a" if self.updates > 1 else "w", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")

    def _save(self) -> None:
        state = {
            "model": self.model.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "chance": self.chance.get_state(),
            "rng": json.dumps(self.rng.bit_generator.state),
            "progress": {"passes": self.passes, "updates": self.updates, "spent": self.spent, "start": self.start},
            "settings": self._settings(),
        }
        _write_state(self.out / "last.pt", state)

    def _saved(self) -> dict[str, Any]:
        path = self.out / "last.pt"
        try:
            saved: dict[str, Any] = torch.load(path, map_location=self.device, weights_only=True)
        except Exception as error:
            raise DataError(f"{str(path)!r} holds no run to resume ({error!s:.100}); leave out --resume.") from error
        if saved["settings"] != self._settings():
            raise InvalidArgument(
                f"{str(path)!r} was trained with {saved['settings']}, not with {self._settings()}; give it the same."
            )
        for name, value in saved["progress"].items():
            setattr(self, name, value)
        self._trim()
        return saved

    def _trim(self) -> None:
        """Drops what was noted of updates behind the checkpoint."""
        path = self.out / "progress.jsonl"
        if path.exists():
            lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
            write_atomic(path, "".join(lines[: self.updates]))

    def _settings(self) -> str:
        return json.dumps({"seed": self.seed, **asdict(self.scale)}, sort_keys=True)


def _write_state(path: Path, state: Any) -> None:
    written = io.BytesIO()
    torch.save(state, written)
    write_atomic(path, written.getvalue())


def main(arguments: Sequence[str] | None = None) -> dict[str, Any]:
    """The command; gives what it found, as in ``validation.json``."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options: dict[str, dict[str, Any]] = {
        "minutes": {"type": float, "default": 10, "help": "of training, both stages; on a CPU: of computing"},
        "seed": {"type": int, "default": 0, "help": "of weights, tasks and sampling"},
        "out": {"type": Path, "default": Path("runs/language-model"), "help": "the folder"},
        "size": {"choices": sorted(SCALES), "default": "small", "help": "large: for a GPU; tiny: to test"},
        "split": {"choices": ("validation", "test"), "default": "validation", "help": "of the evaluation"},
        "device": {"default": "cuda" if torch.cuda.is_available() else "cpu", "help": "what it is computed on"},
    }
    for name, about in options.items():
        parser.add_argument(f"--{name}", **{**about, "help": f"{about['help']} (%(default)s by default)"})
    parser.add_argument("--resume", action="store_true", help="goes on from the folder's last checkpoint")
    given = parser.parse_args(arguments)
    if given.device == "cpu":
        torch.set_num_threads(1)
    training = Training(given.out, SCALES[given.size], given.seed, given.device, given.split)
    return training.run(given.minutes, given.resume)


if __name__ == "__main__":
    try:
        main()
    except WebenvError as error:
        sys.exit(f"{error}")
