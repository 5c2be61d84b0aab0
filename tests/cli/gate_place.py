"""A config with gates, its data, and functions that change them."""

from __future__ import annotations

import yaml

USERS = range(1, 121)
TEST = "user,item,rating\n" + "".join(f"{user},a,5\n{user},b,3\n" for user in USERS)
SIDE = "user,plan\n" + "".join(f"{user},{'free' if user % 12 else 'paid'}\n" for user in USERS)
CONFIG = {
    "data": {"test": "test.csv", "recommendations": {"home": "home.csv"}},
    "evaluation": {"metrics": ["nDCG@2", "Recall@1"]},
    "gates": {"baseline": "results/main", "rules": ["nDCG@2 >= 0.1", "nDCG@2 max_loss 2%"]},
    "health": "off",
}


def lists(good):
    """Return lists in which those of the `good` users begin with a relevant item."""
    return "user,item,score\n" + "".join(f"{user},{'a' if good(user) else 'z'},2\n{user},c,1\n" for user in USERS)


WORSE = ("--recs", "home=worse.csv", "--replace")


def change(gate_folder, **sections):
    """Change sections of the config."""
    (gate_folder / "config.yaml").write_text(yaml.safe_dump(CONFIG | sections))
