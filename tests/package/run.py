#!/usr/bin/env python3
"""Tests the packages of build/package on a minimal Debian 12, as root.

  tests/package/run.py [deb] [service] [tarball] [container] [trainer]     default: all but trainer

  deb        installs the package with apt, starts the server as its service user, records a trace, asks the packaged model,
             stops, installs again, removes and purges
  service    boots systemd in a container with the package, so that the unit's own restrictions apply
  tarball    unpacks the tarball in another root, without any package, and starts it from another folder
  trainer    installs the trainer's package (about 300 MB of downloads) and trains an adapter
  container  runs the steps of the last stage of deploy/container/Containerfile, its health check and its command

debootstrap makes the root once, in build/package-test. The package sources are those of this machine.
"""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

from chroot import Chroot, Failed
from containerfile import Containerfile
from installed_server import Client, InstalledServer
from systemd_container import SystemdContainer

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PACKAGES = ROOT / "build/package"
WORK = ROOT / "build/package-test"
USER = "spindle"


def say(text: str) -> None:
    print(f"   {text}", flush=True)


def check(condition: bool, text: str) -> None:
    if not condition:
        raise Failed(text)


def package(pattern: str) -> pathlib.Path:
    files = list(PACKAGES.glob(pattern))
    check(len(files) == 1, f"{PACKAGES} does not contain one file {pattern}: make package")
    return files[0]


def base() -> Chroot:
    """Returns the root without Spindle; debootstrap makes it if it does not exist."""
    complete = WORK / "base.complete"
    root = Chroot(WORK / "base")
    if not complete.exists():
        shutil.rmtree(root.root, ignore_errors=True)
        start = time.monotonic()
        root.install_debian()
        complete.touch()
        say(f"debootstrap: {time.monotonic() - start:.0f} s")
    return root


def fresh(name: str) -> Chroot:
    shutil.rmtree(WORK / name, ignore_errors=True)
    root = base().copy_to(WORK / name)
    check(not any(shutil.which(tool, path=str(root.root / "usr/bin")) for tool in ("gcc", "cc", "node", "python3")),
          "the root contains a compiler or an interpreter")
    return root


def start_command(root: Chroot) -> list[str]:
    """Returns the start command of the installed unit."""
    unit = root.file("/lib/systemd/system/spindle.service").read_text()
    return next(line.removeprefix("ExecStart=").split() for line in unit.splitlines() if line.startswith("ExecStart="))


def send_requests(client: Client, earlier_calls: list[str]) -> None:
    """Uses a server. Adds the recorded call to `earlier_calls`, which must all be stored."""
    client.check_health()
    earlier_calls.append(client.record_call())
    for call in earlier_calls:
        client.check_call(call)
    say(f"{len(earlier_calls)} calls stored, the model answered {client.check_completion()!r}")


def use(server: InstalledServer, earlier_calls: list[str]) -> None:
    """Uses a server and stops it."""
    try:
        say(f"ready after {server.start_seconds:.2f} s")
        send_requests(server.client, earlier_calls)
        check(sandbox_of(server.log()) != "", "the engine does not report its sandbox")
        server.stop()
    finally:
        server.kill()


def sandbox_of(log: str) -> str:
    """Returns the measures that the engine applied to itself, from the log of its server."""
    found = re.search(r'event\\*":\\*"sandbox\\*",\\*"active\\*":\\*"([^"\\]*)', log)
    return found[1] if found else ""


def install(root: Chroot, file: pathlib.Path, *options: str) -> None:
    shutil.copyfile(file, root.file(f"/tmp/{file.name}"))
    root.run("apt-get", "install", "--yes", "--no-install-recommends", *options, f"/tmp/{file.name}")


def test_deb() -> None:
    root = fresh("deb")
    file = package("spindle_*.deb")
    install(root, file)
    data, settings = root.file("/var/lib/spindle"), root.file("/etc/spindle/spindle.toml")
    check(data.stat().st_mode & 0o777 == 0o700, "the data folder is readable by others")
    check(settings.stat().st_mode & 0o777 == 0o640, "the settings are readable by others")
    root.run("spindle", "config", "check", "--config", "/etc/spindle/spindle.toml", user=USER)
    say(root.run("spindle", "--version").strip())
    calls: list[str] = []
    for start in ("first", "second"):
        use(InstalledServer(root, start_command(root), USER, "/var/lib/spindle/admin-api-key",
                            WORK / f"deb-{start}.log"), calls)

    settings.write_text(settings.read_text() + "\n[log]\nlevel = \"warn\"\n")
    install(root, file, "--reinstall")
    root.run("/var/lib/dpkg/info/spindle.postinst", "configure", "0.0.1")
    check("warn" in settings.read_text(), "an upgrade replaced changed settings")
    root.run("apt-get", "remove", "--yes", "spindle")
    check(not root.file("/usr/bin/spindle").exists() and not root.file("/usr/lib/spindle").exists(),
          "removal leaves programs")
    check((data / "metadata.sqlite").exists() and settings.exists(), "removal deletes data or settings")
    root.run("apt-get", "purge", "--yes", "spindle")
    check(not data.exists() and not settings.parent.exists(), "purge leaves data or settings")
    install(root, file)
    root.run("apt-get", "purge", "--yes", "spindle")
    root.run("dpkg", "--audit")
    say("installed twice, removed with data kept, purged, installed and purged again")


