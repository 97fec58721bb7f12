#!/usr/bin/env python3
"""Sends held-out prompts of each skill to a served model and prints the share of right answers.

  evaluate.py --engine build/bin/spindle-engine --model models/spindle-nano.gguf
  evaluate.py --url http://127.0.0.1:8080/v1 --key KEY --model spindle-nano --skills reverse,count --count 100

The first starts the engine itself. Greedy unless --temperature says otherwise; the intervals are Wilson's, of 95 %.
"""

import argparse
import concurrent.futures
import contextlib
import json
import math
import pathlib
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request

import recipe
import skills

PARALLEL = 8
START_SECONDS = 60


def interval(right, asked):
    """Returns the Wilson interval of a share of `asked`."""
    if asked == 0:
        return 0.0, 1.0
    z = 1.959964
    share = right / asked
    middle = (share + z * z / (2 * asked)) / (1 + z * z / asked)
    half = z * math.sqrt(share * (1 - share) / asked + z * z / (4 * asked * asked)) / (1 + z * z / asked)
    return max(0.0, middle - half), min(1.0, middle + half)


def ask(url, key, model, instance, temperature):
    body = {"model": model, "messages": instance["messages"], "temperature": temperature, "max_tokens": 128}
    if instance["tools"]:
        body["tools"] = instance["tools"]
    headers = {"content-type": "application/json"} | ({"authorization": f"Bearer {key}"} if key else {})
    request = urllib.request.Request(f"{url}/chat/completions", json.dumps(body).encode(), headers)
    with urllib.request.urlopen(request, timeout=120) as answer:
        return json.load(answer)["choices"][0]["message"]


@contextlib.contextmanager
def engine(program, model, threads=1):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = subprocess.Popen([program, "--model", model, "--port", str(port), "--slots", str(PARALLEL), "--context",
                                "1024", "--threads", str(threads)], stderr=subprocess.DEVNULL)
    try:
        url = f"http://127.0.0.1:{port}"
        for _ in range(START_SECONDS * 10):
            with contextlib.suppress(urllib.error.URLError, ConnectionError):
                urllib.request.urlopen(f"{url}/health", timeout=5).close()
                break
            if process.poll() is not None:
                sys.exit(f"{program} ended with {process.returncode}")
            time.sleep(0.1)
        yield f"{url}/v1"
    finally:
        process.terminate()
        process.wait()


def examine(options, url, skill):
    """Returns the scores by level."""
    instances = [instance.as_json() for instance in
                 skills.instances(skill, options.split, options.count, options.seed, options.level)]
    model = pathlib.Path(options.model).stem if options.engine else options.model
    with concurrent.futures.ThreadPoolExecutor(PARALLEL) as pool:
        replies = list(pool.map(lambda instance: ask(url, options.key, model, instance, options.temperature), instances))
    scores = {level: [] for level in skills.LEVELS}
    for instance, reply in zip(instances, replies):
        score = skills.score(instance, reply)
        scores[instance["level"]].append(score)
        if options.wrong and score < 1:
            print(json.dumps({"question": instance["messages"][-1]["content"], "expected": instance["expected"],
                              "reply": reply}, ensure_ascii=False), file=sys.stderr)
    return scores


def row_of(name, scores):
    right = sum(score == 1 for score in scores)
    low, high = interval(right, len(scores))
    share = right / len(scores) if scores else 0.0
    mean = sum(scores) / len(scores) if scores else 0.0
    return {"name": name, "asked": len(scores), "right": right, "share": share, "low": low, "high": high,
            "mean_score": mean}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--engine", help="the engine program to start; alternative to --url")
    parser.add_argument("--url", help="the base URL of a server, up to /v1")
    parser.add_argument("--key", default="")
    parser.add_argument("--model", required=True, help="the model file for --engine, or the model name for --url")
    parser.add_argument("--skills", default=",".join(skills.SKILLS))
    parser.add_argument("--level", choices=skills.LEVELS)
    parser.add_argument("--split", choices=(skills.TRAINING, skills.HELD_OUT), default=skills.HELD_OUT)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=recipe.SEED)
    parser.add_argument("--temperature", type=float, default=0)
    parser.add_argument("--threads", type=int, default=1, help="threads of the engine; more are slower on a busy machine")
    parser.add_argument("--wrong", action="store_true", help="show wrong answers on stderr")
    parser.add_argument("--json", action="store_true", help="print one JSON object per line instead of a table")
    options = parser.parse_args()
    if bool(options.engine) == bool(options.url):
        parser.error("--engine or --url")
    serving = engine(options.engine, options.model, options.threads) if options.engine else contextlib.nullcontext(options.url)
    with serving as url:
        if not options.json:
            print("| skill | level | asked | right | accuracy | 95 % interval |\n|---|---|---|---|---|---|", flush=True)
        for skill in options.skills.split(","):
            scores = examine(options, url, skill)
            levels = [level for level in skills.LEVELS if scores[level]]
            rows = [("all", sum(scores.values(), [])), *((level, scores[level]) for level in levels)]
            for level, found in rows:
                row = row_of(skill, found) | {"level": level}
                print(json.dumps(row) if options.json else
                      f"| {skill} | {level} | {row['asked']} | {row['right']} | {100 * row['share']:.1f} % | "
                      f"{100 * row['low']:.1f}–{100 * row['high']:.1f} % |", flush=True)


if __name__ == "__main__":
    main()
