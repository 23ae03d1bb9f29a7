"""A log that nobody can flood: of records that are alike only some are kept."""

import logging
import time

LOGGERS = ("uvicorn.error", "asyncio")
ALIKE = 10  # records a period
PERIOD = 60  # seconds


class FewAlike(logging.Filter):
    """Let the first `ALIKE` records of a period through whose first lines are alike.

    Args:
        clock: a function that gives the time in seconds.
    """

    def __init__(self, clock=time.monotonic):
        super().__init__()
        self._clock, self._begun, self._counts = clock, clock(), {}

    def filter(self, record):
        """Return whether a record is kept; the last one of its kind that is says that more are not."""
        if self._clock() - self._begun >= PERIOD:
            self._begun, self._counts = self._clock(), {}
        kind = (record.name, str(record.msg).partition("\n")[0])
        count = self._counts[kind] = self._counts.get(kind, 0) + 1
        if count == ALIKE:
            record.msg = f"{record.msg} (more of these are left out for up to {PERIOD} seconds)"
        return count <= ALIKE


def limit_log():
    """Keep the log of the server short, whatever clients do."""
    few = FewAlike()
    for name in LOGGERS:
        logging.getLogger(name).addFilter(few)
