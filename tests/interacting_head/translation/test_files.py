import subprocess
import sys

from tests.command_line import environment


def test_after_a_long_translation_a_faster_engine_is_pointed_out(tmp_path):
    code = "from interacting_head.translation import files; from tests.echo_engine import Echo, main; "
    code += "files.LONG = -1.0; Echo.faster_engine = lambda *_: 'another'; main()"
    command = [sys.executable, "-c", code, "-m", "nothing", "--engine", "echo"]
    done = subprocess.run(command, cwd=tmp_path, env=environment(tmp_path), input=b"a\n", capture_output=True)
    assert done.stdout == b"a\n"
    summary, hint = done.stderr.decode().splitlines()
    assert summary.startswith("1 sentence in ")
    assert hint == "--engine another would translate the same in less time (docs/translation.md)"
