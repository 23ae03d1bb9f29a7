"""The load of the benchmark of the server, on a stand-in for it."""

import asyncio

from benchmarks.translation import serving


def loaded(statuses, clients, seconds=0.5):
    """The result of a load on a server that gives these statuses in turn."""
    given = []

    async def answer(reader, writer):
        try:
            while True:
                received = await reader.readuntil(b"\r\n\r\n")
                fields = dict(line.lower().split(b": ", 1) for line in received.split(b"\r\n")[1:-2])
                await reader.readexactly(int(fields[b"content-length"]))
                given.append(statuses[len(given) % len(statuses)])
                writer.write(b"HTTP/1.1 %d x\r\ncontent-length: 2\r\n\r\n{}" % given[-1])
                await asyncio.sleep(0.001)
        except asyncio.IncompleteReadError:
            writer.close()

    async def run():
        server = await asyncio.start_server(answer, "127.0.0.1", 0)
        async with server:
            return await serving.load(server.sockets[0].getsockname()[1], ["a", "b"], clients, 0, seconds, beam_size=1)

    return asyncio.run(run()), given


def test_a_load_counts_the_answers_within_its_time_and_refusals():
    (taken, answered, refused), given = loaded([200, 503, 200], clients=3)
    assert taken
    assert refused
    assert len(taken) == given.count(200)
    assert refused == given.count(503)
    assert len(taken) - 3 <= answered <= len(taken)  # each client may get one answer later
