"""`interacting-head translate`, from a checkout."""

from interacting_head.commands.translate import main
from interacting_head.console import run

if __name__ == "__main__":
    run(main)
