"""Trains one job with TRL in the folder that adapter.py prepared. One process per GPU; started by `accelerate launch`.

    python training.py FOLDER

Reads `job.json` and `data.jsonl`. Rank 0 writes:

    events.jsonl    events of the trainer protocol, one per line
    saved.jsonl     saved states: {"folder", "sequence"}
    adapter/        the new adapter
    result.json     {"metrics", "unchanged"}
    problem.txt     why the job cannot be trained, instead of a result

Needs torch, transformers, datasets, peft and trl.
"""

from __future__ import annotations

import json
import math
import os
import pathlib
import sys
import threading
import time

import torch
from accelerate import PartialState
from datasets import Dataset
from peft import LoraConfig, PeftModel, get_peft_model
from torch.optim.lr_scheduler import LambdaLR
from transformers import AutoModelForCausalLM, AutoTokenizer, TrainerCallback
from trl import GRPOConfig, GRPOTrainer, SFTConfig, SFTTrainer

from job_data import Examples, Sample, UnusableJob, rl_examples, sft_examples

#: Members of the trainer's log that are no metrics of a step.
NOT_METRICS = {"epoch", "step", "total_flos"}


class EventFile:
    """Appends lines that are complete when another process reads them."""

    def __init__(self, file: pathlib.Path) -> None:
        self._file = file.open("a", encoding="utf-8")

    def add(self, value: dict) -> None:
        self._file.write(json.dumps(value) + "\n")
        self._file.flush()


class Reporter(TrainerCallback):
    """Writes exactly one event per gradient step, and a line per saved state. Rank 0 only."""

    def __init__(self, folder: pathlib.Path, steps_done: int) -> None:
        self.events = EventFile(folder / "events.jsonl")
        self.saved = EventFile(folder / "saved.jsonl")
        self.written = steps_done
        self._began = time.monotonic()
        self._tokens = 0.0

    def on_log(self, args, state, control, logs=None, **_) -> None:
        if not state.is_world_process_zero or "loss" not in logs or state.global_step != self.written + 1:
            return
        if not math.isfinite(logs["loss"]):
            raise UnusableJob(f"The loss is not a number at step {state.global_step}: lower learning_rate.")
        data = {name: float(value) for name, value in logs.items()
                if name not in NOT_METRICS and isinstance(value, (int, float)) and math.isfinite(value)}
        now = time.monotonic()
        if tokens := data.pop("num_tokens", None):
            data["tokens_per_second"] = (tokens - self._tokens) / max(now - self._began, 1e-9)
            self._tokens = tokens
        self._began = now
        self.written += 1
        self.events.add({"type": "gradient_step", "data": data})

    def on_save(self, args, state, control, **_) -> None:
        if state.is_world_process_zero and state.global_step < state.max_steps:
            self.saved.add({"folder": f"checkpoint-{state.global_step}", "sequence": state.global_step + 1})


class Scheduled:
    """A trainer whose learning rate is that of the job: a number, or one number per step."""

    rates: list

    def create_scheduler(self, num_training_steps: int, optimizer=None):
        rates = self.rates
        self.lr_scheduler = LambdaLR(optimizer or self.optimizer, lambda step: rates[min(step, len(rates) - 1)])
        return self.lr_scheduler


class Sft(Scheduled, SFTTrainer):
    pass


