"""Commands other than a training that are killed: the same command then ends with the result of an undisturbed one."""

import hashlib
import io
import json
import os
import random
import shutil
import subprocess
import sys
import threading
import zipfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from tests import skip_reasons, tiny_corpus
from tests.command_line import environment, run
from tests.kills import contents, kill_at, left_behind
from tests.tiny_commands import PREPARE, TUNE, write_some

pytestmark = pytest.mark.slow


# Exports.

EXPORTS = {"ctranslate2": [], "keras": [], "marian": ["--checkpoint", "average"], "savedmodel": ["--ids-only"]}
NEEDS = {"ctranslate2": "ctranslate2", "marian": "safetensors"}


def without_chance(files):
    """Files of an export without what is another each time: TensorFlow's graph, and Keras' date."""
    files = {
        name: content for name, content in files.items() if not name.endswith(("saved_model.pb", "fingerprint.pb"))
    }
    for name in [name for name in files if name.endswith(".keras")]:
        with zipfile.ZipFile(io.BytesIO(files.pop(name))) as archive:
            files |= {f"{name}/{member}": archive.read(member) for member in ("config.json", "model.weights.h5")}
    return files


@pytest.mark.parametrize("name", EXPORTS)
def test_a_killed_export_leaves_nothing_half_and_the_next_one_is_whole(workplace, name):
    pytest.importorskip(NEEDS.get(name, "keras"), reason=skip_reasons.EXPORT)
    command = ["interacting_head.export", "-m", "trained", "--format", name, *EXPORTS[name], "-o"]
    folder = workplace / name
    folder.mkdir()
    result = run(workplace, *command, f"{name}/whole")
    assert result.code == 0, result.errors
    expected, interrupted, draw = contents(folder / "whole"), 0, random.Random(1)

    def is_whole(found):
        return found.keys() == expected.keys() and without_chance(found) == without_chance(expected)

    for number, delay in enumerate((0, draw.uniform(0, 0.1), draw.uniform(0.1, 0.5))):
        output = folder / str(number)
        if kill_at("*.partial-*", delay, folder, workplace, *command, f"{name}/{number}"):
            # The kill may also come after the export is in its place, when only the process has not ended.
            left = {name: content for name, content in contents(output).items() if ".partial-" not in name}
            assert not left or is_whole(left)
            interrupted += not left
            shutil.rmtree(output, ignore_errors=True)
            result = run(workplace, *command, f"{name}/{number}")
            assert result.code == 0, result.errors
        assert is_whole(contents(output))
        assert not left_behind(folder)
    assert interrupted


# A search of hyper-parameters.

SPACE = "size: {model.attention.num_heads: [1, 2]}\n"
MOMENTS = [
    *("search/.partial-*", "search/trials/*=1/config.yaml", "search/trials/*=1/checkpoints/*.npz"),
    *("search/results.csv", "search/trials/*=2/subwords/*", "search/trials/*=2/.partial-*/best*"),
    *("search/trials/*=2/checkpoints/*.npz", "search/.partial-*"),
]


def test_a_search_killed_again_and_again_ends_like_one_that_was_not(tmp_path):
    for name in ("whole", "killed"):
        folder = tmp_path / name
        folder.mkdir()
        tiny_corpus.write_corpus(folder)
        (folder / "tiny.yaml").write_text("model: {attention: {num_heads: 2}}\n")
        (folder / "space.yaml").write_text(SPACE)
    result = run(tmp_path / "whole", *TUNE)
    assert result.code == 0, result.errors
    killed, draw = tmp_path / "killed", random.Random(1)
    kills = [kill_at(pattern, draw.uniform(0, 0.02), killed, killed, *TUNE) for pattern in MOMENTS]
    assert sum(kills) >= 7  # the last one is a matter of milliseconds
    again = run(killed, *TUNE)
    assert (again.code, again.output) == (0, result.output)
    for name in ("results.csv", "best.yaml", "search.json"):
        ours, theirs = ((folder / "search" / name).read_text() for folder in (killed, tmp_path / "whole"))
        assert ours.replace(str(killed), str(tmp_path / "whole")) == theirs, name  # paths of the text are absolute
    assert not left_behind(killed)


# Preparation.


