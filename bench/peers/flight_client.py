"""pyarrow as the client of a Flight server that this script starts, and stops at the end:

    flight_client.py TASK annarrow NODE DIST IN    `annarrow serve` of the folder of IN (.h5ad)
    flight_client.py TASK pyarrow IN               flight_peer.py, which has the matrix of IN in memory

Tasks, all of the matrix X in coordinate layout:

    stream     one endpoint after the other, on one connection
    sql        all endpoints of the statement "select * from X", by ADBC's driver for Flight SQL
    two        two threads with a connection each, of which each takes every other endpoint
    clients    one endpoint by each of 40 clients at the same time, while ten more take a batch every half second
    requests   1,000 requests of ten rows each, all at once, on 50 connections

Prints {"seconds", "cpu", "peak", "result"}: the time of the task, of a server that has sent one endpoint before; the CPU
seconds of client and server for it, where the system tells them; the largest resident size of the server in bytes; and
what tells that every value has arrived.
"""

import json
import math
import os
import resource
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

CLIENTS, SLOW = 50, 10
REQUESTS, CONNECTIONS, ROWS = 1000, 50, 10


def command(server: list[str]) -> list[str]:
    match server:
        case ["annarrow", node, dist, source]:
            return [node, f"{dist}/cli/main.js", "serve", str(Path(source).parent), "--port", "0", "--read-only"]
        case ["pyarrow", source]:
            return [sys.executable, str(Path(__file__).with_name("flight_peer.py")), source]
    sys.exit(__doc__)


def started(server: list[str]) -> tuple[subprocess.Popen, str]:
    """The process, and where it listens: its log has that in the first line."""
    log = tempfile.NamedTemporaryFile("r")
    with open(log.name, "w") as errors:
        process = subprocess.Popen(command(server), stdin=subprocess.DEVNULL, stdout=errors, stderr=errors)
    line = ""
    while not line.endswith("\n"):
        if process.poll() is not None:
            sys.exit(f"the server ended: {line}{log.read()[-1000:]}")
        time.sleep(0.02)
        line += log.readline()
    return process, json.loads(line)["location"]


# Before the imports: what this process has in memory when it starts another counts for that one.
process, location = started(sys.argv[2:])

import pyarrow.compute as pc  # noqa: E402
import pyarrow.flight as flight  # noqa: E402

if sys.argv[1] == "sql":
    import adbc_driver_flightsql.dbapi as dbapi

NAME = Path(sys.argv[-1]).name


def connect() -> flight.FlightClient:
    # Else all clients of a process share one connection.
    return flight.connect(location, generic_options=[("grpc.use_local_subchannel_pool", 1)])


def info(client, **more) -> flight.FlightInfo:
    return client.get_flight_info(flight.FlightDescriptor.for_command(json.dumps({"dataset": NAME, "table": "X", **more})))


class Sums(dict):
    """Of all batches that have arrived."""

    def __init__(self):
        super().__init__(entries=0, row=0, col=0, value=0.0)

    def add(self, batch) -> None:
        self["entries"] += batch.num_rows
        for name in ("row", "col", "value"):
            self[name] += pc.sum(batch[name]).as_py()

    def take(self, client, endpoints) -> None:
        for endpoint in endpoints:
            for chunk in client.do_get(endpoint.ticket):
                self.add(chunk.data)


def total(parts) -> dict:
    return {name: sum(part[name] for part in parts) for name in parts[0]}


def together(tasks) -> float:
    """Seconds until all of them have ended, each in a thread. Throws the first error of any."""
    errors = []

    def run(task):
        try:
            task()
        except Exception as error:  # noqa: BLE001
            errors.append(error)

    threads = [threading.Thread(target=run, args=(task,)) for task in tasks]
    began = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    seconds = time.perf_counter() - began
    if errors:
        raise RuntimeError(f"{len(errors)} of {len(threads)} failed") from errors[0]
    return seconds


def stream(client, endpoints):
    sums = Sums()
    began = time.perf_counter()
    sums.take(client, endpoints)
    return time.perf_counter() - began, sums


def sql(_, endpoints):
    sums = Sums()
    options = {"adbc.flight.sql.rpc.call_header.schema": NAME}
    with dbapi.connect(location, db_kwargs=options, autocommit=True) as connection, connection.cursor() as cursor:
        began = time.perf_counter()
        cursor.execute("select * from X")
        for batch in cursor.fetch_record_batch():
            sums.add(batch)
        return time.perf_counter() - began, sums


def two(_, endpoints):
    parts = [Sums(), Sums()]
    return together([lambda i=i, sums=sums: sums.take(connect(), endpoints[i::2]) for i, sums in enumerate(parts)]), total(parts)


def clients(_, endpoints):
    parts = [Sums() for _ in range(CLIENTS - SLOW)]
    done = threading.Event()
    slow = [Sums() for _ in range(SLOW)]
    ended = []

    def fast(i):
        try:
            parts[i].take(connect(), [endpoints[i % len(endpoints)]])
        finally:
            ended.append(i)
            if len(ended) == len(parts):
                done.set()

    def slowly(i):
        reader = connect().do_get(endpoints[i % len(endpoints)].ticket)
        for chunk in reader:
            slow[i].add(chunk.data)
            if done.wait(0.5):
                break
        reader.cancel()

    seconds = together([lambda i=i: slowly(i) for i in range(SLOW)] + [lambda i=i: fast(i) for i in range(len(parts))])
    assert all(sums["entries"] > 0 for sums in slow)
    for i, sums in enumerate(parts):
        first = parts[i % len(endpoints)]
        assert all(math.isclose(sums[name], first[name]) for name in sums), (i, sums, first)
    return seconds, total(parts[: len(endpoints)])


def requests(client, endpoints):
    connections = [connect() for _ in range(CONNECTIONS)]
    step = info(client).total_records // REQUESTS
    parts = [Sums() for _ in range(REQUESTS)]
    at_once = threading.Barrier(REQUESTS)
    # 1,000 threads with little to remember.
    threading.stack_size(2**18)

    def ask(i):
        at_once.wait()
        own = connections[i % CONNECTIONS]
        parts[i].take(own, info(own, rows=[i * step, i * step + ROWS]).endpoints)

    seconds = together([lambda i=i: ask(i) for i in range(REQUESTS)])
    assert all(sums["entries"] == ROWS for sums in parts)
    return seconds, total(parts)


def cpu_seconds() -> float | None:
    """Of this process and the server, so far."""
    try:
        stat = Path(f"/proc/{process.pid}/stat").read_text()
    except FileNotFoundError:
        return None
    user, system = stat[stat.rindex(")") + 2 :].split()[11:13]
    return time.process_time() + (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def main(task: str) -> None:
    run = {"stream": stream, "sql": sql, "two": two, "clients": clients, "requests": requests}[task]
    with connect() as client:
        endpoints = info(client).endpoints
        Sums().take(client, endpoints[-1:])
        before = cpu_seconds()
        seconds, result = run(client, endpoints)
        cpu = None if before is None else cpu_seconds() - before
    process.terminate()
    process.wait()
    # KiB, in bytes on macOS; of the server, which is the only process that ended.
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    print(json.dumps({"seconds": seconds, "cpu": cpu, "peak": peak, "result": result}))


try:
    main(sys.argv[1])
finally:
    process.kill()
