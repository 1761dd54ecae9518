# SPDX-License-Identifier: Apache-2.0
"""Commands, run with a limit of time."""
import os
import re
import signal
import subprocess

LIMIT_S = 120  # many times what a command takes


class Step:
    """What a command did."""

    def __init__(self, command, folder, limit=LIMIT_S):
        # A process group of its own, so that the limit ends all that the command started.
        process = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   stdin=subprocess.DEVNULL, start_new_session=True)
        self.timed_out = False
        try:
            self.out, self.err = process.communicate(timeout=limit)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            self.out, self.err = process.communicate()
            self.timed_out = True
        self.code = process.returncode

    @property
    def crashed(self):
        return self.timed_out or self.code < 0 or self.code > 4 or b"RL-X00" in self.err

    def codes(self):
        return re.findall(r"\[(RL-\w\d\d)\]", (self.err + self.out).decode(errors="replace"))

    def tail(self):
        return (self.err + self.out).decode(errors="replace")[-3000:]
