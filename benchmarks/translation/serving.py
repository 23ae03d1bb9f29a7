"""The web server under load: concurrent clients with one line per request, for every engine.

Each server runs in a child process; the clients in this process send their next request when they have an answer. The
largest number of clients is measured a second time together with connections that never finish a request and clients
that disconnect in the middle of one.
"""

import asyncio
import contextlib
import json
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from benchmarks import results
from benchmarks.translation.speed import ENGINES, exported
from data.text.parallel_text import decode_lines, open_text_file
from interacting_head.console import RunError, importing_keras

CLIENTS = (1, 10, 50, 200)
HALF_OPEN = 100
LEAVING = 20
ROOT = Path(__file__).parents[2]


def add_arguments(parser):
    parser.add_argument("--model", required=True, metavar="RUN_DIR", help="run directory of train.py")
    parser.add_argument("--input", required=True, metavar="FILE", help="sentences to translate")
    parser.add_argument("--clients", type=int, nargs="+", default=list(CLIENTS), metavar="N", help="at a time")
    parser.add_argument("--seconds", type=float, default=20, metavar="S", help="of each load; default: 20")
    parser.add_argument("--engines", nargs="+", choices=tuple(ENGINES), default=list(ENGINES), help="default: all")
    parser.add_argument("--beam-size", type=int, default=4, metavar="N")
    parser.add_argument("--output", metavar="FILE", help="default: benchmarks/results/serving.json")


def main(arguments):
    with open_text_file(arguments.input) as file:
        lines = [line for line in decode_lines(file, arguments.input) if line.strip()]
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        with importing_keras():
            models = exported(arguments, Path(folder))
        for name in arguments.engines:
            with serving(models[name], ENGINES[name][0], Path(folder) / "log") as (port, _):
                rows += measure(name, port, lines, arguments)
            logged = (Path(folder) / "log").read_text()
            rows[-1]["log"] = f"{logged.count('Traceback')} tracebacks, {len(logged.splitlines())} lines"
    views = [
        {
            "caption": "Requests a second, and the 95th percentile of the seconds to an answer",
            "where": {"part": "load"},
            "index": ["engine", "half-open"],
            "columns": "clients",
            "values": ["requests/s", "p95, s"],
            "digits": {"requests/s": 1},
        }
    ]
    conditions = {
        "what": f"one line a request, beam {arguments.beam_size}, {arguments.seconds:g} seconds of each load; server "
        "and clients share the cores",
        "half-open": f"{HALF_OPEN} connections that have begun a request; {LEAVING} more leave in the midst of theirs",
        "refused requests (503)": sum(row["refused"] for row in rows),
        "log of the server": "; ".join(f"{row['engine']} {row['log']}" for row in rows if "log" in row),
    }
    results.write("serving", "server", rows, views, conditions, arguments.output)


@contextlib.contextmanager
def serving(model, engine, log):
    """Start a server in a child process, its standard error in a file; yield its port and process id."""
    command = [sys.executable, "-m", "interacting_head.serve", "-m", Path(model).resolve(), "--engine", engine]
    command += ["--port", "0"]
    with open(log, "w", encoding="utf-8") as errors:
        process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=errors, text=True)
    try:
        address = process.stdout.readline()
        if not address:
            raise RunError(f"the server did not start: {Path(log).read_text(encoding='utf-8')}")
        yield int(address.split("/")[2].rpartition(":")[2]), process.pid
    finally:
        process.send_signal(signal.SIGINT)
        process.wait()


def measure(name, port, lines, arguments):
    """Return rows of one engine."""
    rows = []
    for clients, half_open in [*((clients, 0) for clients in arguments.clients), (max(arguments.clients), HALF_OPEN)]:
        limits = arguments.seconds, arguments.beam_size
        seconds, answered, refused = asyncio.run(load(port, lines, clients, half_open, *limits))
        rows.append(
            {
                "part": "load",
                "engine": name,
                "clients": clients,
                "half-open": half_open,
                "requests/s": answered / arguments.seconds,
                "median, s": float(np.median(seconds)),
                "p95, s": float(np.percentile(seconds, 95)),
                "refused": refused,
            }
        )
        print(f"{name}, {clients} clients: {rows[-1]['requests/s']:.1f} requests/s", flush=True)
    return rows


async def load(port, lines, clients, half_open, seconds, beam_size):
    """Return the seconds to each answer to concurrent clients, who begin no request after `seconds`.

    Also return how many answers came within that time, and the number of refused requests.
    """
    taken, answered, refused, idle = [], 0, 0, []

    async def client(number):
        nonlocal answered, refused
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        while time.perf_counter() < end:
            number += 1
            started = time.perf_counter()
            status, _ = await answer(reader, writer, lines[number % len(lines)], beam_size)
            if status == 200:
                taken.append(time.perf_counter() - started)
                answered += time.perf_counter() <= end
            elif status == 503:
                refused += 1
            else:
                raise RunError(f"the server answered with {status}")
        writer.close()

    for number in range(half_open + (LEAVING if half_open else 0)):
        _, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(head(100)[: 40 if number < half_open else None] + b"{" * (number >= half_open))
        await writer.drain()
        if number < half_open:
            idle.append(writer)
        else:
            await asyncio.sleep(0.01)
            writer.close()
    end = time.perf_counter() + seconds
    # Neighbours begin far apart in the text.
    await asyncio.gather(*(client(number * 37) for number in range(clients)))
    for writer in idle:
        writer.close()
    return taken, answered, refused


async def answer(reader, writer, line, beam_size=None):
    """The status and the body of the answer to one request."""
    body = json.dumps({"text": line} | ({} if beam_size is None else {"beam_size": beam_size})).encode()
    writer.write(head(len(body)) + body)
    received = await reader.readuntil(b"\r\n\r\n")
    fields = dict(field.lower().split(b": ", 1) for field in received.split(b"\r\n")[1:-2])
    return int(received.split()[1]), await reader.readexactly(int(fields[b"content-length"]))


def head(length):
    """Return the head of a request with a body of a given length."""
    fields = f"Host: localhost\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n"
    return f"POST /translate HTTP/1.1\r\n{fields}".encode()
