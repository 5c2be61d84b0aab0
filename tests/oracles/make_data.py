"""Write the small synthetic data set of the oracle tests: ratings, items, eight kinds of recommendation lists, and side files.

Everything awkward is in it: text ids with commas, quotes and leading zeros, zero ratings, ties, duplicates, short and missing lists,
users and items that the test set does not know. Run it again and the same bytes come out.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable
from pathlib import Path
from random import Random

HERE = Path(__file__).parent
RNG = Random(20260101)
SIDE = Random(20260102)  # the side files have their own generator, so that they never change the others
SIZE = 15
ITEM_FORMS = ("{:03d}", "{}", "film {}", "ü,{}", '"{}" again', "it's {}", "ж{}", "映画{}", "🎬 {}", "Film {}")
USER_FORMS = ("{:02d}", "u{}", "ü,{}", 'the "{}"', "o'{}", "Ω {}", "{}")
ITEMS = ["007", "7", "ü,1", *(ITEM_FORMS[n % len(ITEM_FORMS)].format(n) for n in range(3, 60))]
USERS = ["007", "7", "ü,1", *(USER_FORMS[n % len(USER_FORMS)].format(n) for n in range(3, 40))]
BOTH, TEST_ONLY, TRAIN_ONLY, LISTS_ONLY = USERS[:33], USERS[33:36], USERS[36:38], USERS[38:]
COLD_ITEMS = ITEMS[54:58]  # in test and in no train row; the last two items have no rating at all
GENRES = ("Action", "Comedy", "Drama", "Horror", "Sci-Fi")

Row = tuple[str, str, float, int]
Listed = dict[str, list[tuple[str, float]]]


def ratings() -> tuple[list[Row], list[Row]]:
    """Return the train and the test rows; a pair occurs only once."""
    train: list[Row] = []
    test: list[Row] = []
    for number, user in enumerate(BOTH + TEST_ONLY + TRAIN_ONLY):
        known = RNG.sample(ITEMS[:54], RNG.randint(12, 22))
        cut = RNG.randint(3, 11)
        if user not in TEST_ONLY:
            train += [(user, item, RNG.randint(0, 10) / 2, 1_700_000_000 + RNG.randint(0, 9999)) for item in known[cut:]]
        if user in TRAIN_ONLY:
            continue
        wanted = known[:cut] + RNG.sample(COLD_ITEMS, RNG.randint(0, 2))
        worst = number % 12 == 5
        low = number % 6 == 4
        for item in wanted[:1] if worst else wanted:
            rating = 0.0 if worst else RNG.randint(0, 7) / 2 if low else RNG.choice((0, 0.5, 2, 3, 3.5, 4, 4, 4.5, 5, 5))
            test.append((user, item, float(rating), 1_700_010_000 + RNG.randint(0, 9999)))
    return train, test


def lists(users: Iterable[str], train: list[Row], test: list[Row]) -> Listed:
    """Return a full list for each user: about a third from the user's test rows, no train item, scores strictly falling."""
    listed: Listed = {}
    for user in users:
        seen = {row[1] for row in train if row[0] == user}
        wanted = [row[1] for row in test if row[0] == user]
        hits = RNG.sample(wanted, min(len(wanted), RNG.randint(3, 6)))
        others = [item for item in ITEMS if item not in seen and item not in wanted]
        items = hits + RNG.sample(others, SIZE - len(hits))
        RNG.shuffle(items)
        scores = sorted(RNG.sample(range(900), SIZE), reverse=True)
        listed[user] = [(item, (4 * score + 2) / 1024) for item, score in zip(items, scores, strict=True)]
    return listed


def ties(listed: Listed) -> Listed:
    """Return lists with scores rounded to halves, and ranks 5 to 7 always tied."""
    rounded = {user: [(item, round(score * 2) / 2) for item, score in rows] for user, rows in listed.items()}
    return {user: [(item, rows[5][1] if 4 <= at < 7 else score) for at, (item, score) in enumerate(rows)] for user, rows in rounded.items()}


def duplicates(listed: Listed) -> Listed:
    """Return lists in which every third user has two or three repeats at the end, by turns with half the score and with the same score."""
    result = dict(listed)
    for number, user in enumerate(list(listed)[::3]):
        rows = listed[user]
        repeats = RNG.sample(rows, min(len(rows), RNG.randint(2, 3)))
        result[user] = rows + [(item, score / 2 if number % 2 else score) for item, score in repeats]
    return result


def short(listed: Listed) -> Listed:
    """Return lists of which two users in three keep one to four items."""
    return {user: rows[: RNG.randint(1, 4)] if number % 3 else rows for number, (user, rows) in enumerate(listed.items())}


def missing(listed: Listed) -> Listed:
    """Return lists without every fourth user."""
    return {user: rows for number, (user, rows) in enumerate(listed.items()) if number % 4 != 2}


