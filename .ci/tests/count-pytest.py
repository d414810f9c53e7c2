"""Runs pytest on the given paths, and says which tests took long; last line: "N passed, N failed"."""

import sys

import pytest


class Count:
    passed = failed = 0

    def pytest_runtest_logreport(self, report):
        if report.failed:
            self.failed += 1
        elif report.passed and report.when == "call":
            self.passed += 1

    def pytest_collectreport(self, report):
        self.failed += report.failed


count = Count()
status = pytest.main(["-q", "-p", "no:cacheprovider", "--durations=15", "--durations-min=2", *sys.argv[1:]], plugins=[count])
print(f"{count.passed} passed, {count.failed} failed")
sys.exit(status)
