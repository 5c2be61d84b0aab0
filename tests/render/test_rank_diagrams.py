"""Diagrams of ranks are whole for any names of models, in every form."""

from __future__ import annotations

import re
from xml.etree import ElementTree

from msgspec.structs import replace
from receval.documents.across import diagram
from receval.render.rank_diagrams import as_svg, latex
from receval.results.across import AcrossComparison, AcrossDifference, DataSetEffect
from receval.stats.meta_analysis import mean_effect
from receval.stats.ranks import rank_models

NAMES = ("a\x1b[31m<b>&", "=cmd|'x'", "z\n::error::y")
VALUES = {name: [0.1 * place + 0.01 * (n * (place + 2) % 5) for n in range(8)] for place, name in enumerate(NAMES)}
RANKS = rank_models("nDCG@10", VALUES, higher_is_better=True)
EFFECT = DataSetEffect("d", 10, 0.1, 0.2, 0.7, 0.1, 1)
DIFFERENCE = AcrossDifference("nDCG@10", NAMES[0], NAMES[1], True, "ratio", (EFFECT,), mean_effect((0.7, 0.6), None), False, 0.95)
COMPARISON = AcrossComparison(("d", "e"), NAMES, NAMES[0], (DIFFERENCE,), "holm", 0.95, (RANKS,))


def test_a_model_has_one_line_in_characters_with_its_point_at_its_rank():
    lines = diagram(RANKS).splitlines()
    assert lines[0].split() == ["1", "2", "3"]
    assert [line.index("●") for line in lines[2:5]] == [lines[0].index(rank) for rank in "123"]
    assert len(lines) == 5 + len(RANKS.groups)


def test_svg_is_xml_whatever_the_names_are():
    texts = [text.text for text in ElementTree.fromstring(as_svg(COMPARISON)).iter() if text.text]
    assert any(text.startswith("=cmd|'x' (2.00)") for text in texts)
    assert not any(sign in text for text in texts for sign in "\x1b")


def test_latex_has_a_picture_with_escaped_names():
    text = latex(COMPARISON)
    assert r"\textless{}b\textgreater{}\&" in text
    assert text.count(r"\begin{tikzpicture}") == text.count(r"\end{tikzpicture}") == 1


def test_a_caption_of_the_first_part_of_a_table_is_two_sentences():
    difference = replace(DIFFERENCE, measure="nDCG@10 of all users who bought something in the last year, by month", model="m" * 30)
    text = latex(replace(COMPARISON, differences=(difference, replace(difference, base="b"))))
    captions = [line for line in text.splitlines() if "Part 1 of" in line]
    assert captions
    assert all(re.search(r"[^.]\. Part 1 of \d\.\}", line) for line in captions)
