"""A real language model behind an endpoint: small, randomly initialised, so that all it says is nonsense."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.extras import needs_extra
from tests.openai_server import Messages, OpenAIServer, Reply, Text, serve
from tests.rewards.submissions import answered, page, submit
from webenv.benchmark import Benchmark
from webenv.envs.needle_in_web.env import needle_in_web
from webenv.evaluation import Record
from webenv.models import ChatModel
from webenv.policies import ReactPolicy
from webenv.rewards import EntailmentJudge
from webenv.rewards.short_answer import ShortAnswerJudge
from webenv.rollout.play import plan_episodes, play_episodes

_POSITIONS, _LONGEST = 512, 40


@pytest.fixture(scope="module")
def nonsense() -> Iterator[OpenAIServer]:
    """An endpoint whose replies a transformers model draws: GPT-2's architecture, two layers, random weights, and
    a byte-level tokenizer. Some of its tokens end a reply; one that does not end is cut, and says so."""
    needs_extra("dense")
    import tokenizers
    import torch
    import transformers

    alphabet = sorted(tokenizers.pre_tokenizers.ByteLevel.alphabet())
    whole = tokenizers.Tokenizer(tokenizers.models.BPE({letter: n for n, letter in enumerate(alphabet)}, []))
    whole.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    whole.decoder = tokenizers.decoders.ByteLevel()
    tokenizer = transformers.PreTrainedTokenizerFast(tokenizer_object=whole)
    torch.manual_seed(7)
    config = transformers.GPT2Config(
        vocab_size=256, n_positions=_POSITIONS, n_embd=32, n_layer=2, n_head=2, bos_token_id=0, eos_token_id=0
    )
    model = transformers.GPT2LMHeadModel(config).eval()
    ends = list(range(0, 256, 60))

    def reply(messages: Messages) -> Reply:
        prompt = "\n".join(f"{message['role']}: {message['content']}" for message in messages)
        ids = tokenizer(prompt, return_tensors="pt").input_ids[:, -(_POSITIONS - _LONGEST) :]
        with torch.no_grad():
            written = model.generate(
                ids,
                attention_mask=torch.ones_like(ids),
                do_sample=True,
                max_new_tokens=_LONGEST,
                eos_token_id=ends,
                pad_token_id=0,
            )[0, ids.shape[1] :]
        finish = "stop" if int(written[-1]) in ends else "length"
        return Text(tokenizer.decode(written), finish, (ids.shape[1], len(written)))

    with serve(reply) as server:
        yield server


@pytest.fixture(scope="module")
def sample() -> Benchmark:
    return needle_in_web(web="sample", difficulty="easy", budget={"turns": 4})


def model_at(server: OpenAIServer) -> ChatModel:
    return ChatModel("gpt2-random", base_url=server.base_url, retries=0, timeout=60.0)


def test_the_react_policy_survives_nonsense(nonsense: OpenAIServer, sample: Benchmark) -> None:
    """Every episode of an agent that talks nonsense ends by its rules, scored as no answer, with what it said kept."""
    jobs = plan_episodes(sample.tasks)
    with model_at(nonsense) as model:
        records: list[Record] = [one for some in play_episodes(sample, ReactPolicy(model), jobs) for one in some]
    assert len(records) == len(jobs)
    assert {record.ending for record in records} == {"out_of_turns"}
    assert {record.verdict["outcome"] for record in records} == {"no_source"}
    assert all(turn.kind == "invalid" and turn.reward == 0.0 for record in records for turn in record.turns)
    said = {turn.thought for record in records for turn in record.turns}
    assert len(said) > 10
    assert any(not text.isascii() or not text.isprintable() for text in said)


def test_judges_survive_nonsense(nonsense: OpenAIServer) -> None:
    """A judge that talks nonsense, or is cut, comes to no verdict: every submission is unscored, with a reason."""
    by_page = [submit(fetched=page(), criteria=[f"It tells of {n} floods."]) for n in range(10)]
    by_answer = [answered(f"in {year}", "1820", question="When?") for year in range(1800, 1810)]
    with model_at(nonsense) as model:
        verdicts = EntailmentJudge(model).score(by_page) + ShortAnswerJudge(model).score(by_answer)
    assert [verdict.outcome for verdict in verdicts] == ["unscored"] * 20
    reasons = " ".join(verdict.explanation for verdict in verdicts)
    assert "the reply holds no single verdict" in reasons
    assert "cut at its longest" in reasons
