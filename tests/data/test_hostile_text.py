"""Text, plain and compressed, in every format that is read, as strangers may write it."""

import gzip
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data.readers import read_help_pages, read_plain, read_sgm, read_table, read_talks, read_xml
from data.text import parallel_text
from data.text.parallel_text import ParallelText
from data.text.profiles import Preprocessor
from data.text.subwords import Subwords
from data.text.truecasing import Truecaser
from interacting_head.analysis.alignment import read_gold
from interacting_head.metrics.yisi import load_embedder
from tests.data.readers.samples import SGM_DE, SGM_EN, TALKS_DE, TALKS_EN, XML_DE, XML_EN
from tests.hostile import attempts, changed, changed_or_any, changes, few_and_many, many, refusal

WORDS = b"3 2\nein 0.5 -1\nhaus 1e-3 2\n<unk> 0 0\n"
VECTORS = [WORDS, b"2 2\nein 1234abcdhaus efgh5678", gzip.compress(WORDS)]
TRUECASES = "haus (3/4) Haus (1)\nder (12/12)\n"
LINKS = "0-0 1?2 3p4\n\n2-2\n"
PAGE = (
    '<html><body><p id="par_id1">Ein <b>langer</b> Satz &amp; mehr</p><!-- x --><img src="x">'
    '<span class="MAC">Befehl</span><h1 id="hd_2">Noch eine Überschrift hier</h1></body></html>\n'
)
READERS = {
    "plain": (read_plain, "eins\nzwei\n", "one\ntwo\n"),
    "talks": (partial(read_talks, titles=True), TALKS_DE, TALKS_EN),
    "xml": (read_xml, XML_DE, XML_EN),
    "sgm": (read_sgm, SGM_DE, SGM_EN),
    "table": (lambda path, _: read_table(path, ("de", "en"), null=["-"], escaped=True), "de\ten\nja\tyes&apos;\n", ""),
    "numbered table": (lambda path, _: read_table(path, (0, 2), separator="|"), "ja\t1\tyes | no\n", ""),
    "parallel": (lambda *paths: ParallelText(*paths).pairs(), "eins\nzwei\n", "one\ntwo\n"),
}


def read_all(read, *paths):
    for _ in read(*paths):
        pass


def vectors(path):
    embedder = load_embedder(path)
    embedder.prepare(["ein haus x"])
    return embedder.vectors(["ein haus x"])


@few_and_many
@pytest.mark.parametrize("name", READERS)
def test_readers_give_lines_or_one_line_of_error(tmp_path, name, examples):
    read, left, right = READERS[name]

    @attempts(examples)
    @given(changed_or_any(left, right, left.encode("utf-16")), st.booleans(), st.none() | changes)
    def attempt(content, is_first, damage):
        paths = tmp_path / "a.gz", tmp_path / "b"
        compressed = gzip.compress(content if is_first else left.encode(), 1)
        paths[0].write_bytes(compressed if damage is None else changed(compressed, damage))
        paths[1].write_bytes(right.encode() if is_first else content)
        refusal(read_all, read, *paths)

    attempt()


FILES = {
    "truecasers": (Truecaser.load, [TRUECASES, f"haus ({'9' * 5000}) x (٣)\n"]),
    "links": (read_gold, [LINKS, f"{'9' * 5000}-1\n"]),
    "word vectors": (vectors, [*VECTORS, b"1 99999999999999\nx 1\n", b"9" * 98 + b" 1\n", b"1 1\nx 1e99\n"]),
}


@few_and_many
@pytest.mark.parametrize("name", FILES)
def test_files_of_words_are_read_or_refused(tmp_path, name, examples):
    read, valid = FILES[name]

    @attempts(examples)
    @given(changed_or_any(*valid) | st.sampled_from([v if isinstance(v, bytes) else v.encode() for v in valid]))
    def attempt(content):
        (tmp_path / "file").write_bytes(content)
        refusal(read, tmp_path / "file")

    attempt()


