# databricks_task.py
import sys

import receval

folder, date = sys.argv[1:]
config = receval.load_config(f"{folder}/nightly.yaml", environment={"DATE": date})
record = receval.evaluate_config(config, outputs=f"{folder}/results/date={date}/")
if record.exit_code:  # a gate or a check failed; wrong configs and data raise errors themselves
    raise RuntimeError(f"{record.gate_summary} {record.check_summary}")
