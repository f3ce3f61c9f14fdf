"""Two steps of TRL's GRPOTrainer with a tiny model of random weights, offline, on CPU: pip install '.[trl]'"""

import os

os.environ.update(TRL_EXPERIMENTAL_SILENCE="1", HF_HUB_OFFLINE="1")

import gymnasium as gym
from datasets import Dataset
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast, Qwen3Config, Qwen3ForCausalLM
from trl import GRPOConfig, GRPOTrainer
from trl.chat_template_utils import qwen3_chat_template

from webenv.wrappers import TextWrapper


class Needle:
    """What TRL's ``environment_factory`` makes: an instance a rollout, whose public methods are the model's tools."""

    def __init__(self) -> None:
        self._env = TextWrapper(gym.make("NeedleInWeb-v0", web="sample"))

    def reset(self, task: str, **row: object) -> str:
        self._over, self._reward = False, None
        return self._env.reset(options={"task": task})[0]  # the task of the row: all attempts of a group share it

    def search(self, query: str) -> str:
        """Searches the web.

        Args:
            query: what is sought.
        """
        return self._step(f"<search>{query}</search>")

    def visit(self, url: str) -> str:
        """Reads a page.

        Args:
            url: its address.
        """
        return self._step(f"<visit>{url}</visit>")

    def answer(self, url: str) -> str:
        """Answers, which ends the episode.

        Args:
            url: the address of the page that was sought.
        """
        return self._step(f"<answer>{url}</answer>")

    def get_reward(self) -> float | None:  # None: unscored, left out of the group's mean
        return self._reward if self._over else self._env.unwrapped.finish()[1]

    def _step(self, reply: str) -> str:
        if self._over:
            return "The episode is over."
        text, reward, terminated, truncated, info = self._env.step(reply)
        self._over, self._reward = terminated or truncated, reward if info.get("scored") else None
        return text


def tiny() -> tuple[Qwen3ForCausalLM, PreTrainedTokenizerFast]:
    """Random weights, and a tokenizer of bytes; put a model of yours here."""
    words = ["<|endoftext|>", "<|im_start|>", "<|im_end|>", *sorted(pre_tokenizers.ByteLevel.alphabet())]
    plain = Tokenizer(models.BPE({word: number for number, word in enumerate(words)}, []))
    plain.pre_tokenizer, plain.decoder = pre_tokenizers.ByteLevel(add_prefix_space=False), decoders.ByteLevel()
    names = {"eos_token": "<|im_end|>", "pad_token": "<|endoftext|>", "chat_template": qwen3_chat_template}
    sizes = dict.fromkeys(("num_hidden_layers", "num_attention_heads", "num_key_value_heads"), 2)
    sizes |= dict.fromkeys(("hidden_size", "intermediate_size", "head_dim"), 32) | {"vocab_size": len(words)}
    model = Qwen3ForCausalLM(Qwen3Config(**sizes, eos_token_id=2, pad_token_id=0))
    return model, PreTrainedTokenizerFast(tokenizer_object=plain, extra_special_tokens=["<|im_start|>"], **names)


if __name__ == "__main__":
    tasks = list(gym.make("NeedleInWeb-v0", web="sample").unwrapped.benchmark.tasks)[:4]
    rows = [{"prompt": [{"role": "user", "content": ""}], "task": task.id} for task in tasks]
    config = GRPOConfig(output_dir="runs/trl", use_cpu=True, max_steps=2, num_generations=4, max_completion_length=32)
    model, tokenizer = tiny()
    trainer = GRPOTrainer(model, None, config, Dataset.from_list(rows), None, tokenizer, environment_factory=Needle)
    print(trainer.train().global_step, "steps")
