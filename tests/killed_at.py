"""Run a script in this process, and kill it as soon as something new appears in a folder.

    python -m tests.killed_at FOLDER PATTERN DELAY SCRIPT ARGUMENT …

The process checks at each file that it opens, makes or renames. Another process that polls would miss files that exist
for a few milliseconds, above all on one core.
"""

import os
import runpy
import signal
import sys
import threading

from tests.kills import appears

EVENTS = ("open", "os.mkdir", "os.rename", "os.remove", "os.rmdir")


def main():
    folder, pattern, delay, script, *arguments = sys.argv[1:]
    seen, looking = appears(folder, pattern), threading.Lock()

    def look(event, _):
        if event in EVENTS and looking.acquire(blocking=False):  # looking opens folders too
            if seen():
                timer = threading.Timer(float(delay), os.kill, [os.getpid(), signal.SIGKILL])
                timer.daemon = True
                timer.start()
            else:
                looking.release()

    sys.addaudithook(look)
    sys.argv = [script, *arguments]
    if script.endswith(".py"):
        runpy.run_path(script, run_name="__main__")
    else:
        runpy.run_module(script, run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
