"""Run commands of a JSON list as a user without special rights; print the exit code and the output of each."""

from __future__ import annotations

import io
import json
import sys
from contextlib import redirect_stderr, redirect_stdout

from receval.cli.main import main

done = []
for arguments in json.loads(sys.argv[1]):
    said = io.StringIO()
    with redirect_stdout(io.TextIOWrapper(io.BytesIO())), redirect_stderr(said):
        code = main(arguments)
    done.append((code, said.getvalue()))
print(json.dumps(done))
