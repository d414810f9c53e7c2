"""Runs one command and prints {"seconds", "cpuSeconds", "peakBytes", "output"} as JSON: measure.py COMMAND…

"output" is the last line the command wrote, as JSON where it is that.
"""

import json
import os
import subprocess
import sys
import tempfile
import time

with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
    began = time.perf_counter()
    run = subprocess.Popen(sys.argv[1:], stdin=subprocess.DEVNULL, stdout=out, stderr=err)
    # Of this one process; ru_maxrss is its largest resident size in KiB (in bytes on macOS).
    _, status, usage = os.wait4(run.pid, 0)
    seconds = time.perf_counter() - began
    out.seek(0), err.seek(0)
    lines = out.read().strip().splitlines()
    if code := os.waitstatus_to_exitcode(status):
        sys.exit(f"{' '.join(sys.argv[1:])[:300]}: exit code {code}: {err.read()[-1500:]}")
run.returncode = 0
try:
    output = json.loads(lines[-1])
except (IndexError, ValueError):
    output = None
print(
    json.dumps(
        {
            "seconds": seconds,
            "cpuSeconds": usage.ru_utime + usage.ru_stime,
            "peakBytes": usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024),
            "output": output if isinstance(output, dict) else None,
        }
    )
)