@few_and_many
def test_help_pages_are_read_or_refused(tmp_path, examples):
    pages = [tmp_path / side / "help" / side / "text" / "a.html" for side in ("de", "en")]
    for page in pages:
        page.parent.mkdir(parents=True)
        page.write_text(PAGE)

    @attempts(examples)
    @given(changed_or_any(PAGE))
    def attempt(content):
        pages[0].write_bytes(content)
        refusal(read_all, read_help_pages, tmp_path / "de", tmp_path / "en")

    attempt()


@few_and_many
@pytest.mark.parametrize("profile", ["truecased", "lowercased", "raw"])
def test_any_line_of_text_goes_through_a_profile_and_sub_words(profile, examples, subwords):
    forms = [Preprocessor(profile, language, Truecaser({"Haus": 2})) for language in ("de", "fr", "xx")]

    @attempts(examples)
    @given(st.text(max_size=200) | st.builds(str.__mul__, st.text(max_size=5), st.integers(1, 2000)))
    def attempt(line):
        def go():
            for form in forms:
                [ids] = subwords.encode([form.preprocess(line)])
                [again] = subwords.decode([ids])
                assert "\n" not in form.postprocess(again)

        refusal(go)

    attempt()


LONG = {
    "tags that do not end": (read_sgm, "<seg id=1 " * 100_000 + "\n"),
    "segments that do not end": (read_sgm, '<seg id="1">\n' + "x\n" * 600_000),
    "tags within tags": (read_talks, "<title>" + "<url" * 100_000 + "\n"),
    "entities of entities": (
        read_xml,
        '<!DOCTYPE a [<!ENTITY b "bbbbbbbbbb">' + "".join(
            f'<!ENTITY {new} "{f"&{old};" * 10}">' for old, new in zip("bcdefgh", "cdefghi", strict=True)
        ) + "]><a>&i;</a>\n",
    ),
    "depth": (read_xml, "<a>" * 300_000 + "\n"),
    "one word": (read_plain, "x" * 2_000_000 + "\n"),
}  # fmt: skip


@pytest.mark.parametrize("name", LONG)
def test_long_input_is_read_in_time(tmp_path, name):
    read, content = LONG[name]
    (tmp_path / "a").write_text(content)
    is_text = name in ("one word", "tags that do not end")
    assert bool(refusal(read_all, read, tmp_path / "a", tmp_path / "a")) == (not is_text)


def test_a_comment_without_an_end_is_read_in_time(tmp_path):
    page = tmp_path / "de" / "text" / "a.html"
    page.parent.mkdir(parents=True)
    page.write_text(PAGE + "<!-- " + "a > b\n" * 60_000)
    assert refusal(read_all, read_help_pages, tmp_path / "de", tmp_path / "de") is None


def test_a_line_that_a_small_file_unpacks_to_is_not_taken_into_ram(tmp_path, monkeypatch):
    monkeypatch.setattr(parallel_text, "LONGEST_LINE", 1 << 16)
    path = tmp_path / "a.gz"
    path.write_bytes(gzip.compress(bytes((1 << 16) + 1)))
    assert "a.gz, line 1: more than 65,536 bytes" in refusal(read_all, read_plain, path)
    path.write_bytes(gzip.compress(bytes(1 << 16)))
    assert refusal(read_all, read_plain, path) is None
    path.write_bytes(gzip.compress(b"1 1\n" + bytes(1 << 20)))
    assert "has more than" in refusal(vectors, path)


def use_subwords(path):
    model = Subwords(path)
    ids = model.encode(["ein haus, größer", "", "\0\u2028 <s>"])
    model.decode([*ids, range(model.vocabulary_size)])
    model.encode_as_pieces(["ein haus"])
    [model.piece(number) for number in range(model.vocabulary_size)]


def use_subwords_or_say_why(path):
    return refusal(use_subwords, path)


@many
def test_sub_word_models_are_read_or_refused_and_never_end_the_process(tmp_path, subwords, in_child, examples):
    valid, use = subwords.path.read_bytes(), in_child(use_subwords_or_say_why)

    @attempts(examples)
    @given(changed_or_any(valid, valid[:2000] + valid[-600:]))
    def attempt(content):
        (tmp_path / "x.model").write_bytes(content)
        use(tmp_path / "x.model")

    attempt()
