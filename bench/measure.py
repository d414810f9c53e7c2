"""Runs a command and prints {"seconds", "cpuSeconds", "peakBytes"} as JSON: measure.py COMMAND…"""

import json
import resource
import subprocess
import sys
import time

began = time.perf_counter()
run = subprocess.run(sys.argv[1:], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
seconds = time.perf_counter() - began
if run.returncode:
    sys.exit(f"{sys.argv[1:]} ended with exit code {run.returncode}: {run.stderr[-2000:]}")
usage = resource.getrusage(resource.RUSAGE_CHILDREN)
cpu = usage.ru_utime + usage.ru_stime
print(json.dumps({"seconds": seconds, "cpuSeconds": cpu, "peakBytes": usage.ru_maxrss * 1024}))
