#!/usr/bin/env python3
"""Runs the complete workflow of Spindle on this machine: traces and evaluates an agent at an order desk, trains its model
with examples of an expert and with rewards, evaluates it again, and releases it to production.

  run.py            the full demo, in a few minutes on two cores
  run.py --quick    the same with few orders, to check that everything works
  run.py --keep     keeps the server running at the end, until Ctrl-C
"""

import argparse
import contextlib
import datetime
import http.client
import pathlib
import signal
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import report  # noqa: E402
import server  # noqa: E402
import story  # noqa: E402
import training  # noqa: E402
import webhook  # noqa: E402
from client import Refused  # noqa: E402
from screen import Screen, clock  # noqa: E402


def parsed_options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="few orders and few steps; too few for a measurable improvement")
    parser.add_argument("--keep", action="store_true", help="keep the server running until Ctrl-C")
    parser.add_argument("--folder", type=pathlib.Path, help="folder for all files of the run (default: a new one in build/demo)")
    parser.add_argument("--programs", type=pathlib.Path, default=server.ROOT / "build" / "bin",
                        help="folder of spindle, spindle-engine and spindle-trainer (default: build/bin)")
    return parser.parse_args()


def new_folder(wished):
    folder = wished or server.ROOT / "build" / "demo" / datetime.datetime.now().strftime("%Y%m%d-%H%M%S")
    folder = folder.resolve()
    if folder.exists() and any(folder.iterdir()):
        sys.exit(f"{folder} is not empty: choose another one with --folder")
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def shown(path):
    """Returns the path relative to the working folder, if possible."""
    with contextlib.suppress(ValueError):
        return path.relative_to(pathlib.Path.cwd())
    return path


def play(options, screen, folder, stack):
    plan = story.QUICK if options.quick else story.Plan()
    screen.title("Spindle: an order desk learns its job. Everything happens on this machine." +
                 (" (Quick run: too short for a measurable improvement.)" if options.quick else ""))
    screen.step("Start a server")
    running = server.Server(options.programs, folder)
    stack.callback(running.stop)
    screen.say(f"{running.url}, with all its data in {shown(folder)}")
    receiver = webhook.Receiver()
    stack.callback(receiver.close)
    told = story.Story(screen, plan, running, receiver)
    told.tell()
    page = report.write(folder, told, screen.elapsed())
    screen.title(f"Done in {clock(screen.elapsed())}. The report: {shown(page)}")
    screen.say(*how_to_go_on(options, running, told, folder))
    if options.keep:
        screen.title("Everything above, in the browser:")
        screen.say(*how_to_look(running, told))
        with contextlib.suppress(KeyboardInterrupt):
            running.wait()


def how_to_look(running, told):
    (_, first), *_ = places = told.places()
    yield f"sign in          {running.sign_in_link(first)}"
    yield "                 (works once, for 15 minutes; later: the API key above)"
    for step, path in places:
        yield f"{step:<16} {running.console(path)}"


def how_to_go_on(options, running, told, folder):
    data = shown(running.data)
    yield f"all files        {shown(folder)} (report, plots, logs, data)"
    if options.keep:
        yield f"the server       {running.url}, until Ctrl-C"
    else:
        yield f"the console      {shown(options.programs)}/spindle serve --data-dir {data}"
        yield "                 prints a link that signs in"
    yield f"API key          {data}/admin-api-key"
    yield f"ask the model    curl -s {running.url if options.keep else 'http://127.0.0.1:8080'}/v1/chat/completions \\"
    yield f'                   -H "Authorization: Bearer $(cat {data}/admin-api-key)" -d \'{{'
    yield f'                   "model": "{told.address}", "temperature": 0, "logprobs": false,'
    yield '                   "messages": [{"role": "user", "content": "Reverse: lamp, river, cat, rope, moon"}]}\''


def main():
    options = parsed_options()
    sys.stdout.reconfigure(errors="replace")  # for terminals that cannot display some characters
    screen = Screen()
    folder = new_folder(options.folder)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        with contextlib.ExitStack() as stack:
            play(options, screen, folder, stack)
    except KeyboardInterrupt:
        print("\ndemo: stopped", file=sys.stderr)
        return 130
    except (server.Broken, training.Failed, Refused, OSError, http.client.HTTPException) as problem:
        print(f"\ndemo: {problem}\n      see the logs of the programs: {shown(folder)}/*.log", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
