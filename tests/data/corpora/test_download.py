import hashlib
import os
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from data.corpora.published import download
from data.errors import InputError

CONTENT = os.urandom(3_000_000)
SHA256 = hashlib.sha256(CONTENT).hexdigest()


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        if self.path == "/missing":
            self.send_error(404)
            return
        if "Python" in self.headers["User-Agent"]:
            self.send_error(406)
            return
        self.send_response(200)
        if self.path != "/without-length":
            self.send_header("Content-Length", str(len(CONTENT)))
        self.end_headers()
        self.wfile.write(CONTENT[: 1000 if self.path == "/cut-short" else None])

    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def server():
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch):
    monkeypatch.setenv("no_proxy", "127.0.0.1")


@pytest.mark.parametrize("path", ["/file", "/without-length"])
def test_a_file_is_fetched_and_its_checksum_returned(tmp_path, server, path):
    target = tmp_path / "new folder" / "file.gz"
    assert download(server + path, target, SHA256) == SHA256
    assert target.read_bytes() == CONTENT
    assert os.listdir(target.parent) == ["file.gz"]


def test_a_file_address_works(tmp_path):
    (tmp_path / "published").write_bytes(CONTENT)
    assert download((tmp_path / "published").as_uri(), tmp_path / "copy") == SHA256
    assert (tmp_path / "copy").read_bytes() == CONTENT


def test_another_checksum_is_an_error_and_leaves_nothing_behind(tmp_path, server):
    with pytest.raises(InputError, match=f"SHA-256 {SHA256} where {'0' * 64} is expected"):
        download(f"{server}/file", tmp_path / "file.gz", "0" * 64)
    assert list(tmp_path.iterdir()) == []


def test_another_checksum_keeps_an_older_file(tmp_path, server):
    (tmp_path / "file.gz").write_bytes(b"older")
    with pytest.raises(InputError):
        download(f"{server}/file", tmp_path / "file.gz", "0" * 64)
    assert (tmp_path / "file.gz").read_bytes() == b"older"
    assert os.listdir(tmp_path) == ["file.gz"]


def test_a_transfer_cut_short_is_an_error_even_without_a_checksum(tmp_path, server):
    with pytest.raises(InputError, match=r"1,000 of 3,000,000 bytes|could not download"):
        download(f"{server}/cut-short", tmp_path / "file.gz")
    assert list(tmp_path.iterdir()) == []


def test_a_missing_file_is_an_error(tmp_path, server):
    with pytest.raises(InputError, match=r"could not download .*/missing: Not Found"):
        download(f"{server}/missing", tmp_path / "file.gz")
    assert list(tmp_path.iterdir()) == []


def test_a_server_that_does_not_answer_is_an_error(tmp_path):
    with pytest.raises(InputError, match="could not download"):
        download("http://127.0.0.1:9/file", tmp_path / "file.gz")
    assert list(tmp_path.iterdir()) == []
