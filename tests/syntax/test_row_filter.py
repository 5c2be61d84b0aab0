"""Row filters: the text of `where`, parsed into a condition."""

import pytest
from receval.syntax.row_filter import LONGEST, ColumnTest, Junction, Missing, Negation, OneOf, columns_of, in_filter, parse_filter

PURCHASE = ColumnTest("event", "==", "purchase")
GOOD = ColumnTest("rating", ">=", 3)


@pytest.mark.parametrize(
    ("text", "condition"),
    [
        ("event == 'purchase'", PURCHASE),
        ("event = 'purchase'", PURCHASE),
        ('event == "purchase"', PURCHASE),
        ("'purchase' == event", PURCHASE),
        ("event=='purchase'", PURCHASE),
        ("EVENT <> 'x'", ColumnTest("EVENT", "!=", "x")),
        ("3 <= rating", GOOD),
        ("-1.5e2 > rating", ColumnTest("rating", "<", -150.0)),
        ("rating < .5", ColumnTest("rating", "<", 0.5)),
        ("clicked == TRUE", ColumnTest("clicked", "==", True)),
        ("clicked != false", ColumnTest("clicked", "!=", False)),
        ("name == 'O''Brien'", ColumnTest("name", "==", "O'Brien")),
        ("name == 'and'", ColumnTest("name", "==", "and")),
        ("`event type` == 'x'", ColumnTest("event type", "==", "x")),
        ('"event type" == "x"', ColumnTest("event type", "==", "x")),
        ("meta.kind == 'x'", ColumnTest("meta.kind", "==", "x")),
        ("größe > 3", ColumnTest("größe", ">", 3)),
        ("event in ('view', 'cart')", OneOf("event", ("view", "cart"))),
        ("event in ['view']", OneOf("event", ("view",))),
        ("event not in ('view')", Negation(OneOf("event", ("view",)))),
        ("rating is null", Missing("rating")),
        ("rating IS NOT NULL", Negation(Missing("rating"))),
        ("not event == 'purchase'", Negation(PURCHASE)),
        ("event == 'purchase' and rating >= 3", Junction("and", (PURCHASE, GOOD))),
    ],
)
def test_a_filter_is_read_into_a_condition(text, condition):
    assert parse_filter(text) == condition


def test_not_binds_before_and_and_and_before_or():
    a, b, c = (ColumnTest(name, "==", 1) for name in "abc")
    assert parse_filter("a = 1 or b = 1 and not c = 1") == Junction("or", (a, Junction("and", (b, Negation(c)))))
    assert parse_filter("(a = 1 or b = 1) and c = 1") == Junction("and", (Junction("or", (a, b)), c))
    assert parse_filter("not (a = 1 and b = 1)") == Negation(Junction("and", (a, b)))


def test_the_columns_of_a_filter_are_listed_once_in_its_order():
    assert columns_of(parse_filter("b > 1 and (a == 'x' or not b < 0) and c is null and d in (1, 2)")) == ("b", "a", "c", "d")


def test_integers_of_many_digits_are_numbers():
    assert parse_filter("user == 123456789012345").value == 123456789012345
    assert parse_filter(f"user == {'9' * 5000}").value == float("inf")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "it ends where a column, a value, not or ( was expected"),
        ("event", "it ends where ==, !=, <, <=, >, >=, in or is was expected"),
        ("event ==", "it ends where a number, a text in quotes, true or false was expected"),
        ("event == purchase", "'purchase' at character 10, where a number, a text in quotes, true or false was expected; write 'purchase'"),
        ("rating == null", "'null' at character 11, where a number, a text in quotes, true or false was expected; write COLUMN is null"),
        ("rating => 3", "'=>' at character 8, where ==, !=, <, <=, >, >=, in or is was expected; write >="),
        ("a = 1 & b = 2", "'&' at character 7, where 'and', 'or' or the end was expected; write and"),
        ("a >= 2026-08-19", "'-08' at character 10, where 'and', 'or' or the end was expected; put dates and times in quotes"),
        ("a = 1 || b = 2", "'||' at character 7, where 'and', 'or' or the end was expected; write or"),
        ("!a = 1", "'!' at character 1, where a column, a value, not or ( was expected; write not"),
        ("a = 1 b = 2", "'b' at character 7, where 'and', 'or' or the end was expected"),
        ("(a = 1", "it ends where ) was expected"),
        ("a in 3", "'3' at character 6, where ( was expected"),
        ("a in ()", "')' at character 7, where a number, a text in quotes, true or false was expected"),
        ("a not = 1", "'=' at character 7, where in was expected"),
        ("a is 3", "'3' at character 6, where null was expected"),
        ("3 == 4", "'4' at character 6, where a column was expected"),
        ("a == 'x", '"\'" at character 6'),
        ("a; b", "';' at character 2"),
        ("__import__('os').system('ls')", "'(' at character 11"),
    ],
)
def test_an_invalid_filter_is_refused_with_the_position_of_the_character(text, message):
    with pytest.raises(ValueError, match="cannot read the filter") as raised:
        parse_filter(text)
    assert message in str(raised.value)


def test_filters_of_any_length_and_depth_are_refused_in_a_sentence():
    with pytest.raises(ValueError, match=f"at most {LONGEST:,} characters"):
        parse_filter("a = 1" + " " * LONGEST)
    for deep in ("(" * 1000, "not " * 1000):
        with pytest.raises(ValueError, match="nested at most 50 deep"):
            parse_filter(deep + "a = 1")


@pytest.mark.parametrize("name", ["event", "event type", "größe", "meta.kind", "3d", "not", "Null", 'say "x"'])
def test_a_column_written_for_a_filter_is_read_as_this_column(name):
    assert parse_filter(f"{in_filter(name)} == 1") == ColumnTest(name, "==", 1)
