"""Time and memory of comparing two folders of results: 10 million users, 20 measures.

    python benchmarks/compare.py            # makes the folders in benchmarks/data once (1.7 GB each), then compares them
    python benchmarks/compare.py 1000000    # fewer users

The folders come from a small evaluation, whose per-user values are replaced by as many as needed.
"""

from __future__ import annotations

import hashlib
import json
import resource
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import polars as pl

HERE = Path(__file__).parent
METRICS = ("Precision", "Recall", "nDCG", "MAP", "MRR")
CUTOFFS = (5, 10, 20, 50)


def result_folder(name: str, n_users: int, seed: int) -> Path:
    """Return a folder of results with values of `n_users` users; make it if it does not exist."""
    folder = HERE / "data" / f"compare-{n_users}" / name
    if (folder / "manifest.json").is_file():
        return folder
    config = HERE.parent / "configs" / "quickstart.yaml"
    chosen = f"evaluation.metrics=[{', '.join(METRICS)}]", f"evaluation.top_k=[{', '.join(map(str, CUTOFFS))}]"
    settings = [argument for setting in chosen for argument in ("--set", setting)]
    models = ("--set", "data.recommendations={model: data/knn.parquet}")
    subprocess.run(["receval", "run", config, *settings, *models, "-q", "-o", f"{folder}/"], check=True)
    users = pl.read_parquet(folder / "per_user.parquet")
    random, common = np.random.default_rng(seed), np.random.default_rng(0)
    columns = {"model": pl.repeat("model", n_users, eager=True), "user": np.arange(n_users), "n_relevant": np.ones(n_users, np.int64)}
    columns["n_recommended"] = np.full(n_users, 50)
    for label in users.columns[4:]:
        shared, own = common.random(n_users), random.random(n_users)
        columns[label] = np.where(own < 0.2, np.round(own * 5, 2), np.round(shared, 2))  # a fifth of the users change
    pl.DataFrame(columns).write_parquet(folder / "per_user.parquet")
    _prove(folder, {label: columns[label].mean() for label in users.columns[4:]}, n_users)
    return folder


def _prove(folder: Path, means: dict[str, float], n_users: int) -> None:
    """Write the values and hashes that belong to the per-user values."""
    results = json.loads((folder / "results.json").read_text())
    for row in results["results"]:
        row |= {"value": means[f"{row['metric']}@{row['k']}"], "n_users": n_users}
    (folder / "results.json").write_text(json.dumps(results))
    manifest = json.loads((folder / "manifest.json").read_text())
    for output in manifest["outputs"]:
        content = (folder / output["path"]).read_bytes()
        output |= {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
    (folder / "manifest.json").write_text(json.dumps(manifest))


def main() -> None:
    """Compare, and print time and memory."""
    n_users = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000_000
    folders = [f"{name}={result_folder(name, n_users, seed)}" for seed, name in enumerate(("main", "today"), 1)]
    start = time.perf_counter()
    done = subprocess.run(["receval", "compare", *folders], capture_output=True, text=True, check=True)
    seconds = time.perf_counter() - start
    memory = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    print(done.stdout)
    print(f"{n_users:,} users, {len(METRICS) * len(CUTOFFS)} measures: {seconds:.1f} s, {memory:,.0f} MB (of all processes the largest)")


if __name__ == "__main__":
    main()