def assert_prepared_alike(folder, expected):
    ours, theirs = (contents(one / "out" / "prepared") for one in (folder, expected))
    records = [json.loads(files.pop("prepare.json")) for files in (ours, theirs)]
    for record in records:
        del record["seconds"]
    assert records[0] == records[1]
    assert ours == theirs


def test_a_killed_preparation_ends_like_one_that_was_not(tmp_path):
    first, second = (write_some(tmp_path / str(pairs), pairs) for pairs in (2000, 2500))
    for folder in (first, second):
        assert run(folder, *PREPARE).code == 0
    killed, draw = write_some(tmp_path / "killed", 2000), random.Random(1)
    parts = ("*/.partial-*/*/source*", "*/.partial-*/*/target.tokenized", "subwords/.partial-*", "encoded/.partial-*")
    kills = 0
    for pattern in [*(f"cache/{part}" for part in parts), "cache/encoded/.partial-*", "out/.partial-*"]:
        kills += kill_at(pattern, draw.uniform(0, 0.01), killed, killed, *PREPARE)
        if (killed / "out" / "prepared").exists():
            assert_prepared_alike(killed, first)
    assert kills >= 4  # the last ones are a matter of milliseconds
    assert run(killed, *PREPARE).code == 0
    assert_prepared_alike(killed, first)
    assert not left_behind(killed)
    # The text has changed: what was prepared is replaced.
    write_some(killed, 2500)
    for pattern in ("cache/*/.partial-*", "out/.partial-*/prepared", "out/.partial-*/former *"):
        kill_at(pattern, 0, killed, killed, *PREPARE)
    assert run(killed, *PREPARE).code == 0
    assert_prepared_alike(killed, second)
    assert not left_behind(killed)


LONG = """
import sys
from data.workers import map_chunks

def same(chunk):
    return chunk

if __name__ == "__main__":
    for number, _ in enumerate(map_chunks(same, range(10_000_000), processes=2)):
        print(number, flush=True)
"""


def test_processes_that_work_for_a_killed_one_end_too(tmp_path):
    (tmp_path / "long.py").write_text(LONG)
    reader, writer = os.pipe()
    command = [sys.executable, str(tmp_path / "long.py")]
    process = subprocess.Popen(command, stdout=writer, env=environment(tmp_path))
    os.close(writer)
    with open(reader, "rb") as pipe:
        pipe.readline()
        process.kill()
        process.wait()
        pipe.read()  # to the end, which comes when the last process that has inherited the pipe has ended


# Downloads.

CONTENT = random.Random(1).randbytes(5_000_000)
FETCH = "import sys; from pathlib import Path; from data.corpora.published import download; "
FETCH += "print(download(sys.argv[1], Path('corpus.tgz')))"


@pytest.fixture
def server(monkeypatch):
    """A server of `CONTENT` that stops after `parts` millions of bytes, says so by `stopped`, and waits."""
    monkeypatch.setenv("no_proxy", "127.0.0.1")

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Length", str(len(CONTENT)))
            self.end_headers()
            parts = self.server.parts
            self.wfile.write(CONTENT[: parts * 1_000_000])
            if parts * 1_000_000 < len(CONTENT):
                self.server.stopped.set()
                self.connection.recv(1)  # until the other side is killed

        def log_message(self, *_):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        server.stopped = threading.Event()
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


def test_a_killed_download_leaves_no_file_and_the_next_one_is_whole(tmp_path, server):
    def fetch(parts):
        server.parts = parts
        server.stopped.clear()
        command = [sys.executable, "-c", FETCH, f"http://127.0.0.1:{server.server_port}"]
        return subprocess.Popen(command, cwd=tmp_path, env=environment(tmp_path), stdout=subprocess.PIPE)

    for parts in range(5):
        process = fetch(parts)
        assert server.stopped.wait(60)
        process.kill()
        process.communicate()
        assert not (tmp_path / "corpus.tgz").exists()
        assert len(left_behind(tmp_path)) == 1
    output, _ = fetch(5).communicate(timeout=60)
    assert output.decode().strip() == hashlib.sha256(CONTENT).hexdigest()
    assert (tmp_path / "corpus.tgz").read_bytes() == CONTENT
    assert not left_behind(tmp_path)
