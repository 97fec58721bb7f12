"""The training step of step_bench.cpp in plain PyTorch: the same shapes, sequences and LoRA, written with care.

    step.py SHAPE ROWS LENGTH RANK STEPS THREADS [packed]

Rows of one sequence each are a batch: no masks. Packed rows stand one behind the other in one long row, as in
step_bench.cpp: nothing is padded, and every sequence has a causal attention of its own, which is quicker than a mask over
all of them. Prints one line of JSON.
"""

import json
import sys
import time

import torch
import torch.nn.functional as functional
from torch import nn

SHAPES = {
    # vocabulary, width, inner, layers, heads, kv heads, head width
    "nano": (2048, 384, 1024, 7, 6, 2, 64),
    "100m": (32000, 768, 2048, 12, 12, 4, 64),
}
PACKED = (2, 4, 3, 7)  # sixteenths of a row


class LoraLinear(nn.Module):
    def __init__(self, inputs: int, outputs: int, rank: int, alpha: float) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.randn(outputs, inputs) * 0.02, requires_grad=False)
        self.a = nn.Parameter(torch.empty(rank, inputs).uniform_(-1, 1) / inputs**0.5)
        self.b = nn.Parameter(torch.zeros(outputs, rank))
        self.scale = alpha / rank

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        narrow = functional.linear(x, self.a) * self.scale
        return functional.linear(x, self.weight) + functional.linear(narrow, self.b)


class Norm(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width), requires_grad=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return functional.rms_norm(x, (x.shape[-1],), self.weight, 1e-6)


def turned(x: torch.Tensor, cosines: torch.Tensor, sines: torch.Tensor) -> torch.Tensor:
    half = x.shape[-1] // 2
    turned_halves = torch.cat((-x[..., half:], x[..., :half]), dim=-1)
    return x * cosines + turned_halves * sines


class Layer(nn.Module):
    def __init__(self, shape: tuple, rank: int) -> None:
        super().__init__()
        _, width, inner, _, self.heads, self.kv_heads, self.head_width = shape
        queries, keys = self.heads * self.head_width, self.kv_heads * self.head_width
        self.norm1, self.norm2 = Norm(width), Norm(width)
        self.query_norm, self.key_norm = Norm(self.head_width), Norm(self.head_width)
        self.q, self.k = LoraLinear(width, queries, rank, 32), LoraLinear(width, keys, rank, 32)
        self.v, self.o = LoraLinear(width, keys, rank, 32), LoraLinear(queries, width, rank, 32)
        self.gate, self.up = LoraLinear(width, inner, rank, 32), LoraLinear(width, inner, rank, 32)
        self.down = LoraLinear(inner, width, rank, 32)

    def forward(self, x: torch.Tensor, cosines: torch.Tensor, sines: torch.Tensor, sizes: list) -> torch.Tensor:
        rows, length, _ = x.shape
        n = self.norm1(x)
        q = self.query_norm(self.q(n).view(rows, length, self.heads, self.head_width)).transpose(1, 2)
        k = self.key_norm(self.k(n).view(rows, length, self.kv_heads, self.head_width)).transpose(1, 2)
        v = self.v(n).view(rows, length, self.kv_heads, self.head_width).transpose(1, 2)
        sharing = self.heads // self.kv_heads
        k = turned(k, cosines, sines).repeat_interleave(sharing, dim=1)
        v = v.repeat_interleave(sharing, dim=1)
        q = turned(q, cosines, sines)
        if len(sizes) == 1:
            y = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        else:
            sequences = zip(*(tensor.split(sizes, dim=2) for tensor in (q, k, v)), strict=True)
            parts = [functional.scaled_dot_product_attention(*parts, is_causal=True) for parts in sequences]
            y = torch.cat(parts, dim=2)
        x = x + self.o(y.transpose(1, 2).reshape(rows, length, -1))
        n = self.norm2(x)
        return x + self.down(functional.silu(self.gate(n)) * self.up(n))


class Transformer(nn.Module):
    def __init__(self, shape: tuple, rank: int) -> None:
        super().__init__()
        vocabulary, width, _, layers, _, _, self.head_width = shape
        self.embedding = nn.Parameter(torch.randn(vocabulary, width) * 0.02, requires_grad=False)
        self.layers = nn.ModuleList(Layer(shape, rank) for _ in range(layers))
        self.norm = Norm(width)

    def forward(self, tokens: torch.Tensor, sizes: list) -> torch.Tensor:
        inverse = 1e6 ** (-torch.arange(0, self.head_width, 2) / self.head_width)
        positions = torch.cat([torch.arange(size) for size in sizes])
        angles = torch.outer(positions.float(), inverse).repeat(1, 2)
        cosines, sines = angles.cos(), angles.sin()
        x = functional.embedding(tokens, self.embedding)
        for layer in self.layers:
            x = layer(x, cosines, sines, sizes)
        return self.norm(x)


def main() -> None:
    name, rows, length, rank, steps, threads = sys.argv[1], *map(int, sys.argv[2:7])
    torch.manual_seed(1)
    torch.set_num_threads(threads)
    shape = SHAPES[name]
    model = Transformer(shape, rank)
    learned = [p for p in model.parameters() if p.requires_grad]
    optimizer = torch.optim.AdamW(learned, lr=1e-4, betas=(0.9, 0.99), weight_decay=0.0, fused=True)
    sizes = [length]
    if "packed" in sys.argv[7:]:
        sizes = [length * share // 16 for share in PACKED] * rows
        rows, length = 1, rows * length
    tokens = torch.randint(0, shape[0], (rows, length))
    # Every token except the first of a sequence is the target of the previous token.
    firsts = torch.zeros(length, dtype=torch.bool)
    firsts[torch.tensor([0, *sizes[:-1]]).cumsum(0)] = True
    told = (~firsts).nonzero().squeeze(1)
    wanted = tokens[:, told].reshape(-1)
    seconds = []
    for step in range(steps + 2):
        begin = time.perf_counter()
        hidden = model(tokens, sizes)[:, told - 1].reshape(-1, shape[1])
        loss = functional.cross_entropy(functional.linear(hidden, model.embedding), wanted)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(learned, 1.0)
        optimizer.step()
        optimizer.zero_grad()
        if step >= 2:
            seconds.append(time.perf_counter() - begin)
    median = sorted(seconds)[len(seconds) // 2]
    print(
        json.dumps(
            {
                "shape": name,
                "tokens": rows * length,
                "seconds": round(median, 5),
                "tokens_per_second": round(rows * length / median, 1),
                "loss": round(loss.item(), 4),
                "torch": torch.__version__,
            }
        )
    )


if __name__ == "__main__":
    main()
