"""`interacting-head train`, from a checkout."""

from interacting_head.commands.train import main
from interacting_head.console import run

if __name__ == "__main__":
    run(main)
