"""A root that systemd boots in a container (systemd-nspawn), to run a unit of a package under the real service manager."""

import os
import pathlib
import re
import signal
import subprocess
import time

from chroot import Chroot, Failed

BOOT_SECONDS = 120
# systemd-nspawn of Debian 12 refuses them unless they are named.
LANDLOCK = "landlock_create_ruleset landlock_add_rule landlock_restrict_self"
PROBE = """[Unit]
Description=Reports a service to the test
After={unit}

[Service]
Type=oneshot
TimeoutStartSec=infinity
ExecStart=/bin/sh -c 'systemctl show {unit} > /test.state; mv /test.state /test.started; \\
  until [ -e /test.stop ]; do sleep 0.1; done; systemctl stop {unit}; systemctl show {unit} > /test.state; \\
  mv /test.state /test.stopped; journalctl --sync'
ExecStopPost=/bin/systemctl poweroff --no-block

[Install]
WantedBy=multi-user.target
"""


class SystemdContainer:
    """Boots the root. The container has the network of this machine, and ends with stop()."""

    def __init__(self, root: Chroot, unit: str, log: pathlib.Path):
        self._root = root
        self._unit = unit
        units = root.file("/etc/systemd/system")
        (units / "test-probe.service").write_text(PROBE.format(unit=unit))
        (units / "multi-user.target.wants").mkdir(exist_ok=True)
        (units / "multi-user.target.wants/test-probe.service").symlink_to("../test-probe.service")
        root.file("/var/log/journal").mkdir(exist_ok=True)
        with log.open("wb") as output:
            self._process = subprocess.Popen(
                ["systemd-nspawn", f"--directory={root.root}", "--boot", "--register=no", "--keep-unit", "--console=pipe",
                 "--quiet", f"--system-call-filter={LANDLOCK}"], stdin=subprocess.DEVNULL, stdout=output, stderr=output)

    def wait_until_active(self) -> None:
        """Waits until systemd has started the service: with `Type=notify`, until the service has reported READY=1."""
        state = self._state("/test.started")
        if state.get("ActiveState") != "active":
            raise Failed(f"{self._unit} is {state.get('ActiveState')}: {state.get('Result')}")

    def url(self, lock_file: str) -> str:
        """Returns the URL that the server wrote into the lock of its data folder."""
        found = re.search(r"https?://[^\s\"]+", self._root.file(lock_file).read_text())
        if not found:
            raise Failed(f"{lock_file} contains no URL")
        return found[0]

    def stop(self) -> dict[str, str]:
        """Stops the service and the container. Returns the properties of the stopped service, if it was started."""
        try:
            if not self._root.file("/test.started").exists():
                return {}
            self._root.file("/test.stop").touch()
            state = self._state("/test.stopped")
            self._process.wait(BOOT_SECONDS)
            return state
        finally:
            if self._process.poll() is None:
                # SIGTERM makes systemd-nspawn end its container at once.
                os.kill(self._process.pid, signal.SIGTERM)
                self._process.wait()

    def journal(self) -> str:
        """Returns the messages of the service."""
        return subprocess.run(["journalctl", f"--directory={self._root.file('/var/log/journal')}", "--output=cat",
                               f"--unit={self._unit}"], check=True, capture_output=True, text=True).stdout

    def _state(self, file: str) -> dict[str, str]:
        path = self._root.file(file)
        limit = time.monotonic() + BOOT_SECONDS
        while not path.exists():
            if self._process.poll() is not None or time.monotonic() > limit:
                raise Failed(f"the container has not written {file} after {BOOT_SECONDS} s, or has ended")
            time.sleep(0.1)
        return dict(line.split("=", 1) for line in path.read_text().splitlines() if "=" in line)