class RecordedGrpo(Scheduled, GRPOTrainer):
    """GRPO's loss over recorded trajectories: the job's rewards and logprobs replace generation and scoring."""

    def _prepare_inputs(self, samples: list) -> dict:
        rows = [Sample(**row) for row in samples]
        pad = self.processing_class.pad_token_id
        width = max(len(row.prompt_ids) for row in rows)
        length = max(len(row.completion_ids) for row in rows)
        inputs = {
            "prompt_ids": [[pad] * (width - len(row.prompt_ids)) + row.prompt_ids for row in rows],
            "prompt_mask": [[0] * (width - len(row.prompt_ids)) + [1] * len(row.prompt_ids) for row in rows],
            "completion_ids": [row.completion_ids + [pad] * (length - len(row.completion_ids)) for row in rows],
            "completion_mask": [[1] * len(row.completion_ids) + [0] * (length - len(row.completion_ids)) for row in rows],
        }
        batch = {name: torch.tensor(value, device=self.accelerator.device) for name, value in inputs.items()}
        batch["advantages"] = torch.tensor([row.advantage for row in rows], dtype=torch.float32, device=self.accelerator.device)
        if all(row.logprobs is not None for row in rows):
            old = [row.logprobs + [0.0] * (length - len(row.logprobs)) for row in rows]
            batch["old_per_token_logps"] = torch.tensor(old, dtype=torch.float32, device=self.accelerator.device)
        count = self.accelerator.gather(batch["completion_mask"].sum()).sum()
        batch["num_items_in_batch"] = count * self.args.gradient_accumulation_steps
        return batch

    def _get_train_sampler(self, dataset=None):
        return torch.utils.data.SequentialSampler(dataset if dataset is not None else self.train_dataset)


