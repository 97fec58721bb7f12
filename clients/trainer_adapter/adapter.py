#!/usr/bin/env python3
"""Runs training jobs of a Spindle server with TRL, on one host or a cluster (docs/training_hosts.md).

    SPINDLE_API_KEY=... python3 adapter.py --server https://spindle.example.com --folder /scratch/spindle

This process holds the lease: it downloads the inputs, starts `training.py` with `accelerate launch`, sends its events, saves
its states, and uploads the adapter. The processes of the training never talk to the server.
"""

from __future__ import annotations

import argparse
import json
import os
import pathlib
import secrets
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import tarfile
import threading
import time

from protocol import JobLost, LeasedJob, ProtocolError, Server, Stopped

HERE = pathlib.Path(__file__).resolve().parent
POLL_SECONDS = 0.5
STOP_SECONDS = 30
WAIT_SECONDS = 20
LOG_TAIL = 2_000


def log(event: str, **fields) -> None:
    print(json.dumps({"event": event, **fields}), file=sys.stderr, flush=True)


class Tail:
    """The complete lines that another process has appended to a file since the last call."""

    def __init__(self, file: pathlib.Path) -> None:
        self.file = file
        self._at = 0

    def read(self) -> list:
        if not self.file.exists():
            return []
        with self.file.open("rb") as lines:
            lines.seek(self._at)
            text = lines.read()
        end = text.rfind(b"\n") + 1
        self._at += end
        return [json.loads(line) for line in text[:end].splitlines()]


class Run:
    """One attempt at one job, in a folder of its own."""

    def __init__(self, job: LeasedJob, given: argparse.Namespace, stop: threading.Event) -> None:
        self.job = job
        self.given = given
        self.stop = stop
        self.folder = given.folder / "jobs" / job.id
        self.events = Tail(self.folder / "events.jsonl")
        self.saved = Tail(self.folder / "saved.jsonl")
        self.next_event = 1  # number of the next event of this attempt
        self.saves: list = []

    def run(self) -> str:
        """Executes the job. Returns its outcome."""
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        try:
            self._prepare()
            status = self._train()
            self._forward()
            if self.stop.is_set():
                self.job.release()
                return "released"
            return self._finish(status)
        except JobLost:
            return "lost"
        finally:
            if not self.given.keep:
                shutil.rmtree(self.folder, ignore_errors=True)

    def _prepare(self) -> None:
        """Downloads the inputs and writes job.json."""
        job, given = self.job, self.given
        base = job.download_base(given.folder / "models")
        adapter = job.download_adapter(self.folder / "initial")
        job.download("/data", self.folder / "data.jsonl")
        resume, sequence = None, 0
        if state := job.offer["state"]:
            archive = job.download("/state", self.folder / "state.tar")
            with tarfile.open(archive) as saved:
                saved.extractall(self.folder / "states", filter="data")
            archive.unlink()
            [resume] = (self.folder / "states").iterdir()
            sequence = state["sequence"]
            self.next_event = sequence + 1
        (self.folder / "job.json").write_text(json.dumps({
            "kind": job.kind, "config": job.config, "base": str(base), "base_name": job.offer["base_model"]["name"],
            "adapter": str(adapter) if adapter else None, "resume": str(resume) if resume else None,
            "resumed_sequence": sequence, "save_steps": given.save_steps, "rows_per_device": given.rows_per_device,
            "rl_batch": given.rl_batch, "gradient_checkpointing": given.gradient_checkpointing}))

    def _train(self) -> int:
        """Runs the training until it ends, the job is lost, or this process is to stop. Returns its exit status."""
        command = [*shlex.split(self.given.launch), str(HERE / "training.py"), str(self.folder)]
        with (self.folder / "training.log").open("wb") as output:
            process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=output, stderr=subprocess.STDOUT,
                                       start_new_session=True)
        try:
            # The training ends at the end of its input, which is that of this process.
            process.stdin.write(b"\n")
            process.stdin.flush()
            while process.poll() is None:
                if self.job.lost.is_set() or self.stop.wait(POLL_SECONDS):
                    break
                self._forward()
        except BrokenPipeError:
            process.wait()
        finally:
            end(process)
        if self.job.lost.is_set():
            raise JobLost("the job was cancelled, or its lease is gone")
        return process.returncode

    def _forward(self) -> None:
        """Sends new events, then the newest state that they cover."""
        if events := self.events.read():
            self.job.send_events(self.next_event, events)
            self.next_event += len(events)
        self.saves += self.saved.read()
        ready = [one for one in self.saves if one["sequence"] <= self.job.last_sequence]
        if not ready:
            return
        self.saves = [one for one in self.saves if one["sequence"] > self.job.last_sequence]
        folder = self.folder / "states" / ready[-1]["folder"]
        archive = self.folder / "state.tar"
        try:
            with tarfile.open(archive, "w") as saving:
                saving.add(folder, folder.name)
        except OSError as error:  # the training has replaced the state meanwhile
            log("state_skipped", job=self.job.id, reason=str(error))
            return
        self.job.save_state(archive, ready[-1]["sequence"])
        archive.unlink()

    def _finish(self, status: int) -> str:
        job = self.job
        result = self.folder / "result.json"
        if status == 0 and result.exists():
            found = json.loads(result.read_text())
            if not found["unchanged"]:
                for name in ("adapter_config.json", "adapter_model.safetensors"):
                    job.upload(self.folder / "adapter" / name)
            published = job.complete(found["metrics"], found["unchanged"])
            return f"published {published['version']}"
        problem = self.folder / "problem.txt"
        if problem.exists():
            job.fail(problem.read_text())
            return "failed"
        log("training_crashed", job=job.id, status=status, output=(self.folder / "training.log").read_text(errors="replace")[-LOG_TAIL:])
        raise Crashed(f"The training ended with status {status}.")


