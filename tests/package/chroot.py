"""A minimal Debian 12 in a folder, made with debootstrap from the package sources of this machine."""

import os
import pathlib
import re
import shutil
import signal
import subprocess

RELEASE = "bookworm"
KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"
# What a package of a person's terminal or build environment must not change.
ENVIRONMENT = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8",
               "DEBIAN_FRONTEND": "noninteractive", "HOME": "/root"}
PROXIES = ("http_proxy", "https_proxy", "no_proxy")


class Failed(Exception):
    """A command or a check failed; the message contains its output."""


def package_sources() -> list[tuple[str, str]]:
    """Returns address and suite of each source of Debian 12 that apt is configured for on this machine."""
    listing = subprocess.run(["apt-get", "indextargets", "--format", "$(REPO_URI) $(SUITE) $(CODENAME) $(COMPONENT)",
                              "Created-By: Packages"], check=True, capture_output=True, text=True).stdout
    found = []
    for line in listing.splitlines():
        uri, _, codename, component = line.split()
        if component == "main" and codename in (RELEASE, f"{RELEASE}-updates", f"{RELEASE}-security"):
            found.append((uri, codename))
    sources = sorted(set(found), key=lambda source: len(source[1]))
    if not sources or sources[0][1] != RELEASE:
        raise Failed(f"apt of this machine has no source of {RELEASE} main")
    return sources


def apt_proxies() -> str:
    """Returns the lines of apt's configuration that name proxies and certificates."""
    dump = subprocess.run(["apt-config", "dump"], check=True, capture_output=True, text=True).stdout
    lines = re.findall(r'^Acquire::https?::(?:\S+::)*(?:Proxy|CAInfo|CaPath) ".+";$', dump, re.MULTILINE)
    return "".join(f"{line}\n" for line in lines)


class Chroot:
    """A root file system. Each command runs in a PID and mount namespace of its own, and ends with it."""

    def __init__(self, root: pathlib.Path):
        self.root = root
        self._environment = {**ENVIRONMENT, **{name: os.environ[name] for name in PROXIES if name in os.environ}}

    def install_debian(self) -> None:
        """Installs the packages that every Debian has, and no others."""
        sources = package_sources()
        self.root.mkdir(parents=True)
        with (self.root.parent / f"{self.root.name}.log").open("w") as log:
            done = subprocess.run(["debootstrap", "--variant=minbase", f"--keyring={KEYRING}", RELEASE, self.root,
                                   sources[0][0]], check=False, stdout=log, stderr=subprocess.STDOUT)
        if done.returncode != 0:
            raise Failed(f"debootstrap failed; see {log.name}")
        lines = [f"deb [signed-by={KEYRING}] {uri} {suite} main\n" for uri, suite in sources]
        (self.root / "etc/apt/sources.list").write_text("".join(lines))
        (self.root / "etc/apt/apt.conf.d/90proxies").write_text(apt_proxies())
        for file in ("etc/resolv.conf", "etc/hosts"):
            shutil.copyfile(f"/{file}", self.root / file)
        self.run("apt-get", "update")

    def copy_to(self, other: pathlib.Path) -> "Chroot":
        subprocess.run(["cp", "--archive", "--reflink=auto", self.root, other], check=True)
        return Chroot(other)

    def command(self, *command: str, user: str | None = None) -> list[str]:
        """Returns the command line that runs a command in the root, as root or as another user."""
        ids = ["setpriv", *self._ids(user), "--init-groups", "--no-new-privs"] if user else []
        return ["unshare", "--mount", "--pid", "--fork", "--kill-child", "--root", str(self.root), "--mount-proc",
                *ids, *command]

    def _ids(self, user: str) -> list[str]:
        """Returns the options of setpriv for a user, by name or number, and its group."""
        for line in self.file("/etc/passwd").read_text().splitlines():
            name, _, uid, gid = line.split(":")[:4]
            if user in (name, uid):
                return ["--reuid", uid, "--regid", gid]
        raise Failed(f"the root has no user {user}")

    def run(self, *command: str, user: str | None = None, variables: dict[str, str] | None = None) -> str:
        """Runs a command that must succeed and returns its output."""
        done = subprocess.run(self.command(*command, user=user), check=False, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, text=True, errors="replace",
                              env={**self._environment, **(variables or {})})
        if done.returncode != 0:
            raise Failed(f"{' '.join(command)} ended with status {done.returncode}:\n{done.stdout[-4000:]}")
        return done.stdout

    def start(self, *command: str, log: pathlib.Path, user: str | None = None,
              variables: dict[str, str] | None = None) -> "Process":
        with log.open("wb") as output:
            process = subprocess.Popen(self.command(*command, user=user), stdout=subprocess.DEVNULL, stderr=output,
                                       stdin=subprocess.DEVNULL, env={**self._environment, **(variables or {})})
        return Process(process, log)

    def file(self, path: str) -> pathlib.Path:
        return self.root / path.lstrip("/")


class Process:
    """A program that runs in a root as process 1 of its namespace, which ends with it."""

    def __init__(self, process: subprocess.Popen, log: pathlib.Path):
        self._process = process
        self._log = log

    def output(self) -> str:
        return self._log.read_text(errors="replace")

    def is_running(self) -> bool:
        return self._process.poll() is None

    def program_id(self) -> int:
        """Returns the process id, seen from here, of the program itself."""
        children = pathlib.Path(f"/proc/{self._process.pid}/task/{self._process.pid}/children").read_text().split()
        return int(children[0])

    def terminate(self, seconds: float) -> int:
        """Sends SIGTERM to the program and returns its exit status."""
        os.kill(self.program_id(), signal.SIGTERM)
        return self._process.wait(seconds)

    def kill(self) -> None:
        if self.is_running():
            self._process.kill()
            self._process.wait()
