"""The server in a process of its own, and its page in a browser."""

import contextlib
import json
import re
import signal
import socket
import time
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.command_line import run, start

pytestmark = pytest.mark.slow

MODULE = "interacting_head.serve"
SCRIPT = '<script>alert(1)</script><img src=x onerror="alert(2)">'
LONG = "der hund sieht das haus. " * 200  # 5,000 characters
JSON = b"Content-Type: application/json\r\n"


@pytest.fixture(scope="module")
def address(workplace):
    process = start(workplace, MODULE, "-m", "trained", "--port", "0")
    line = process.stdout.readline().decode()
    assert line.startswith("http://127.0.0.1:"), (line, process.communicate())
    yield line.split()[0].rstrip("/")
    process.send_signal(signal.SIGINT)
    output, errors = process.communicate(timeout=60)
    assert (process.returncode, output, errors) == (0, b"", b"")  # nothing went wrong, and Ctrl-C ends it


def post(url, **body):
    request = urllib.request.Request(url, json.dumps(body).encode(), {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=120) as response:
        return json.load(response)


def test_fifty_concurrent_requests_each_get_their_own_answer(address):
    sources = [f"der hund sieht {'das haus ' * (number % 7)}." for number in range(50)]
    alone = {source: post(f"{address}/translate", text=source) for source in set(sources)}
    with ThreadPoolExecutor(50) as pool:
        answers = list(pool.map(lambda source: post(f"{address}/translate", text=source), sources))
    for source, answer in zip(sources, answers, strict=True):
        assert answer["lines"][0]["source"] == source
        [best], [expected] = answer["lines"][0]["translations"], alone[source]["lines"][0]["translations"]
        assert best["translation"] == expected["translation"]
        assert best["score"] == pytest.approx(expected["score"], abs=1e-4)


def test_5000_characters_of_one_line_or_of_many_are_translated(address):
    assert len(LONG) == 5000
    assert post(f"{address}/translate", text=LONG)["lines"][0]["source"] == LONG
    many = "\n".join([LONG[:49]] * 100)
    assert len(post(f"{address}/translate", text=many)["lines"]) == 100


@pytest.mark.parametrize("path", ["/../config.yaml", "/..%2f..%2fconfig.yaml", "//etc/passwd", "/page/../service.py"])
def test_no_path_leads_to_another_file(address, path):
    host, port = address.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=60) as connection:
        connection.sendall(f"GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode())
        answer = b"".join(iter(lambda: connection.recv(2**16), b""))
    assert answer.startswith(b"HTTP/1.1 404 ")
    assert answer.endswith(b'{"error":"Not Found"}')


def test_a_request_for_a_foreign_host_name_is_refused(address):
    request = urllib.request.Request(f"{address}/model", headers={"Host": "evil.example"})
    with pytest.raises(urllib.error.HTTPError, match="421"):
        urllib.request.urlopen(request, timeout=60)


def test_a_public_address_is_warned_about_and_sigint_ends_the_server(workplace):
    process = start(workplace, MODULE, "-m", "trained", "--port", "0", "--host", "0.0.0.0")
    address = process.stdout.readline().decode().split()[0].rstrip("/").replace("0.0.0.0", "127.0.0.1")
    with ThreadPoolExecutor(1) as pool:
        pending = pool.submit(post, f"{address}/translate", text=LONG, beam_size=16)
        while not pending.running():
            time.sleep(0.01)
        time.sleep(0.2)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
        assert process.returncode == 0
        pending.exception(timeout=60)  # answered or not
    assert errors.decode().startswith("warning: anyone on other machines can reach http://0.0.0.0:")
    assert b"Traceback" not in errors


def test_sigterm_lets_the_server_answer_what_has_come_and_then_end(workplace):
    process = start(workplace, MODULE, "-m", "trained", "--port", "0")
    address = process.stdout.readline().decode().split()[0].rstrip("/")
    with ThreadPoolExecutor(3) as pool, socket.create_connection(address.removeprefix("http://").split(":")) as half:
        half.sendall(b"POST /translate HTTP/1.1\r\nHost: localhost\r\n" + JSON + b"Content-Length: 9\r\n\r\n{")
        # A beam size that is new takes some seconds, for which the others wait.
        pending = [pool.submit(post, f"{address}/translate", text="der hund", beam_size=size) for size in (5, 6, 7)]
        with urllib.request.urlopen(f"{address}/health", timeout=60) as response:
            waiting = json.load(response)["waiting"]
        while waiting < 2 and not pending[0].done():
            with urllib.request.urlopen(f"{address}/health", timeout=60) as response:
                waiting = json.load(response)["waiting"]
        process.send_signal(signal.SIGTERM)
        assert [one.result(timeout=120)["lines"][0]["source"] for one in pending] == ["der hund"] * 3
        output, errors = process.communicate(timeout=120)
    assert (process.returncode, output, errors) == (0, b"", b"")


def test_slow_and_leaving_clients_do_not_delay_others(address):
    place = address.removeprefix("http://").split(":")
    head = (
        "POST /translate HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 900\r\n\r\n"
    )
    with contextlib.ExitStack() as stack:
        slow = [stack.enter_context(socket.create_connection(place)) for _ in range(100)]
        for byte in range(20):
            for number, connection in enumerate(slow):
                connection.sendall(head[byte : byte + 1].encode() if number % 2 or byte else head.encode() + b"{")
            with socket.create_connection(place) as leaving:
                body = json.dumps({"text": "der hund sieht das haus."})
                leaving.sendall(f"{head.replace('900', str(len(body)))}{body}".encode())
            assert post(f"{address}/translate", text="der hund")["lines"][0]["source"] == "der hund"


def test_wrong_options_of_the_server_are_an_error_of_one_line(workplace, tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        cases = [
            (["-m", "nothing"], "nothing is not a run directory"),
            (["-m", "trained", "--checkpoint", "step-7"], "step-7"),
            (["-m", "trained", "--port", port], f"cannot listen on 127.0.0.1 port {port}: Address already in use"),
            (["-m", "trained", "--port", "70000"], "--port must be from 0 to 65535, got 70000"),
            (
                ["-m", "x", "--max-source-length", "0"],
                "--max-source-length must be a whole number of at least 1, got 0",
            ),
            (["-m", "trained", "--host", "no host"], "--host no host is not a local address"),
        ]
        for arguments, message in cases:
            result = run(workplace, MODULE, *arguments)
            assert (result.code, result.output) == (2, "")
            assert result.errors.startswith("error: ")
            assert result.errors.count("\n") == 1
            assert message in result.errors


@pytest.fixture
def page(browser, address):
    page = browser.new_page()
    page.set_default_timeout(120_000)
    wrong = []
    page.on("console", lambda message: wrong.append(message.text) if is_wrong(message) else None)
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("dialog", lambda dialog: (wrong.append(dialog.message), dialog.dismiss()))
    page.goto(address)
    page.wait_for_selector("#description:has-text('trained')")
    yield page
    assert wrong == []
    page.close()


def is_wrong(message):
    """Return whether the browser complains of something other than a refusal, which it reports too."""
    return message.type in ("error", "warning") and "status of 4" not in message.text


def translate(page, text):
    page.fill("#text", text)
    page.click("#translate")
    page.wait_for_selector("#translate:enabled")


def drawn(page):
    """The pixels of the heat map, as text."""
    return page.evaluate("document.getElementById('attention').toDataURL()")


def select(page, choice, value):
    before = drawn(page)
    page.select_option(f"#{choice}", value)
    page.wait_for_function("before => document.getElementById('attention').toDataURL() !== before", arg=before)


def test_the_page_translates_and_shows_scores(page):
    translate(page, "der hund sieht das haus.\n\nder alte mann kauft ein haus.")
    lines = page.locator(".line")
    assert lines.count() == 3
    assert lines.nth(0).locator(".translation").count() == 3  # the run's beam size
    assert lines.nth(1).inner_text().strip().startswith("(empty line)")
    scores = [float(score) for score in lines.nth(0).locator(".score").all_inner_texts()]
    assert scores == sorted(scores, reverse=True)
    assert page.locator("input[name=translation]:checked").count() == 1


def test_the_page_shows_the_layer_and_the_head_that_are_chosen(page):
    translate(page, "der hund sieht das haus.")
    page.wait_for_selector("#heads button")
    assert page.locator("#heads button").count() == 2
    assert re.fullmatch(
        r"Mean of the heads: distance \d+\.\d\d positions, entropy \d\.\d\d nats", page.inner_text("#measures")
    )
    seen = {drawn(page)}
    for choice, value in (("head", "0"), ("head", "1"), ("site", "encoder"), ("site", "decoder"), ("head", "0")):
        select(page, choice, value)
        seen.add(drawn(page))
    assert len(seen) == 6
    page.click("#heads button >> nth=1")
    assert page.input_value("#head") == "1"
    assert page.inner_text("#measures").startswith("Distance ")
    page.focus("#site")
    for _ in range(3):  # to the heat map by keyboard alone
        page.keyboard.press("Tab")
    page.keyboard.press("ArrowDown")
    assert page.inner_text("#tooltip").count("→") == 1
    page.keyboard.press("Escape")
    assert not page.is_visible("#tooltip")


def test_tags_in_the_text_are_text(page):
    translate(page, SCRIPT)
    assert page.locator(".source").all_inner_texts() == [SCRIPT]
    assert page.locator("main script, main img").count() == 0
    page.wait_for_selector("#heads button")


def test_the_page_takes_5000_characters_and_says_what_is_too_long(page):
    translate(page, LONG)
    assert page.inner_text("#counter") == "5,000 / 5,000 characters"
    assert page.locator(".source").count() == 1
    page.wait_for_selector("#attention-error:has-text('Attention is shown for up to 256 sub-words')", state="visible")
    translate(page, LONG + "!")
    assert "at most 5000 characters" in page.inner_text("#error")
    translate(page, " ")
    assert page.inner_text("#error") == "Enter some text to translate."
    translate(page, "der hund")
    assert not page.is_visible("#error")