class Crashed(Exception):
    """The training ended without a result and without a reason for the user."""


def end(process: subprocess.Popen) -> None:
    """Ends a process with all that it started."""
    for sign, seconds in ((signal.SIGTERM, STOP_SECONDS), (signal.SIGKILL, None)):
        if process.poll() is not None:
            break
        os.killpg(process.pid, sign)
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            continue


def gpus() -> tuple[int, int]:
    """Returns the number of GPUs and the memory of the smallest one in GiB."""
    try:
        found = subprocess.run(["nvidia-smi", "--query-gpu=memory.total", "--format=csv,noheader,nounits"],
                               capture_output=True, text=True, check=True, timeout=30).stdout.split()
        return len(found), round(min(int(one) for one in found) / 1024)
    except (OSError, subprocess.SubprocessError, ValueError):
        return 0, 0


def worker_name(folder: pathlib.Path) -> str:
    """Returns the name of this trainer, which it keeps after a restart in the same folder."""
    file = folder / "worker"
    if not file.exists():
        part = file.with_suffix(".part")
        part.write_text(f"{socket.gethostname()}-{secrets.token_hex(4)}")
        part.replace(file)
    return file.read_text().strip()


def capabilities_of(given: argparse.Namespace) -> dict:
    count, memory = gpus()
    return {"kinds": given.kind or ["sft", "rl"], "formats": ["huggingface"], "families": given.family,
            "gpus": given.gpus if given.gpus is not None else count,
            "gpu_memory_gib": given.gpu_memory_gib if given.gpu_memory_gib is not None else memory, "labels": given.label}


def parse(arguments: list | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--server", required=True, help="URL of the server; the key is SPINDLE_API_KEY")
    add("--folder", required=True, type=pathlib.Path, help="folder for models and jobs, which all processes of a training can read")
    add("--launch", default=f"{shlex.quote(sys.executable)} -m accelerate.commands.launch",
        help="command that runs training.py, such as `srun accelerate launch ...` (default: accelerate launch)")
    add("--kind", action="append", choices=["sft", "rl"], help="kind of jobs to take; repeatable (default: both)")
    add("--family", action="append", default=[], help="`model_type` of base models to take; repeatable (default: all)")
    add("--label", action="append", default=[], help="label that jobs may require; repeatable")
    add("--gpus", type=int, help="number of GPUs (default: those of this host)")
    add("--gpu-memory-gib", type=int, help="memory of each GPU (default: of this host)")
    add("--rows-per-device", type=int, default=1, help="rows in one pass of a device (default: %(default)s)")
    add("--rl-batch", type=int, default=8, help="choices in one gradient step of an rl job (default: %(default)s)")
    add("--save-steps", type=int, default=50, help="gradient steps between two saved states (default: %(default)s)")
    add("--gradient-checkpointing", action="store_true", help="less memory, more computation")
    add("--jobs", type=int, default=0, help="exit after this many jobs (default: never)")
    add("--idle-exit", type=float, default=0, help="exit after this many seconds without a job (default: never)")
    add("--keep", action="store_true", help="keep the folders of jobs")
    return parser.parse_args(arguments)


def work(given: argparse.Namespace, server: Server, stop: threading.Event) -> None:
    capabilities = capabilities_of(given)
    device = "cuda" if capabilities["gpus"] else "cpu"
    done, crashes = 0, 0
    idle_since = time.monotonic()
    while not stop.is_set():
        job = server.lease(WAIT_SECONDS, device, capabilities)
        if job is None:
            if given.idle_exit and time.monotonic() - idle_since > given.idle_exit:
                return
            continue
        log("job_leased", job=job.id, kind=job.kind, model=job.offer["base_model"]["name"])
        with job:
            try:
                outcome, crashes = Run(job, given, stop).run(), 0
            except Crashed as crash:
                crashes += 1
                outcome = give_up(job, crashes, str(crash))
            except (ProtocolError, OSError) as error:
                log("job_error", job=job.id, reason=str(error))
                crashes += 1
                outcome = give_up(job, crashes, "The trainer could not run the job; its log has the reason.")
        log("job_ended", job=job.id, outcome=outcome)
        done += 1
        if given.jobs and done >= given.jobs:
            return
        idle_since = time.monotonic()


def give_up(job: LeasedJob, crashes: int, reason: str) -> str:
    """Returns a job that this host could not train, so that another may; fails it when that repeats."""
    try:
        if crashes < 3:
            job.release()
            return "released"
        job.fail(f"{reason} It may need more memory: try shorter examples, or a smaller batch_size.")
        return "failed"
    except (JobLost, ProtocolError):
        return "lost"


def main() -> int:
    given = parse()
    key = os.environ.pop("SPINDLE_API_KEY", "")  # the training needs no key
    if not key:
        print("adapter.py: set SPINDLE_API_KEY to the key of a trainer", file=sys.stderr)
        return 2
    given.folder = given.folder.resolve()
    given.folder.mkdir(parents=True, exist_ok=True)
    stop = threading.Event()
    for sign in (signal.SIGTERM, signal.SIGINT):
        signal.signal(sign, lambda *_: stop.set())
    server = Server(given.server, key, worker_name(given.folder), stop)
    try:
        work(given, server, stop)
    except Stopped:
        pass
    except ProtocolError as error:
        print(f"adapter.py: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
