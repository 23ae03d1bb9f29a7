"""A terminal for tests of what people type and see."""

import os
import pty
import select
import signal
import time
from pathlib import Path


def read_until(descriptor, text, found=b"", seconds=300):
    """The text that arrives after what was `found` before, until `text` is in it."""
    deadline = time.monotonic() + seconds
    while text not in found:
        assert select.select([descriptor], [], [], max(0, deadline - time.monotonic()))[0], found
        block = os.read(descriptor, 1000)
        assert block, found
        found += block
    return found


class Terminal:
    """Someone who types: a program on a terminal of its own.

    Args:
        start: a function of streams and options of `subprocess.Popen` that starts the program.
        streams: those that are not the terminal.
    """

    def __init__(self, start, **streams):
        self.screen, inner = pty.openpty()
        streams = {"stdin": inner, "stdout": inner, "stderr": inner, **streams}
        self.process = start(start_new_session=True, **streams)
        os.close(inner)
        self.unread = b""

    def sees(self, text):
        """Wait for a text on the screen, after the one waited for before."""
        self.unread = read_until(self.screen, text.encode(), self.unread).partition(text.encode())[2]

    def types(self, text):
        os.write(self.screen, text.encode())

    def interrupts(self):
        # A signal between Python's look for signals and its wait for a key is noticed only with the next key.
        state = Path(f"/proc/{self.process.pid}/stat")
        while state.exists() and state.read_text().rpartition(")")[2].split()[0] == "R":
            time.sleep(0.01)
        time.sleep(0.1)
        self.process.send_signal(signal.SIGINT)

    def ends(self):
        return self.process.wait(timeout=60)
