#!/usr/bin/env python3
"""Generates the training text of spindle-nano, prompts, examples and scores.

  generate.py corpus --documents 1000000 --parts 8 --out FOLDER    text to train on: FOLDER/0.txt ...
  generate.py questions --skill reverse --count 300                held-out instances, a JSON object a line
  generate.py examples --skill reverse --level hard --count 2000   training instances as conversations to fine-tune on
  generate.py score < replies.jsonl                                lines of {"instance", "reply"}: how right each is
"""

import argparse
import concurrent.futures
import json
import pathlib
import sys

import corpus
import recipe
import skills


def write_part(task):
    seed, part, count, evenly, path = task
    with open(path, "wb") as file:
        file.writelines(corpus.documents(seed, part, count, evenly))


def make_corpus(options):
    options.out.mkdir(parents=True, exist_ok=True)
    share = -(-options.documents // options.parts)
    tasks = [(options.seed, part, share, options.evenly, options.out / f"{part}.txt") for part in range(options.parts)]
    with concurrent.futures.ProcessPoolExecutor() as pool:
        list(pool.map(write_part, tasks))


def make_instances(options):
    split = options.split or (skills.TRAINING if options.what == "examples" else skills.HELD_OUT)
    for instance in skills.instances(options.skill, split, options.count, options.seed, options.level):
        line = instance.as_json()
        if options.what == "examples":
            line = {"messages": [*instance.messages, instance.answer]}
            line |= {"tools": instance.tools} if instance.tools else {}
        print(json.dumps(line, ensure_ascii=False))


def score(_options):
    for line in sys.stdin:
        asked = json.loads(line)
        found = skills.score(asked["instance"], asked["reply"])
        print(json.dumps({"score": found, "correct": found == 1}))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    kinds = parser.add_subparsers(dest="what", required=True)
    kind = kinds.add_parser("corpus")
    kind.add_argument("--documents", type=int, required=True)
    kind.add_argument("--parts", type=int, default=1)
    kind.add_argument("--out", type=pathlib.Path, required=True)
    kind.add_argument("--evenly", action="store_true", help="equal shares of all kinds, for learning the vocabulary")
    kind.add_argument("--seed", type=int, default=recipe.SEED)
    kind.set_defaults(run=make_corpus)
    for name in ("questions", "examples"):
        kind = kinds.add_parser(name)
        kind.add_argument("--skill", choices=skills.SKILLS, required=True)
        kind.add_argument("--level", choices=skills.LEVELS)
        kind.add_argument("--split", choices=(skills.TRAINING, skills.HELD_OUT))
        kind.add_argument("--count", type=int, default=300)
        kind.add_argument("--seed", type=int, default=recipe.SEED)
        kind.set_defaults(run=make_instances)
    kinds.add_parser("score").set_defaults(run=score)
    options = parser.parse_args()
    options.run(options)


if __name__ == "__main__":
    main()
