"""Conversions by the library as it is built, many in one process of Node: see conversions.mjs."""

import json
import subprocess
import threading
from pathlib import Path

CONVERT_LIMIT_S = 600


class Converter:
    """A process of Node per thread, started anew where one ends or hangs."""

    def __init__(self, dist: str):
        self.command = ["node", str(Path(__file__).parent / "conversions.mjs"), dist]
        self.local = threading.local()

    def process(self) -> subprocess.Popen:
        node = getattr(self.local, "node", None)
        if node is None or node.poll() is not None:
            node = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
            self.local.node = node
        return node

    def convert(self, source: Path, target: Path, options: dict) -> str | None:
        """None, or what went wrong."""
        node = self.process()
        node.stdin.write(json.dumps({"input": str(source), "output": str(target), "options": options}) + "\n")
        node.stdin.flush()
        clock = threading.Timer(CONVERT_LIMIT_S, node.kill)
        clock.start()
        line = node.stdout.readline()
        clock.cancel()
        if not line:
            return f"convert: Node ended with code {node.wait()}"
        error = json.loads(line)["error"]
        if error is None:
            return None
        kind = error["name"] if error["named"] else f"unnamed {error['name']}"
        return f"convert: {kind}: {error['message']}" + (", with output left behind" if error["left"] else "")
