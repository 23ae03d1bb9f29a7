"""`interacting-head evaluate`, from a checkout."""

from interacting_head.commands.evaluate import main
from interacting_head.console import run

if __name__ == "__main__":
    run(main)
