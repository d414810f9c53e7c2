"""Counts what passes, and knows of what fails what should: a list with the store's name (a shell pattern), the step's
name (another), and what the problem says (a regular expression). A line of the list that fits no problem is a failure."""

import fnmatch
import re
import sys
from pathlib import Path


def known_problems(path: Path) -> list[tuple[str, str, re.Pattern]]:
    rules = [line.split(maxsplit=2) for line in path.read_text().splitlines() if line.strip() and not line.startswith("#")]
    return [(store, step, re.compile(problem)) for store, step, problem in rules]


class Report:
    """Of the list at `path` what belongs to the steps `COMMAND` and `COMMAND-…`."""

    def __init__(self, path: Path, command: str):
        self.path = path
        self.rules = [rule for rule in known_problems(path) if rule[1].split("-")[0] == command]
        self.used, self.passed, self.failed = set(), 0, 0

    def add(self, name: str, step: str, problems: list[str]) -> None:
        found = []
        for problem in problems:
            fits = lambda rule: fnmatch.fnmatch(name, rule[0]) and fnmatch.fnmatch(step, rule[1]) and rule[2].search(problem)
            rule = next(filter(fits, self.rules), None)
            self.used.add(rule) if rule else found.append(problem)
        self.passed, self.failed = self.passed + (not found), self.failed + bool(found)
        if found:
            more = f"; and {len(found) - 4} more" if len(found) > 4 else ""
            print(f"{name} | {step} | {'; '.join(one[:300] for one in found[:4])}{more}", flush=True)

    def end(self, whole: bool) -> None:
        for store, step, problem in [rule for rule in self.rules if whole and rule not in self.used]:
            self.failed += 1
            print(f"{store} | {step} | is in {self.path.name}, but no problem is so: {problem.pattern}")
        print(f"{self.passed} passed, {self.failed} failed")
        sys.exit(1 if self.failed or not self.passed else 0)
