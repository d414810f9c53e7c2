"""Comparisons by an oracle, each in a fork of one process that has imported everything: a crash ends but one of them."""

import multiprocessing
import os
from pathlib import Path

COMPARE_LIMIT_S = 600


class Forks:
    """Calls a function of a module, which sends the problems that it finds through its last argument."""

    def __init__(self, run, folders: list[Path], preloaded: list[str]):
        # The server takes its path from the environment alone.
        os.environ["PYTHONPATH"] = os.pathsep.join(str(folder.resolve()) for folder in folders)
        self.run = run
        self.context = multiprocessing.get_context("forkserver")
        self.context.set_forkserver_preload([name for name in (run.__module__, *preloaded) if name != "__main__"])

    def __call__(self, *args) -> list[str]:
        receive, send = self.context.Pipe(duplex=False)
        process = self.context.Process(target=self.run, args=(*args, send))
        process.start()
        send.close()
        try:
            return receive.recv() if receive.poll(COMPARE_LIMIT_S) else [f"no end in {COMPARE_LIMIT_S} s"]
        except EOFError:
            process.join()
            return [f"the comparison ended with code {process.exitcode}"]
        finally:
            process.kill()
            process.join()
