"""The process of Node: one for all, back-pressure, early ends, Ctrl-C, forks, deaths."""

import gc
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import annarrow
import pyarrow.compute as pc
import pytest
from annarrow._process import NodeProcess, node
from conftest import eventually, seconds_of


def total(path) -> float:
    with annarrow.open(path).table("X").reader(["value"]) as reader:
        return sum(pc.sum(batch["value"]).as_py() or 0 for batch in reader)


def bytes_read_by(pid: int) -> int:
    """How many bytes a process has read from files and connections."""
    counts = dict(line.split(": ") for line in Path(f"/proc/{pid}/io").read_text().splitlines())
    return int(counts["rchar"])


def isstill(pid: int) -> bool:
    """Whether a process computes nothing for half a second."""
    before = seconds_of(pid)
    time.sleep(0.5)
    return seconds_of(pid) - before < 0.05


def test_many_threads_have_one_process(path, data):
    pid = node().pid
    with ThreadPoolExecutor(8) as pool:
        sums = list(pool.map(total, [path] * 40))
    assert sums == [float(data.X.sum())] * 40
    assert node().pid == pid


def test_readers_take_turns(path, large, data):
    tables = [annarrow.open(large).table("X"), annarrow.open(path).table("X"), annarrow.open(large).table("X")]
    readers = [table.reader(["value"]) for table in tables]
    rows = [0, 0, 0]
    while any(reader is not None for reader in readers):
        for i, reader in enumerate(readers):
            if reader is None:
                continue
            try:
                rows[i] += reader.read_next_batch().num_rows
            except StopIteration:
                readers[i] = None
    assert rows == [10_000_000, data.X.nnz, 10_000_000]


def test_what_nobody_reads_is_not_decoded(large):
    table = annarrow.open(large).table("X")
    pid = node().pid
    before = bytes_read_by(pid)
    reader = table.reader()
    first = reader.read_next_batch().num_rows
    assert eventually(lambda: isstill(pid))
    held = bytes_read_by(pid) - before
    assert first + sum(batch.num_rows for batch in reader) == 10_000_000
    # A part of the values and the indices was still to be read.
    assert held < 0.9 * 80_000_000 <= bytes_read_by(pid) - before


@pytest.mark.parametrize("end", ["close", "with", "drop"])
def test_a_reader_that_ends_early(large, end):
    table = annarrow.open(large).table("X")
    pid = node().pid
    for _ in range(20):
        reader = table.reader()
        reader.read_next_batch()
        if end == "close":
            reader.close()
            with pytest.raises(annarrow.AnnarrowError, match="the reader is closed"):
                reader.read_all()
        elif end == "with":
            with reader:
                pass
        del reader
        gc.collect()
    sockets = lambda: sum(os.readlink(one).startswith("socket") for one in Path(f"/proc/{pid}/fd").iterdir())
    # The one that it listens at. What has begun is not read to its end.
    assert eventually(lambda: sockets() <= 1)
    assert eventually(lambda: isstill(pid))
    assert table.read(rows=(0, 10)).num_rows == 10


def test_a_closed_dataset(path):
    with annarrow.open(path) as opened:
        table = opened.table("X")
    with pytest.raises(annarrow.NotFoundError, match="closed"):
        table.read()


def test_a_fork_has_its_own_process(path, data):
    opened = annarrow.open(path)
    parent = node().pid
    with multiprocessing.get_context("fork").Pool(2) as pool:
        assert pool.map(total, [path] * 4) == [float(data.X.sum())] * 4
        children = set(pool.map(_pid_and_rows, [opened] * 4))
    assert all(rows == 900 and pid != parent for pid, rows in children)
    assert node().pid == parent
    assert opened.table("obs").read().num_rows == 900


def _pid_and_rows(opened) -> tuple[int, int]:
    return node().pid, opened.table("obs").read().num_rows


def test_a_process_that_dies(path, large):
    opened, reader = annarrow.open(path), annarrow.open(large).table("X").reader()
    reader.read_next_batch()
    os.kill(node().pid, signal.SIGKILL)
    with pytest.raises(annarrow.AnnarrowError, match=r"Node\.js ended with code -9 while it was reading"):
        reader.read_all()
    # The next one opens the file again.
    assert opened.table("obs").read().num_rows == 900


def test_a_port_instead_of_a_socket(path):
    process = NodeProcess(port=True)
    try:
        found = process.ask({"kind": "open", "input": str(path), "options": {}})
        assert found["shape"] == [900, 70]
        process._token = "another"
        with pytest.raises(annarrow.InvalidInputError, match="token"):
            process.ask({"kind": "close", "dataset": 1})
        with pytest.raises(annarrow.InvalidInputError, match="kind"):
            process.ask({"kind": "what"})
    finally:
        process.end()


READS = """
import sys, annarrow
from annarrow._process import node
annarrow.open(sys.argv[1])
print(node().pid, flush=True)
while True:
    try:
        annarrow.open(sys.argv[1]).table("X").read()
    except KeyboardInterrupt:
        print(annarrow.open(sys.argv[1]).shape, flush=True)
        raise
"""


def start(large) -> tuple[subprocess.Popen[str], int]:
    process = subprocess.Popen(
        [sys.executable, "-c", READS, large],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    return process, int(process.stdout.readline())


def runs(pid: int) -> bool:
    state = Path(f"/proc/{pid}/stat")
    return state.exists() and state.read_text().rpartition(")")[2].split()[0] != "Z"


def test_the_process_ends_with_python(large):
    process, pid = start(large)
    sockets = [line.split()[-1] for line in Path("/proc/net/unix").read_text().splitlines() if "annarrow-" in line]
    time.sleep(0.5)
    process.kill()
    process.communicate()
    assert eventually(lambda: not runs(pid))
    left = [path for path in sockets if Path(path).exists()]
    # Those of other processes of Python.
    assert len(left) < len(sockets)


def test_interrupted(large):
    process, pid = start(large)
    time.sleep(0.7)
    # As Ctrl-C in a terminal, which all processes of the session get.
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert err.strip().splitlines()[-1] == "KeyboardInterrupt"
    assert "node" not in err.lower().replace("_node", "")
    # The process of Node has gone on.
    assert out.strip() == "(100000, 100)"
    assert eventually(lambda: not runs(pid))


def test_letting_go_of_a_dataset_waits_for_nothing(path):
    dataset = annarrow.open(path)
    pid = node().pid
    opened = [link for link in Path(f"/proc/{pid}/fd").iterdir() if os.path.realpath(link) == os.path.realpath(path)]
    assert opened
    os.kill(pid, signal.SIGSTOP)
    woken = threading.Timer(20, os.kill, (pid, signal.SIGCONT))
    woken.start()
    # Python ignores what a finalizer raises: a Ctrl-C while it waited for an answer would be lost.
    del dataset
    gc.collect()
    assert woken.is_alive()
    woken.cancel()
    os.kill(pid, signal.SIGCONT)
    assert eventually(lambda: not any(link.exists() for link in opened))


def test_threads_start_one_process():
    code = """
import threading
from annarrow._process import node
pids = []
threads = [threading.Thread(target=lambda: pids.append(node().pid)) for _ in range(8)]
for thread in threads: thread.start()
for thread in threads: thread.join()
print(len(set(pids)))
"""
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "1\n"
    assert threading.active_count() >= 1
