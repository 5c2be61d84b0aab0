"""Any text comes through LaTeX unchanged."""

from __future__ import annotations

import re

import pytest
from receval.metrics.notation import GLOSSARY
from receval.render.latex import _KNOWN, documented, escaped, is_symbol, number, prose

from tests.papers import HOSTILE

PREAMBLE = r"""\documentclass{article}\usepackage[utf8]{inputenc}\usepackage[T1]{fontenc}\usepackage{textcomp,amsmath,amssymb}
\IfFileExists{lmodern.sty}{\usepackage{lmodern}}{\usepackage{mathptmx}}\begin{document}
"""


@pytest.mark.parametrize(
    ("text", "latex"),
    [
        (r"\&%$#_{}~^", r"\textbackslash{}\&\%\$\#\_\{\}\textasciitilde{}\textasciicircum{}"),
        ("a--b,,c", "a-{}-b,{},c"),
        ("[x]*", "{[}x{]}{*}"),
        ("é \u00e9 e\u0301", "é é é"),
        ("≥ 4 – α", r"$\geq$ 4 – $\alpha$"),
        ("😀", "{[}U+1F600{]}"),
        ("a\nb\x1b", "a{[}U+000A{]}b{[}U+001B{]}"),
        ("да", "{[}U+0434 0430{]}"),
    ],
)
def test_a_text_is_escaped(text, latex):
    assert escaped(text) == latex


def test_escaped_text_has_no_command_of_the_original():
    for name in HOSTILE:
        assert not re.search(r"(?<!\\)[%#&]", escaped(name))
        assert r"\input" not in escaped(name)
        assert escaped(name).count("{") - escaped(name).count(r"\{") == escaped(name).count("}") - escaped(name).count(r"\}")


def test_long_words_of_a_sentence_have_break_points():
    assert prose("see evaluation.policy.no_relevant") == r"see evaluation.\allowbreak{}policy.\allowbreak{}no\_\allowbreak{}relevant"
    assert prose("short.words stay") == "short.words stay"
    assert prose("x" * 60).count(r"\allowbreak{}") == 2


def test_backticks_mean_typewriter_text_only_in_receval_sentences():
    assert documented("a`b") == prose("a`b")
    assert documented("by `k_1`: all") == r"by \texttt{k\_1}: all"
    assert prose("by `k`") == r"by \textasciigrave{}k\textasciigrave{}"


def test_only_known_symbols_are_formulas():
    assert documented("$`M_1`$ is $`|T_u|`$") == "$M_1$ is $|T_u|$"
    assert documented(r"$`\input{x}`$") == r"\$\texttt{\textbackslash{}input\{x\}}\$"
    assert all(is_symbol(f"$`{symbol}`$") for symbol in GLOSSARY)
    assert not is_symbol("$`u`$ and $`U`$")


@pytest.mark.parametrize(
    ("text", "latex"),
    [
        ("", ""),
        ("–", "--"),
        ("-0.50", "$-$0.50"),
        ("1,234.5", "1,234.5"),
        ("inf", r"$\infty$"),
        ("-inf", r"$-$$\infty$"),
        ("3e-09", r"3$\cdot 10^{-9}$"),
        ("<0.001", r"\textless{}0.001"),
    ],
)
def test_numbers_are_written_for_latex(text, latex):
    assert number(text) == latex


def test_every_known_character_is_printed(compiled):
    characters = [chr(code) for code in range(32, 127)] + sorted(_KNOWN) + list("≥≤−→↑∞αωΓΩ√·′ ")
    text = compiled(PREAMBLE + "\n\n".join(f"x{escaped(character)}x" for character in characters) + "\\end{document}")
    assert text.count("x") >= 2 * len(characters)
    assert "Ł" in text


def test_hostile_names_are_printed_unchanged(compiled):
    text = compiled(PREAMBLE + "\n\n".join(escaped(name) for name in HOSTILE[:3]) + "\\end{document}")
    assert r"\input{/etc/passwd}" in text
    assert "100% #1 a_b {x} ~ ^ & $y$" in text
    assert "**bold** [opt] --dash <<q>> ,,\"'`" in text
    assert "root:" not in text


def test_a_number_and_its_percent_sign_stay_on_one_line():
    assert prose("a loss of 2 %, with 80 % power; a % sign") == r"a loss of 2~\%, with 80~\% power; a \% sign"
