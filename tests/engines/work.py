"""Work for other processes, which must be able to import it."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

from receval.support.errors import DataError
from receval.support.plugins import failing_as


def number_of(part):
    return part.lists["number"][0]


def number_and_process(part):
    return number_of(part), os.getpid()


def everything(part):
    return part.lists, dict(part.sides), part.starts


def fail_at(number, part):
    if number_of(part) == number:
        raise DataError(f"part {number} is odd", "write another")


class Unsendable(Exception):
    def __init__(self, first, second):
        super().__init__(f"{first}{second}")


def fail_unsendably(part):
    raise Unsendable("of part ", number_of(part))


def print_something(part):
    print("something", flush=True)
    os.write(1, b"more\n")


def kill_itself(starter, part):
    assert os.getpid() != starter, "the part is measured in the process of the test"
    if number_of(part) == 2:
        os.kill(os.getpid(), signal.SIGKILL)


def sleep_and_tell(part):
    Path(os.environ["TOLD"], str(os.getpid())).touch()
    time.sleep(60 if number_of(part) > 3 else 0.3)


def end_with(code, part):
    with failing_as("the metric Mine failed"):
        exec(f"import sys; {code}")


def leave(starter, part):
    assert os.getpid() != starter, "the part is measured in the process of the test"
    os._exit(0)
