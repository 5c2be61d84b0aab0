"""The only place where failures become sentences and exit codes.

Nothing heavy is imported before `main` runs, so that an interruption during imports is handled like any other.
"""

from __future__ import annotations

import atexit
import gc
import io
import os
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import NoReturn

_ADDRESSES = 1_300_000_000
_ADDRESSES_OF_THREAD = 100_000_000
"""Address space that a run reserves, most of it unused: 1.5 GB with two threads."""

_OPEN_FILES = 64
"""Fewest open files that a process must be allowed; most commands need half as many."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit code; no exception leaves this function."""
    if arguments is not None:
        return _exit_code(arguments)
    try:
        # receval uses no plug-ins of pydantic; looking for them reads the metadata of every package that is installed.
        os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
        # NumPy's library of linear algebra would start threads that wait busily, in every command, for the few products that some make.
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
        if os.environ.setdefault("RECEVAL_DEBUG", "0") == "0":
            os.environ["RUST_BACKTRACE"] = "0"  # kilobytes for the developers of Polars
        sys.unraisablehook = _say_unraisable
        gc.disable()  # a run is short and leaves few cycles behind; looking for them takes 2 % of it
        from .streams import prepare

        prepare()
        code = _exit_code(sys.argv[1:])
    except KeyboardInterrupt:
        code = _interrupted()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # nothing is left to interrupt
    gc.freeze()  # what is alive now ends with the process: looking for cycles in it takes a tenth of a second
    return code


def program() -> NoReturn:
    """Run the command line as a process of its own, which ends at once if nothing else waits for its end.

    Freeing every object one by one takes a tenth of a short run. What libraries do at the end of a process is done before.
    """
    code = main()
    watched = sys.getprofile() is not None or sys.gettrace() is not None
    if watched or any(thread is not threading.main_thread() and not thread.daemon for thread in threading.enumerate()):
        sys.exit(code)
    atexit._run_exitfuncs()
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except (OSError, ValueError):  # Python says so in its own way, with its own exit code
        sys.exit(code)
    os._exit(code)


def _exit_code(arguments: Sequence[str]) -> int:
    """Run a command and turn each failure into a sentence and an exit code."""
    try:
        import click
        from receval.support.errors import RecevalError, system_error

        from .commands import cli
    except KeyboardInterrupt:
        return _interrupted()
    if "_RECEVAL_COMPLETE" in os.environ:
        cli.main(prog_name="receval")
    try:
        _call(arguments)
        return 0
    except click.exceptions.Exit as ended:
        return ended.exit_code
    except BrokenPipeError:  # the reader of our output has closed the pipe
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except _Terminated as ended:
        return 128 + ended.number
    except (click.Abort, KeyboardInterrupt):
        return _interrupted()
    except click.ClickException as error:
        shown = io.StringIO()
        error.show(shown)
        _print(shown.getvalue())
        return error.exit_code
    except (RecevalError, OSError, MemoryError) as error:
        if isinstance(error, RecevalError) and os.environ.get("RECEVAL_DEBUG", "0") != "0":
            _print_trace()
        failure = error if isinstance(error, RecevalError) else system_error(error)
        print(f"receval: {failure.shown()}", file=sys.stderr)
        return failure.exit_code
    except BaseException:  # a panic of Polars is not an `Exception`, nor is what a library raises that ends the program itself
        _print_trace()
        print("receval: internal error; please report it with the lines above", file=sys.stderr)
        return 70


def _call(arguments: Sequence[str]) -> None:
    """Run a command, or print the version or help."""
    import click

    from .commands import cli

    if any("\0" in argument for argument in arguments):
        raise click.UsageError("an argument contains a NUL character")
    with _ended_by_signals(), cli.make_context("receval", list(arguments)) as context:
        _refuse_narrow_limits()
        cli.invoke(context)
    sys.stdout.flush()


def _print_trace() -> None:
    """Print the traceback of the current failure."""
    import traceback  # only here: an interruption may come while modules are read

    _print(f"{traceback.format_exc()}\n")


def _print(text: str) -> None:
    """Print foreign lines to standard error, with every character visible."""
    from receval.support.quoting import sentence

    print(sentence(text), end="", file=sys.stderr)


def _refuse_narrow_limits() -> None:
    """Raise `MachineError` if `ulimit -v` or `-n` leaves less than Polars needs: it would abort, wait forever or call files damaged."""
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return
    from receval.support.errors import MachineError

    files = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    if 0 <= files < _OPEN_FILES:
        message = f"this process can have only {files} files open (ulimit -n), but needs {_OPEN_FILES}"
        raise MachineError(message, f"raise the limit: ulimit -n {_OPEN_FILES} or more")
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    wanted = os.environ.get("POLARS_MAX_THREADS", "")
    least = _ADDRESSES + _ADDRESSES_OF_THREAD * (int(wanted) if wanted.isdecimal() else os.cpu_count() or 1)
    if limit != resource.RLIM_INFINITY and limit < least:
        message = f"this process can use only {limit / 1e6:,.0f} MB of address space (ulimit -v), but its threads need {least / 1e6:,.0f}"
        raise MachineError(message, "raise the limit or set POLARS_MAX_THREADS; engine.memory limits only the memory for rows")


def _say_unraisable(failure: sys.UnraisableHookArgs) -> None:
    """Print what could not be raised, but no interruption: Polars and Python raise one each, and the second may meet only a destructor."""
    if not issubclass(failure.exc_type, KeyboardInterrupt):
        sys.__unraisablehook__(failure)


def _interrupted() -> int:
    print("receval: interrupted", file=sys.stderr)
    return 130


class _Terminated(KeyboardInterrupt):
    """SIGTERM or SIGHUP as an interruption, which libraries handle; after another exception, Spark's connection would be unusable."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = number


@contextmanager
def _ended_by_signals() -> Iterator[None]:
    """Let SIGTERM and SIGHUP end the program like an error, so that temporary files are removed; exit codes 143 and 129."""
    from receval.support.errors import ending_signals

    def end(number: int, frame: object) -> None:
        if hangup is not None:
            signal.signal(hangup, signal.SIG_IGN)  # a shell and the system both send it, and a service after SIGTERM
        raise _Terminated(number)

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.signal(number, end) for number in ending_signals()}
    hangup = next((number for number in before if number != signal.SIGTERM), None)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
