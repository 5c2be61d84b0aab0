# prefect_flow.py
import os
import subprocess

from prefect import flow, task

FOLDER = os.environ.get("EVALUATION", "/srv/evaluation")  # with nightly.yaml


class Refused(Exception):
    """A gate or a check failed, or the config is wrong: a retry gives the same."""


def is_worth_a_retry(task, run, state):
    return not isinstance(state.result(raise_on_failure=False), Refused)


@task(retries=3, retry_delay_seconds=1800, retry_condition_fn=is_worth_a_retry)
def evaluate(date: str) -> None:
    command = ["receval", "run", "nightly.yaml", "-q", "-o", f"results/date={date}/"]
    code = subprocess.run(command, cwd=FOLDER, env={**os.environ, "DATE": date}).returncode
    if code in (1, 2):
        raise Refused(f"receval ended with {code}")
    if code:  # 3, 4: data are late, or the machine is full
        raise RuntimeError(f"receval ended with {code}")


@flow
def nightly(date: str) -> str:
    evaluate(date)  # the flow fails here if the task failed
    return f"deploy {date}"


if __name__ == "__main__":
    nightly.serve(name="nightly", cron="0 5 * * *", parameters={"date": "2026-01-01"})
