# airflow_dag.py
import os
import subprocess
from datetime import timedelta

import pendulum
from airflow.providers.standard.operators.empty import EmptyOperator
from airflow.sdk import dag, task
from airflow.sdk.exceptions import AirflowFailException

FOLDER = os.environ.get("EVALUATION", "/srv/evaluation")  # with nightly.yaml


@dag(
    schedule="@daily",
    start_date=pendulum.datetime(2026, 1, 1, tz="UTC"),
    catchup=False,
    default_args={"retries": 3, "retry_delay": timedelta(minutes=30)},
)
def nightly():
    @task
    def evaluate(ds=None):
        command = ["receval", "run", "nightly.yaml", "-q", "-o", f"results/date={ds}/"]
        code = subprocess.run(command, cwd=FOLDER, env={**os.environ, "DATE": ds}).returncode
        if code in (1, 2):  # a gate or a check failed, or the config is wrong: a retry gives the same
            raise AirflowFailException(f"receval ended with {code}")
        if code:  # 3, 4: data are late, or the machine is full: retried
            raise RuntimeError(f"receval ended with {code}")

    evaluate() >> EmptyOperator(task_id="deploy")


nightly()
