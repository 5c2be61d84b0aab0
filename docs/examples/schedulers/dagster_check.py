# dagster_check.py
import json
import os
import subprocess
from pathlib import Path

import dagster as dg

FOLDER = Path(os.environ.get("EVALUATION", "/srv/evaluation"))  # with nightly.yaml


@dg.asset(
    partitions_def=dg.DailyPartitionsDefinition(start_date="2026-01-01"),
    check_specs=[dg.AssetCheckSpec("gates", asset="evaluation", blocking=True)],
    retry_policy=dg.RetryPolicy(max_retries=3, delay=1800),
)
def evaluation(context: dg.AssetExecutionContext):
    date = context.partition_key
    command = ["receval", "run", "nightly.yaml", "-q", "-o", f"results/date={date}/"]
    code = subprocess.run(command, cwd=FOLDER, env={**os.environ, "DATE": date}).returncode
    if code > 1:  # 2: the config is wrong; 3, 4: data are late, or the machine is full, which is retried
        raise dg.Failure(f"receval ended with {code}", allow_retries=code != 2)
    rows = json.loads((FOLDER / f"results/date={date}/results.json").read_text())["results"]
    values = {f"{row['model']} {row['metric']}@{row['k']}": row["value"] for row in rows if row["group"] is None}
    return dg.MaterializeResult(metadata=values, check_results=[dg.AssetCheckResult(check_name="gates", passed=code == 0)])


@dg.asset(deps=[evaluation], partitions_def=evaluation.partitions_def)
def deployment():  # the check is blocking: this asset is made only if it passed
    print("deploy")


definitions = dg.Definitions(assets=[evaluation, deployment])
