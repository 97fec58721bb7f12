"""Training examples of a job: the data of the trainer protocol as tokens. Needs a tokenizer of `transformers`."""

from __future__ import annotations

import json
import math
import pathlib
from dataclasses import dataclass, field


class UnusableJob(Exception):
    """The job cannot be trained. The message tells its user what to do."""


@dataclass
class Sample:
    """A completion with its prompt: one choice of a trajectory."""

    prompt_ids: list
    completion_ids: list
    logprobs: list | None
    advantage: float


@dataclass
class Examples:
    """The examples of a job, in order, and figures for its first event and its checkpoint."""

    rows: list
    dropped: int = 0
    metrics: dict = field(default_factory=dict)


def read_lines(data: pathlib.Path):
    with data.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                yield number, json.loads(line)
            except ValueError:
                raise UnusableJob(f"Line {number} of the training data is not JSON.") from None


def sft_examples(tokenizer, data: pathlib.Path, config: dict, longest: int) -> Examples:
    """Returns rows of `input_ids` and `assistant_masks`. Drops rows that are too long or have nothing to learn."""
    examples = Examples([])
    last_only = config["assistant_turns"] == "last"
    for number, row in read_lines(data):
        if "loss_mask" in row:
            raise UnusableJob(f"Line {number} has a loss_mask, which this trainer does not support.")
        messages = row.get("messages")
        if not isinstance(messages, list) or not messages:
            raise UnusableJob(f"Line {number} of the training data has no messages.")
        text, spans = _rendered(tokenizer, messages, _tools(row), last_only, number)
        encoded = tokenizer(text, add_special_tokens=False, return_offsets_mapping=True)
        mask = [int(any(begin <= start < end for begin, end in spans)) for start, _ in encoded["offset_mapping"]]
        if len(mask) > longest or not any(mask[1:]):
            examples.dropped += 1
            continue
        examples.rows.append({"input_ids": encoded["input_ids"], "assistant_masks": mask})
    return examples


def _rendered(tokenizer, messages: list, tools, last_only: bool, number: int):
    """Returns the text of a conversation and the spans of its answers."""

    def render(part: list, prompt: bool = False) -> str:
        return tokenizer.apply_chat_template(part, tools=tools, tokenize=False, add_generation_prompt=prompt)

    try:
        text = render(messages)
        answers = [i for i, message in enumerate(messages) if message.get("role") == "assistant"]
        spans = []
        for i in answers[-1:] if last_only else answers:
            before, after = render(messages[:i], prompt=True) if i else "", render(messages[:i + 1])
            if not text.startswith(before) or not text.startswith(after):
                raise UnusableJob("The chat template of the base model changes earlier turns; use assistant_turns \"last\".")
            spans.append((len(before), len(after)))
        return text, spans
    except UnusableJob:
        raise
    except Exception as error:  # templates raise what they like
        raise UnusableJob(f"The chat template refuses line {number} of the training data: {error}") from None


def _tools(row: dict):
    tools = row.get("tools") or None
    return [tool if "function" in tool else {"type": "function", "function": tool} for tool in tools] if tools else None


#: Options of RL jobs that change the loss and that TRL does not have.
UNSUPPORTED = (
    "kl_penalty_coef", "kimi_k2_tau", "advantage_balance", "max_negative_advantage_importance_sampling_weight",
    "truncated_importance_sampling", "scale_learning_rate_by_reward_std_dev", "mask_prob_ratio",
    "num_trajectories_learning_rate_multiplier_power",
)


def rl_examples(tokenizer, data: pathlib.Path, config: dict, longest: int) -> Examples:
    """Returns the choices of all trajectories as samples. Groups with equal rewards have nothing to learn."""
    for name in UNSUPPORTED:
        if config.get(name):
            raise UnusableJob(f"This trainer does not support {name}: leave it out, or use spindle-trainer.")
    examples = Examples([])
    rewards_of_all: list = []
    spreads: list = []
    for number, group in read_lines(data):
        trajectories = group["trajectories"]
        rewards = [float(one.get("reward") or 0) for one in trajectories]
        mean = sum(rewards) / max(len(rewards), 1)
        spread = math.sqrt(sum((reward - mean) ** 2 for reward in rewards) / max(len(rewards), 1))
        rewards_of_all += rewards
        spreads.append(spread)
        if spread == 0:
            continue
        scale = spread if config["scale_rewards"] else 1.0
        for one, reward in zip(trajectories, rewards):
            for sample in _samples(tokenizer, one, (reward - mean) / scale, config, number):
                if len(sample.prompt_ids) + len(sample.completion_ids) > longest:
                    examples.dropped += 1
                else:
                    examples.rows.append(sample)
    examples.metrics = {
        "reward": sum(rewards_of_all) / max(len(rewards_of_all), 1),
        "reward_std_dev": sum(spreads) / max(len(spreads), 1),
        "num_groups_submitted": len(spreads),
        "num_groups_trainable": sum(1 for spread in spreads if spread > 0),
    }
    return examples


def _samples(tokenizer, trajectory: dict, advantage: float, config: dict, number: int):
    messages: list = []
    for item in trajectory["messages_and_choices"]:
        if "finish_reason" not in item and "message" not in item:
            messages.append(item)
            continue
        prompt_ids = item.get("prompt_token_ids") or _encoded(tokenizer, messages, _tools(trajectory), number)
        logprobs = [one["logprob"] for one in ((item.get("logprobs") or {}).get("content") or [])]
        content = item["message"].get("content") or ""
        ids = item.get("token_ids") or tokenizer(content, add_special_tokens=False)["input_ids"] + [tokenizer.eos_token_id]
        known = len(logprobs) == len(ids)
        if not known and not config["allow_training_without_logprobs"]:
            raise UnusableJob(f"Group {number} has a choice without token ids and logprobs. Sample with logprobs, or set "
                              "allow_training_without_logprobs.")
        if ids:
            yield Sample(prompt_ids, ids, logprobs if known else None, advantage)
        messages.append(item["message"])


def _encoded(tokenizer, messages: list, tools, number: int) -> list:
    try:
        text = tokenizer.apply_chat_template(messages, tools=tools, tokenize=False, add_generation_prompt=True)
    except Exception as error:
        raise UnusableJob(f"The chat template refuses group {number}: {error}") from None
    return tokenizer(text, add_special_tokens=False)["input_ids"]
