"""pyarrow's own Flight server, for the client of this library; prints its port."""

import base64
import datetime
import decimal
import json
import sys

import pyarrow as pa
import pyarrow.flight as flight

N = 1000


def holes(values, step=5):
    return pa.array([None if i % step == 2 else v for i, v in enumerate(values)])


def coded(values, items, index="int8"):
    codes = pa.array([None if v is None else values.index(v) for v in items], index)
    return pa.DictionaryArray.from_arrays(codes, pa.array(values))


def types():
    cycle = lambda *values: [values[i % len(values)] for i in range(N)]
    return pa.table({
        **{t: pa.array(range(N), t) for t in ("int16", "int32", "int64", "uint32", "uint64", "float32", "float64")},
        "float16": pa.array(cycle(1.5, -0.0), "float16"),
        "bool": pa.array(cycle(True, None, False)),
        "text": pa.array(cycle("", None, "ä", "a longer text than a view holds")),
        "large_text": pa.array(cycle("x", None), pa.large_string()),
        "view": pa.array(cycle("x", None, "a longer text than a view holds"), pa.string_view()),
        "bytes": pa.array(cycle(b"\x00\xff", None), pa.binary()),
        "fixed": pa.array(cycle(b"abc", None), pa.binary(3)),
        "null": pa.nulls(N),
        "day": pa.array(cycle(datetime.date(1969, 1, 1), None)),
        "clock": pa.array(range(N), pa.time64("us")),
        "stamp": pa.array(range(N), pa.timestamp("ns", tz="Europe/Vienna")),
        "span": pa.array(range(N), pa.duration("ms")),
        "decimal": pa.array(cycle(decimal.Decimal("1.25"), None), pa.decimal128(9, 2)),
        "list": pa.array(cycle([1, None], [], None), pa.list_(pa.int32())),
        "large_list": pa.array(cycle(["a"], None), pa.large_list(pa.string())),
        "pair": pa.array(cycle([1.0, 2.0], None), pa.list_(pa.float32(), 2)),
        "struct": pa.array(cycle({"a": 1, "b": "x"}, None), pa.struct({"a": "int16", "b": pa.string()})),
        "map": pa.array(cycle([("k", 1)], []), pa.map_(pa.string(), pa.int32())),
        "coded": coded(["c", "a", "unused"], cycle("a", None, "c")),
        "coded_list": pa.array(cycle(["u"], ["v", "u"], None), pa.list_(pa.dictionary("int8", pa.string()))),
        "union": pa.UnionArray.from_dense(pa.array(cycle(0, 1), "int8"), pa.array([i // 2 for i in range(N)], "int32"),
                                          [pa.array(range(N // 2)), pa.array([str(i) for i in range(N // 2)])]),
    }, metadata={"made": "by pyarrow"})


def growing():
    """Batches whose dictionaries grow, are replaced, and come back."""
    for values in (["a"], ["a", "b"], ["c"], ["a"]):
        yield pa.record_batch({"c": coded(values, [*values, None])})


TABLES = {
    "types": types(),
    "folder/numbers": pa.table({"i": pa.array(range(100_000), "int32"), "t": [f"row {i}" for i in range(100_000)]}),
    "folder/sub/none": pa.table({"i": pa.array([], "int64"), "c": pa.DictionaryArray.from_arrays(pa.array([], "int8"), ["unused"])}),
    "growing": pa.Table.from_batches(growing()),
}
OPTIONS = {
    "plain": pa.ipc.IpcWriteOptions(),
    "lz4": pa.ipc.IpcWriteOptions(compression="lz4"),
    "zstd": pa.ipc.IpcWriteOptions(compression="zstd"),
    "delta": pa.ipc.IpcWriteOptions(emit_dictionary_deltas=True),
}
PARTS = 5


class Auth(flight.ServerMiddlewareFactory):
    """A name and a password for a token, or the token."""

    def start_call(self, info, headers):
        kind, _, value = headers.get("authorization", [""])[0].partition(" ")
        if kind == "Basic" and base64.b64decode(value) == b"me:secret":
            return Token()
        if value != "token":
            raise flight.FlightUnauthenticatedError("who are you?")
        return None


class Token(flight.ServerMiddleware):
    def sending_headers(self):
        return {"authorization": "Bearer token"}


class NoHandshake(flight.ServerAuthHandler):
    def authenticate(self, outgoing, incoming):
        pass

    def is_valid(self, token):
        return b""


class Server(flight.FlightServerBase):
    def __init__(self, options, **more):
        super().__init__("grpc://127.0.0.1:0", **more)
        self.options = options
        self.failed = set()

    def info(self, name):
        table = TABLES[name]
        descriptor = flight.FlightDescriptor.for_path(*name.split("/"))
        step = -(-len(table) // PARTS)
        ranges = [(at, step) for at in range(0, len(table), step or 1)] if name == "folder/numbers" else [(0, len(table))]
        until = pa.scalar(datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(hours=1), pa.timestamp("ns", tz="UTC"))
        endpoints = [
            flight.FlightEndpoint(json.dumps([name, *part]).encode(), [f"grpc://localhost:{self.port}"] if i % 2 else [], until)
            for i, part in enumerate(ranges)
        ]
        return flight.FlightInfo(table.schema, descriptor, endpoints, len(table), -1, True)

    def list_flights(self, context, criteria):
        yield from map(self.info, TABLES)

    def get_flight_info(self, context, descriptor):
        name = "/".join(part.decode() for part in descriptor.path)
        if name not in TABLES:
            raise KeyError(f"no flight {name}")
        return self.info(name)

    def get_schema(self, context, descriptor):
        return flight.SchemaResult(self.get_flight_info(context, descriptor).schema)

    def do_get(self, context, ticket):
        name, start, rows = json.loads(ticket.ticket)
        table = TABLES[name].slice(start, rows)
        # pyarrow's GeneratorStream sends no dictionaries, its RecordBatchStream no metadata.
        if name != "folder/numbers":
            batches = growing() if name == "growing" else table.to_batches(max_chunksize=300)
            return flight.RecordBatchStream(pa.RecordBatchReader.from_batches(table.schema, batches), options=self.options)
        # Each endpoint fails once after its first batch: it may be read again until it expires.
        fails = ticket.ticket not in self.failed
        self.failed.add(ticket.ticket)

        def batches():
            for i, batch in enumerate(table.to_batches(max_chunksize=3000)):
                if fails and i == 1:
                    raise flight.FlightUnavailableError("gone for a moment")
                yield batch, b"rows"

        return flight.GeneratorStream(table.schema, batches(), options=self.options)


if __name__ == "__main__":
    kind, *flags = sys.argv[1:]
    more = {}
    if "auth" in flags:
        more = {"auth_handler": NoHandshake(), "middleware": {"auth": Auth()}}
    server = Server(OPTIONS[kind], **more)
    print(server.port, flush=True)
    server.serve()
