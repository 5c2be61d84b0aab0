"""Compute the MovieLens table of a published paper from its own lists, and compare every cell.

    python benchmarks/papers/chatgpt_movielens.py FOLDER      # exit code 1 if any cell differs

FOLDER is a copy of the repository of "Evaluating ChatGPT as a Recommender System: A Rigorous Approach" (arXiv 2309.03613), with
the lists and the tables of its models. Nothing is fetched, and nothing of it is part of this repository: MovieLens may not be
redistributed. A cell is equal if its relative difference is at most 1e-9.

After the cells it prints what the same lists give as they were delivered: without the removal of seen and unknown items.
"""

from __future__ import annotations

import argparse
import math
import os
import re
import time
from collections import Counter
from pathlib import Path

import polars as pl
import yaml
from receval import compare, load_config, run
from receval.results.result import Result

CONFIG = Path(__file__).with_suffix(".yaml")
RESULTS = "results/ChatGPT/movielens_small_exp_results/exp_1_movielens_small_2018"
TABLES, LISTS = f"{RESULTS}/performance", f"{RESULTS}/recs"
OURS = {"HR": "HitRate", "SEntropy": "ShannonEntropy"}
"""Metrics that receval prints under another name than the paper."""
CHATGPT, POPULAR = "output_exp_1_rec_movie_copy", "MostPop"

Cell = tuple[str, str, int]
"""Model, metric, cut-off."""


def main() -> int:
    """Compare and print; the exit code is 1 if any cell differs."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("folder", type=Path)
    folder: Path = parser.parse_args().folder
    os.environ["PAPER"] = str(folder.resolve())
    cells = published(folder / TABLES)
    begin = time.perf_counter()
    ours = computed(run(load_config(CONFIG)))
    seconds = time.perf_counter() - begin
    wrong = [cell for cell, value in cells.items() if not math.isclose(ours.get(cell, math.nan), value, rel_tol=1e-9, abs_tol=1e-12)]
    print(f"{len(cells) - len(wrong):,} of {len(cells):,} cells equal, in {seconds:.0f} s")
    models, metrics, cutoffs = (len(set(names)) for names in zip(*cells, strict=True))
    print(f"{models} models, {metrics} metrics, {cutoffs} cut-offs")
    for metric, count in Counter(metric for _, metric, _ in wrong).most_common():
        print(f"  {metric}: {count} cells differ")
    as_delivered(folder.resolve())
    return int(bool(wrong))


def published(folder: Path) -> dict[Cell, float]:
    """Return the values of the tables of a folder; the files hold one cut-off each."""
    cells: dict[Cell, float] = {}
    for file in sorted(folder.glob("rec_*cutoff_*_relthreshold_*.tsv")):
        found = re.search(r"cutoff_(\d+)_", file.name)
        assert found is not None  # the pattern of the names has it
        for row in pl.read_csv(file, separator="\t").iter_rows(named=True):
            model = row.pop("model")
            cells |= {(model, metric, int(found[1])): float(value) for metric, value in row.items()}
    return cells


def computed(result: Result) -> dict[Cell, float]:
    """Return the values of a result under the names of the paper."""
    theirs = {ours: name for name, ours in OURS.items()}
    return {(row.model, theirs.get(row.metric, row.metric), row.k or 0): row.value for row in result.long_rows if row.value is not None}


def as_delivered(folder: Path) -> None:
    """Print how ChatGPT and popular items compare by the paper's removal of items, and by the lists as they are."""
    lists = folder / LISTS
    for words, policy in (("seen and unknown items removed, as published", "drop_and_refill"), ("lists as delivered", "keep")):
        config = yaml.safe_load(CONFIG.read_text().replace("${PAPER}", str(folder)))
        config["data"]["recommendations"] = {POPULAR: f"{lists / POPULAR}.tsv", "ChatGPT": f"{lists / CHATGPT}.tsv"}
        unknown = "keep" if policy == "keep" else "drop_and_refill_untrained"
        config["evaluation"] |= {"metrics": ["nDCGRendle2020"], "top_k": [10], "policy": {"seen_items": policy, "unknown_items": unknown}}
        print(f"{words}:")
        print("  " + str(compare(run(load_config(config)), POPULAR)).replace("\n", "\n  "))


if __name__ == "__main__":
    raise SystemExit(main())
