"""Compares trainer_step with step.py: the same shapes, sequences and threads, alternating; compares the medians of all rounds.

Prints a line for each setting. SHAPES="nano 100m" LAYOUTS="even packed" THREADS="1 2" ROUNDS=3 select other settings.
"""

import json
import os
import statistics
import subprocess
import sys

STEPS = {"nano": 10, "100m": 3}
ROWS, LENGTH, RANK = 2, 512, 16


def words(name: str, usual: str) -> list:
    return os.environ.get(name, usual).split()


def rate(command: list) -> float:
    ran = subprocess.run(command, capture_output=True, text=True)
    if ran.returncode != 0:
        sys.exit(f"{command[0]}: {ran.stderr}")
    return json.loads(ran.stdout)["tokens_per_second"]


def main() -> None:
    program = os.path.join(os.environ.get("SPINDLE_BENCH_BIN", "build/bench/bin"), "trainer_step")
    rounds = int(os.environ.get("ROUNDS", "3"))
    for threads in words("THREADS", f"1 {os.cpu_count()}"):
        for shape in words("SHAPES", "nano 100m"):
            for layout in words("LAYOUTS", "even packed"):
                setting = [shape, *(str(n) for n in (ROWS, LENGTH, RANK, STEPS[shape])), threads, layout]
                ours, theirs = [], []
                for _ in range(rounds):
                    ours.append(rate([program, *setting]))
                    theirs.append(rate([sys.executable, "bench/trainer/step.py", *setting]))
                a, b = statistics.median(ours), statistics.median(theirs)
                print(
                    f"{shape}, {layout} rows, threads {threads}: {a:.0f} tokens/s, plain PyTorch {b:.0f} tokens/s, "
                    f"ratio {a / b:.2f} (rounds {ours} and {theirs})",
                    flush=True,
                )


if __name__ == "__main__":
    main()
