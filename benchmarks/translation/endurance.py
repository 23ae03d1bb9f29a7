"""RAM and correct answers of the web server during minutes of load, while slow clients hold connections.

The server runs in a child process. Each client in this process repeatedly sends a line and compares the answer with the
answer to that line alone. Slow clients send one byte per second, and reconnect when the server closes the connection.
"""

import asyncio
import contextlib
import json
import tempfile
import time
from pathlib import Path

import numpy as np

from benchmarks import results
from benchmarks.pipeline_speed import resident_bytes
from benchmarks.translation.serving import answer, head, serving
from data.text.parallel_text import decode_lines, open_text_file
from interacting_head.console import RunError

LINES = 200  # sent repeatedly
SAMPLES = 60  # of the RAM, at even intervals
SLOW = 50  # number of slow clients
PARTS = 10  # of the time, one for each row of the table


def add_arguments(parser):
    parser.add_argument("--model", required=True, metavar="RUN_DIR", help="run directory of train.py")
    parser.add_argument("--input", required=True, metavar="FILE", help=f"sentences; the first {LINES} are used")
    parser.add_argument("--clients", type=int, default=200, metavar="N", help="parallel clients; default: 200")
    parser.add_argument("--minutes", type=float, default=10, metavar="M", help="duration; default: 10")
    output_help = "result file; default: benchmarks/results/server_endurance.json"
    parser.add_argument("--output", metavar="FILE", help=output_help)


def main(arguments):
    with open_text_file(arguments.input) as file:
        lines = [line for line in decode_lines(file, arguments.input) if line.strip()][:LINES]
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "log"
        with serving(arguments.model, "keras", log) as (port, process):
            load = Load(port, process, lines, arguments.clients, arguments.minutes * 60)
            asyncio.run(load.run())
        logged = log.read_text(encoding="utf-8")
    rows = load.rows()
    rows[-1] |= {"tracebacks": logged.count("Traceback"), "log lines": len(logged.splitlines())}
    for row in rows:
        print(", ".join(f"{name} {value:.4g}" for name, value in row.items() if value is not None), flush=True)
    measured = ["RAM, MiB", "requests", "wrong", "refused", "p50, s", "p95, s", "largest, s", "slow left"]
    views = [
        {
            "caption": "Minutes of load, up to each minute",
            "index": ["minute"],
            "values": measured,
            "digits": {"minute": 1, "RAM, MiB": 0},
        }
    ]
    conditions = {
        "what": f"{arguments.clients} clients for {arguments.minutes:g} minutes, one of {len(lines)} lines a request; "
        "server and clients share the cores",
        "slow": f"{SLOW} further clients send a byte a second; slow left: connections that the server has ended",
        "RAM": "resident memory of the server, the largest of the samples of each part",
        "wrong": "answers that differ from the answer to the line alone",
        "log of those minutes": f"{rows[-1]['tracebacks']} tracebacks, {rows[-1]['log lines']} lines",
    }
    results.write("server_endurance", "server", rows, views, conditions, arguments.output)


class Load:
    """Clients that send `lines` to a server for some seconds, and their observations."""

    def __init__(self, port, process, lines, clients, seconds):
        self.port, self.process, self.lines, self.clients, self.seconds = port, process, lines, clients, seconds
        self.expected = []
        self.answers, self.left, self.memory = [], [], []

    async def run(self):
        """Send each line by itself, and then random lines from all clients until the time is over."""
        reader, writer = await self._connection()
        for line in self.lines:
            status, body = await answer(reader, writer, line)
            if status != 200:
                raise RunError(f"the server answered with {status} to a line by itself")
            self.expected.append(translation(body))
        writer.close()
        self.began = time.perf_counter()
        slow = [asyncio.create_task(self._slow_client()) for _ in range(SLOW)]
        watch = asyncio.create_task(self._watch())
        await asyncio.gather(*(self._client(number) for number in range(self.clients)))
        for task in (*slow, watch):
            task.cancel()
        await asyncio.gather(*slow, watch, return_exceptions=True)
        self.memory.append((self._time(), resident_bytes(self.process)))

    def rows(self):
        """Return a row for each part of the time."""
        rows, length = [], self.seconds / PARTS
        for part in range(PARTS):
            answers, left, memory = (
                [one for one in seen if min(int(one[0] / length), PARTS - 1) == part]
                for seen in (self.answers, self.left, self.memory)
            )
            taken = [seconds for _, status, seconds, _ in answers if status == 200] or [float("nan")]
            rows.append(
                {
                    "minute": (part + 1) * length / 60,
                    "RAM, MiB": max(size for _, size in memory) / 2**20 if memory else None,
                    "requests": sum(status == 200 for _, status, _, _ in answers),
                    "wrong": sum(not right for _, status, _, right in answers if status == 200),
                    "refused": sum(status == 503 for _, status, _, _ in answers),
                    "p50, s": float(np.median(taken)),
                    "p95, s": float(np.percentile(taken, 95)),
                    "largest, s": max(taken),
                    "slow left": len(left),
                }
            )
        return rows

    def _time(self):
        return time.perf_counter() - self.began

    async def _connection(self):
        return await asyncio.open_connection("127.0.0.1", self.port)

    async def _client(self, number):
        reader, writer = await self._connection()
        draw = np.random.default_rng(number)
        while (started := self._time()) < self.seconds:
            line = int(draw.integers(len(self.lines)))
            status, body = await answer(reader, writer, self.lines[line])
            if status not in (200, 503):
                raise RunError(f"the server answered with {status}: {body.decode()}")
            right = status == 200 and translation(body) == self.expected[line]
            self.answers.append((started, status, self._time() - started, right))
        writer.close()

    async def _slow_client(self):
        body = json.dumps({"text": self.lines[0]}).encode()
        while True:
            _, writer = await self._connection()
            with contextlib.suppress(ConnectionError):
                for byte in head(len(body)) + body:
                    writer.write(bytes([byte]))
                    await writer.drain()
                    await asyncio.sleep(1)
                continue
            self.left.append((self._time(),))

    async def _watch(self):
        while True:
            self.memory.append((self._time(), resident_bytes(self.process)))
            await asyncio.sleep(self.seconds / SAMPLES)


def translation(body):
    """Return the best translation of the line in the body of an answer."""
    return json.loads(body)["lines"][0]["translations"][0]["translation"]
