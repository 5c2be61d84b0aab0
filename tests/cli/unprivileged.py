"""Run commands of a JSON list as somebody who may not read every file; prints the exit code and what was said of each."""

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