def test_service() -> None:
    root = fresh("service")
    root.run("apt-get", "install", "--yes", "--no-install-recommends", "systemd", "systemd-sysv", "dbus")
    install(root, package("spindle_*.deb"))
    root.file("/etc/spindle/spindle.env").write_text("SPINDLE_LISTEN=127.0.0.1:0\n")
    container = SystemdContainer(root, "spindle.service", WORK / "service.log")
    try:
        container.wait_until_active()
        key = root.file("/var/lib/spindle/admin-api-key").read_text().strip()
        send_requests(Client(container.url("/var/lib/spindle/lock"), key), [])
    finally:
        state = container.stop()
    log = container.journal()
    check(state.get("Result") == "success" and state.get("ExecMainStatus") == "0", f"the service ended badly: {state}\n{log[-3000:]}")
    check(key not in log, "the journal contains the administrator's key")
    measures = sandbox_of(log)
    for measure in ("network_namespace", "capabilities", "rlimits", "no_new_privs", "landlock", "seccomp"):
        check(measure in measures, f"the restrictions of the unit prevent a measure of the engine's sandbox: {measures}")
    say(f"started and stopped by systemd; sandbox of the engine: {measures}")


def test_tarball() -> None:
    root = fresh("tarball")
    file = package("spindle-*.tar.gz")
    shutil.copyfile(file, root.file("/tmp/spindle.tar.gz"))
    root.file("/opt/a folder").mkdir()
    root.run("tar", "-xzf", "/tmp/spindle.tar.gz", "-C", "/opt/a folder", "--strip-components=1")
    program = "/opt/a folder/bin/spindle"
    say(root.run(program, "--version").strip())
    calls: list[str] = []
    for user in (None, "nobody"):
        data = f"/var/tmp/{user or 'root'}"
        use(InstalledServer(root, [program, "serve", "--data-dir", data], user, f"{data}/admin-api-key",
                            WORK / "tarball.log"), calls)
        calls.clear()


def test_trainer() -> None:
    root = fresh("trainer")
    install(root, package("spindle_*.deb"))
    install(root, package("spindle-trainer_*.deb"))
    root.file("/tmp/rows.jsonl").write_text(
        '{"messages":[{"role":"user","content":"Which of these numbers is the largest: 3, 9, 4"},'
        '{"role":"assistant","content":"9"}]}\n')
    said = root.run("spindle-trainer", "sft", "--base", "/usr/share/spindle/spindle-nano.gguf", "--data",
                    "/tmp/rows.jsonl", "--out", "/var/lib/spindle-trainer/adapter", user="spindle-trainer")
    check(root.file("/var/lib/spindle-trainer/adapter/adapter_model.safetensors").exists(), f"no adapter: {said}")
    say(said.strip().splitlines()[-2])
    root.run("apt-get", "purge", "--yes", "spindle-trainer")
    check(not root.file("/var/lib/spindle-trainer").exists(), "purge leaves the trainer's data")


def test_container() -> None:
    root = fresh("container")
    image = Containerfile(ROOT / "deploy/container/Containerfile").last_stage()
    image.apply(root, packages=PACKAGES)
    server = InstalledServer(root, image.command, image.user, "/var/lib/spindle/admin-api-key", WORK / "container.log")
    try:
        port = server.client.url.rpartition(":")[2]
        root.run(*image.health_check, user=image.user, variables={"SPINDLE_LISTEN": f"127.0.0.1:{port}"})
        use(server, [])
    finally:
        server.kill()
    try:
        root.run(*image.health_check, user=image.user, variables={"SPINDLE_LISTEN": f"127.0.0.1:{port}"})
    except Failed:
        say("the health check succeeds while the server runs, and fails after that")
    else:
        raise Failed("the health check succeeds without a server")


TESTS = {"deb": test_deb, "service": test_service, "tarball": test_tarball, "container": test_container,
         "trainer": test_trainer}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help="one or more of: " + ", ".join(TESTS))
    names = parser.parse_args().names or [name for name in TESTS if name != "trainer"]
    if unknown := set(names) - set(TESTS):
        parser.error(f"no such test: {', '.join(sorted(unknown))}")
    missing = [tool for tool in ("debootstrap", "systemd-nspawn") if not shutil.which(tool)]
    if os.geteuid() != 0 or missing:
        print(f"the test needs root; missing programs: {', '.join(missing) or 'none'} (scripts/setup.sh package_test)",
              file=sys.stderr)
        return 1
    failed = 0
    for name in names:
        print(f"-- {name}", flush=True)
        try:
            TESTS[name]()
        except (Failed, subprocess.SubprocessError) as problem:
            failed += 1
            print(f"   FAILED: {problem}", flush=True)
    print(f"{len(names) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
