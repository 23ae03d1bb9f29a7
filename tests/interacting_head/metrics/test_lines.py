"""Reading of lines."""

from interacting_head.metrics.lines import read_lines


def test_lines_end_only_at_line_feeds_and_lose_one_carriage_return(tmp_path):
    path = tmp_path / "text"
    path.write_bytes("a\u2028b\u0085c\x0cd\r\n\n e\r\r\nlast".encode())
    assert read_lines(path) == ["a\u2028b\u0085c\x0cd", "", " e\r", "last"]


def test_a_last_line_feed_begins_no_further_line_but_an_empty_line_is_one(tmp_path):
    path = tmp_path / "text"
    for content, lines in [("", []), ("\n", [""]), ("a\n", ["a"]), ("a\n\n", ["a", ""])]:
        path.write_text(content, encoding="utf-8")
        assert read_lines(path) == lines