def unknown(listed: Listed) -> Listed:
    """Return lists with unknown items at ranks 1, 2 and 9 for every second user."""
    return {
        user: [(f"?,{at}" if at in (0, 1, 8) and number % 2 else item, score) for at, (item, score) in enumerate(rows)]
        for number, (user, rows) in enumerate(listed.items())
    }


def write(name: str, header: str, rows: Iterable[tuple[object, ...]]) -> None:
    """Write a CSV file beside this script."""
    with (HERE / f"{name}.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header.split(","))
        writer.writerows(rows)


def ranked(listed: Listed) -> list[tuple[object, ...]]:
    """Return the rows of the lists with ranks from 1."""
    return [(user, item, score, rank) for user, rows in listed.items() for rank, (item, score) in enumerate(rows, 1)]


def user_groups(train: list[Row], test: list[Row]) -> list[tuple[object, ...]]:
    """Return two groups by train count, 1 = at most the median; two users are left out."""
    users = [user for user in USERS if any(user == row[0] for row in train + test)]
    counts = {user: sum(user == row[0] for row in train) for user in users}
    median = sorted(counts.values())[len(users) // 2]
    left_out = SIDE.sample(users, 2)
    return [(user, 1 if counts[user] <= median else 2) for user in users if user not in left_out]


def item_groups(train: list[Row]) -> list[tuple[object, ...]]:
    """Return three groups of the items file: 1 = the first 20 % of the train rows, 2 = up to 80 %, 3 = the rest; two items are left out."""
    counts = {item: sum(item == row[1] for row in train) for item in ITEMS}
    groups: dict[str, int] = {}
    before = 0
    for item in sorted(ITEMS, key=lambda item: -counts[item]):
        groups[item] = 1 if before < 0.2 * len(train) else 2 if before < 0.8 * len(train) else 3
        before += counts[item]
    left_out = SIDE.sample(ITEMS[:54], 2)
    return [(item, groups[item]) for item in ITEMS if item not in left_out]


def predictions(test: list[Row]) -> list[tuple[object, ...]]:
    """Return predicted ratings of most test pairs, of none of one user's, and of 20 pairs that are not in test."""
    rated = {(row[0], row[1]) for row in test}
    others = [(user, item) for user in USERS[3:30] for item in ITEMS if (user, item) not in rated]
    noise = (-1.5, -0.75, -0.25, 0, 0.25, 0.5, 1.25)
    rows: list[tuple[object, ...]] = [
        (user, item, min(5.5, max(-0.25, rating + SIDE.choice(noise))))
        for user, item, rating, _ in test
        if user != USERS[9] and SIDE.random() < 0.85
    ]
    rows += [(user, item, SIDE.randint(4, 20) / 4) for user, item in SIDE.sample(others, 20)]
    SIDE.shuffle(rows)
    return rows


def previous_policy(models: Iterable[Listed]) -> list[tuple[object, ...]]:
    """Return scores of an older system for most pairs of all lists: some are 0, one is negative."""
    pairs = sorted({(user, item) for listed in models for user, rows in listed.items() for item, _ in rows})
    kept = [pair for pair in pairs if SIDE.random() < 0.85]
    scores = [0.0 if SIDE.random() < 0.05 else SIDE.choice((0.25, 0.5, 1)) * SIDE.randint(1, 63) / 16 for _ in kept]
    scores[len(scores) // 2] = -0.5
    return [(user, item, score) for (user, item), score in zip(kept, scores, strict=True)]


def main() -> None:
    """Write all files."""
    train, test = ratings()
    clean = lists(BOTH, train, test)
    extra = clean | lists(TRAIN_ONLY + LISTS_ONLY, train, test)
    everyone = extra | lists(TEST_ONLY, train, test)
    everything = ranked(duplicates(ties(unknown(short(missing(everyone))))))
    RNG.shuffle(everything)
    write("train", "user_id,item_id,rating,timestamp", train)
    write("test", "user_id,item_id,rating,timestamp", test)
    write("items", "item_id,genres", [(item, "|".join(sorted(RNG.sample(GENRES, RNG.randint(0, 3))))) for item in ITEMS])
    variants = {"clean": clean, "ties": ties(clean), "duplicates": duplicates(clean), "short": short(clean), "missing": missing(clean)}
    variants |= {"extra": extra, "unknown": unknown(clean)}
    for name, listed in variants.items():
        write(name, "user_id,item_id,score,rank", ranked(listed))
    write("everything", "user_id,item_id,score,rank", everything)
    write("user_groups", "user_id,activity", user_groups(train, test))
    write("item_groups", "item_id,popularity", item_groups(train))
    write("ratings_pred", "user_id,item_id,prediction", predictions(test))
    write("previous_policy", "user_id,item_id,score", previous_policy([*variants.values(), everyone]))


if __name__ == "__main__":
    main()