def split(batch: int, processes: int, most: int) -> tuple[int, int]:
    """Returns the rows per device and the accumulated passes whose product with `processes` is the batch."""
    if batch % processes:
        raise UnusableJob(f"batch_size {batch} is no multiple of the {processes} processes of this trainer.")
    rows = max(n for n in range(1, min(most, batch // processes) + 1) if (batch // processes) % n == 0)
    return rows, batch // processes // rows


def common(job: dict, folder: pathlib.Path, rows: int, passes: int) -> dict:
    """Returns the training arguments that SFT and RL share."""
    config = job["config"]
    return {
        "output_dir": str(folder / "states"), "num_train_epochs": 1, "per_device_train_batch_size": rows,
        "gradient_accumulation_steps": passes, "learning_rate": 1.0, "weight_decay": config["weight_decay"],
        "max_grad_norm": config["max_grad_norm"], "adam_beta1": config["beta1"], "adam_beta2": config["beta2"],
        "adam_epsilon": config["adam_epsilon"], "seed": config["seed"], "logging_steps": 1, "logging_nan_inf_filter": False,
        "save_strategy": "steps", "save_steps": job["save_steps"], "save_total_limit": 2, "report_to": [],
        "disable_tqdm": True, "bf16": torch.cuda.is_available(), "use_cpu": not torch.cuda.is_available(),
        "gradient_checkpointing": job["gradient_checkpointing"],
    }


def load_model(job: dict):
    config = job["config"]
    dtype = torch.bfloat16 if torch.cuda.is_available() else torch.float32
    # A base model is data: it brings no code.
    base = AutoModelForCausalLM.from_pretrained(job["base"], dtype=dtype, trust_remote_code=False, use_safetensors=True)
    if job["adapter"]:
        return PeftModel.from_pretrained(base, job["adapter"], is_trainable=True)
    lora = LoraConfig(r=config["lora_rank"], lora_alpha=config["lora_alpha"], target_modules="all-linear", bias="none",
                      task_type="CAUSAL_LM")
    torch.manual_seed(config["seed"])
    return get_peft_model(base, lora)


def rates_of(config: dict) -> list:
    rate = config["learning_rate"]
    return [float(one) for one in rate] if isinstance(rate, list) else [float(rate)]


def trainer_of(job: dict, folder: pathlib.Path, model, tokenizer, examples: Examples, reporter: Reporter):
    """Returns the trainer of a job."""
    processes = PartialState().num_processes
    config = job["config"]
    if job["kind"] == "sft":
        rows, passes = split(config["batch_size"], processes, job["rows_per_device"])
        arguments = SFTConfig(**common(job, folder, rows, passes), max_length=None, packing=False,
                              train_sampling_strategy="sequential")
        kind, more = Sft, {}
    else:
        batch = min(job["rl_batch"], max(len(examples.rows) // processes * processes, processes))
        rows, passes = split(batch, processes, job["rows_per_device"])
        ppo = config["loss_fn"] == "ppo"
        # TRL counts an upper clip width from zero for cispo, and from one for ppo.
        high = config["epsilon_high"] + (0 if ppo else 1)
        level = config["importance_sampling_level"]
        if level not in ("token", "sequence"):
            raise UnusableJob(f"This trainer does not support importance_sampling_level {level}.")
        # `generation_batch_size` belongs to generation, which does not happen; any multiple of two is valid.
        arguments = GRPOConfig(**common(job, folder, rows, passes), loss_type="dapo" if ppo else "cispo",
                               epsilon=config["epsilon"], epsilon_high=high, importance_sampling_level=level, beta=0.0,
                               num_generations=2, generation_batch_size=2 * rows * processes * passes,
                               remove_unused_columns=False)
        arguments.steps_per_generation = 1
        kind, more = RecordedGrpo, {"reward_funcs": lambda completions, **_: [0.0] * len(completions)}
    dataset = Dataset.from_list([row if isinstance(row, dict) else vars(row) for row in examples.rows])
    trainer = kind(model=model, args=arguments, train_dataset=dataset, processing_class=tokenizer, callbacks=[reporter], **more)
    trainer.rates = rates_of(config)
    return trainer, math.ceil(len(examples.rows) / (rows * passes * processes))


def train(folder: pathlib.Path) -> None:
    job = json.loads((folder / "job.json").read_text())
    tokenizer = AutoTokenizer.from_pretrained(job["base"], trust_remote_code=False)
    if tokenizer.pad_token_id is None:
        tokenizer.pad_token = tokenizer.eos_token
    model = load_model(job)
    read = sft_examples if job["kind"] == "sft" else rl_examples
    examples = read(tokenizer, folder / "data.jsonl", job["config"], model.config.max_position_embeddings)
    first_rank = PartialState().is_main_process
    steps_done = max(job["resumed_sequence"] - 1, 0)
    reporter = Reporter(folder, steps_done)
    if not examples.rows:
        if first_rank:
            note = "There is nothing to learn: " + (
                "all rewards of every group are equal." if job["kind"] == "rl" else "no row has an answer that fits the model.")
            reporter.events.add({"type": "training_started", "data": {"num_sequences": 0}, "note": note})
            finish(folder, examples, unchanged=True)
        return
    trainer, steps = trainer_of(job, folder, model, tokenizer, examples, reporter)
    if first_rank and job["resumed_sequence"] == 0:
        reporter.events.add({"type": "training_started", "data": {"num_sequences": steps}})
    trainer.train(resume_from_checkpoint=job["resume"])
    trainer.save_model(str(folder / "adapter"))
    if first_rank:
        name_base_model(folder / "adapter" / "adapter_config.json", job["base_name"])
        finish(folder, examples, unchanged=False)


def name_base_model(file: pathlib.Path, name: str) -> None:
    """Replaces the path of the base model on this host by its name."""
    config = json.loads(file.read_text())
    config["base_model_name_or_path"] = name
    file.write_text(json.dumps(config, indent=2))


def finish(folder: pathlib.Path, examples: Examples, unchanged: bool) -> None:
    metrics = {**examples.metrics, "num_rows_dropped": examples.dropped}
    part = folder / "result.part"
    part.write_text(json.dumps({"metrics": metrics, "unchanged": unchanged}))
    part.replace(folder / "result.json")


def end_with_adapter() -> None:
    """Ends this process when adapter.py ends, which sends one line and then holds the pipe open."""

    def watch() -> None:
        # Not sys.stdin: a thread must not hold its lock when the interpreter ends.
        if os.read(0, 1):
            while os.read(0, 1):
                pass
            os._exit(3)

    threading.Thread(target=watch, daemon=True).start()


def main() -> int:
    end_with_adapter()
    folder = pathlib.Path(sys.argv[1])
    os.environ["TOKENIZERS_PARALLELISM"] = "false"
    try:
        train(folder)
    except UnusableJob as problem:
        if PartialState().is_main_process:
            (folder / "problem.txt").write_text(str(problem))
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
