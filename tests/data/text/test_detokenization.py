from sacremoses import MosesDetokenizer

from data.text.detokenization import detokenize
from data.text.moses import Moses

# Each comes back from its tokens as it was, blanks and all.
LINES = {
    "en": [
        'He said: "Don\'t go!" (twice).',
        "It cost $5,300.50, not 10%; C$4 or US$5.",
        "at 10:30 a.m. on 31/12/2020, from 1914–1918",
        "me@example.com and/or AT&T, R&D",
        "The '90s, rock 'n' roll",
        "The Joneses' house; James' car",
        "the Jones' house",
        "He was dubbed as 'diver', its 'tail' wagged.",
        "“Quoted”, ‘single’, it’s – well…",
        'of qualified workers," he added.',
        'They said, "Wait',
        'So he says: "Wait',
        'known as a "sausage baron".',
        "#5, #tag, 5° and 6²",
        "[x] and {y}; ¿why?",
        "Standard & Poor's, Barnes & Noble",
        "'It was so,' she said.",
    ],
    "de": [
        "„Ja“, sagte er, „nein“ – und ging.",
        "Illenniumsziele aufbauen.“",
        'das "Blade Runner"-Problem, der „Baby“-Trend',
        "Kate O'Malley weiß, wie's geht, gibt's auch.",
        "Er nannte es 'gut' und ging.",
        "Das Spiel endete 3:0 (25:13, 25:14).",
        "Strafe in Höhe von 1.000 £ auferlegt",
        "aus dem Wohngebiet ›Grub‹ und »Tal«",
        "andert\u00adhalbstündig",
        "Der Bindestrich - und das -- hier",
    ],
    "cs": ["„Ano,“ řekl, „je-li to tak.“", "pod názvem ‚neurčité‘, roku 2012.", 'tři směny," uvedl ředitel'],
    "fr": ["L'homme d'hier n'a rien dit : non !", "«Oui», dit-il."],
    "es": ["¿Qué? ¡No! El «señor» cobró 3.000 €."],
    "be": ["Сям'я і аб'ява, п'яць.", "ён сказаў: «Так»."],
    "hi": ["यह परीक्षण है। क्या आए?"],
    "vi": ['Ông nói: "Không!"'],
    "zh": ["你好，世界。"],
}


# What a model may put out is joined somehow.
ODD = {
    "": "",
    "'": "'",
    '"': '"',
    "' '": "''",
    ". . .": "...",
    "/": "/",
    ": 5": ": 5",
    "- -": "- -",
    "$ $ $": "$$$",
    "a ' s": "a 's",
}
# Lines that sacremoses' own detokeniser changes: the reason not to use it.
BEYOND_SACREMOSES = {
    "en": [
        "at 10:30 a.m. on 31/12/2020, from 1914–1918",
        "It cost $5,300.50, not 10%; C$4 or US$5.",
        'of qualified workers," he added.',
        "“Quoted”, ‘single’, it’s – well…",
    ],
    "de": ["Kate O'Malley weiß, wie's geht, gibt's auch.", 'das "Blade Runner"-Problem, der „Baby“-Trend'],
    "cs": ["pod názvem ‚neurčité‘, roku 2012."],
}


def test_text_comes_back_from_its_tokens():
    again = {language: [detokenized(language, line) for line in lines] for language, lines in LINES.items()}
    assert again == LINES


def detokenized(language, line):
    moses = Moses(language)
    return moses.detokenize(moses.tokenize(line))


def test_whatever_a_model_may_put_out_is_joined():
    assert {tokens: detokenize(tokens.split(), "en") for tokens in ODD} == ODD


def test_sacremoses_does_not_bring_back_lines_that_these_rules_do():
    for language, lines in BEYOND_SACREMOSES.items():
        assert set(lines) <= set(LINES[language])
        theirs, moses = MosesDetokenizer(language), Moses(language)
        assert [line for line in lines if theirs.detokenize(moses.tokenize(line).split()) == line] == []
