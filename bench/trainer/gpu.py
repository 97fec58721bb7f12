"""A training step on a GPU: trainer_step (step_bench.cpp) beside Hugging Face transformers, in one run.

    gpu.py TRAINER_STEP [ROWS] [LENGTH] [STEPS]

Qwen3-0.6B's shape with random weights, LoRA of rank 16 on all projections, bf16. Transformers gets the
attention and the fused optimiser that suit it best, and rows of one sequence each, so that it
needs no masks. Prints the device's own matrix rate, both steps, and what share of the rate each reaches.
"""

import json
import math
import subprocess
import sys
import time

import torch
from torch import nn

RANK = 16
TARGETS = ("q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj")


def matrix_rate() -> float:
    """Tera-operations per second of a large bf16 product of random numbers."""
    size = 8192
    a = torch.randn(size, size, device="cuda", dtype=torch.bfloat16)
    b = torch.randn(size, size, device="cuda", dtype=torch.bfloat16)
    for _ in range(3):
        a @ b
    begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    begin.record()
    for _ in range(20):
        a @ b
    end.record()
    torch.cuda.synchronize()
    return 2 * size**3 * 20 / (begin.elapsed_time(end) / 1e3) / 1e12


class LoraLinear(nn.Module):
    def __init__(self, base: nn.Linear) -> None:
        super().__init__()
        self.base = base
        options = {"device": base.weight.device, "dtype": base.weight.dtype}
        self.a = nn.Parameter(torch.empty(RANK, base.in_features, **options).uniform_(-1, 1) / base.in_features**0.5)
        self.b = nn.Parameter(torch.zeros(base.out_features, RANK, **options))
        self.scale = 32 / RANK

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.base(x) + nn.functional.linear(nn.functional.linear(x, self.a), self.b) * self.scale


def transformers_step(rows: int, length: int, steps: int) -> dict:
    from transformers import Qwen3Config, Qwen3ForCausalLM

    config = Qwen3Config(
        vocab_size=151936,
        hidden_size=1024,
        intermediate_size=3072,
        num_hidden_layers=28,
        num_attention_heads=16,
        num_key_value_heads=8,
        head_dim=128,
        rope_theta=1e6,
        rms_norm_eps=1e-6,
        tie_word_embeddings=True,
        max_position_embeddings=4096,
        use_cache=False,
    )
    config._attn_implementation = "sdpa"
    torch.manual_seed(1)
    torch.set_default_dtype(torch.bfloat16)
    with torch.device("cuda"):
        model = Qwen3ForCausalLM(config)
    torch.set_default_dtype(torch.float32)
    model.requires_grad_(False)
    for layer in model.model.layers:
        for module in (layer.self_attn, layer.mlp):
            for name in TARGETS:
                if hasattr(module, name):
                    setattr(module, name, LoraLinear(getattr(module, name)))
    model.train()
    learned = [p for p in model.parameters() if p.requires_grad]
    optimizer = torch.optim.AdamW(learned, lr=1e-4, betas=(0.9, 0.99), weight_decay=0.0, fused=True)
    tokens = torch.randint(0, config.vocab_size, (rows, length), device="cuda")
    torch.cuda.reset_peak_memory_stats()
    seconds = []
    for step in range(steps + 3):
        torch.cuda.synchronize()
        begin = time.perf_counter()
        loss = model(input_ids=tokens, labels=tokens).loss
        loss.backward()
        torch.nn.utils.clip_grad_norm_(learned, 1.0)
        optimizer.step()
        optimizer.zero_grad()
        torch.cuda.synchronize()
        if step >= 3:
            seconds.append(time.perf_counter() - begin)
    median = sorted(seconds)[len(seconds) // 2]
    return {
        "tokens": rows * length,
        "seconds": round(median, 5),
        "tokens_per_second": round(rows * length / median, 1),
        "loss": round(loss.item(), 4),
        "peak_bytes": torch.cuda.max_memory_allocated(),
    }


def main() -> None:
    program = sys.argv[1]
    rows, length, steps = (int(sys.argv[i]) if len(sys.argv) > i else n for i, n in ((2, 8), (3, 2048), (4, 20)))
    rate = matrix_rate()
    print(json.dumps({"device": torch.cuda.get_device_name(), "matrix_tera_operations_per_second": round(rate, 1)}))
    torch.cuda.empty_cache()
    ran = subprocess.run(
        [program, "qwen3-0.6b", str(rows), str(length), str(RANK), str(steps), "4", "packed", "cuda"],
        capture_output=True,
        text=True,
    )
    if ran.returncode != 0:
        sys.exit(ran.stderr)
    ours = json.loads(ran.stdout)
    print(json.dumps({"spindle": ours}))
    theirs = transformers_step(rows, length, steps)
    print(json.dumps({"transformers": theirs}))
    share = ours["tera_operations_per_second"] / rate
    faster = ours["tokens_per_second"] / theirs["tokens_per_second"]
    assert math.isfinite(ours["loss"])
    print(f"spindle: {share:.1%} of the matrix rate, {faster:.2f} times transformers")


if __name__ == "__main__":
    main()
