"""A Flight server of pyarrow with the matrix of IN (.h5ad) in memory as one coordinate table: flight_peer.py IN

It sends batches of about as many rows as `annarrow serve`, and has the same endpoints. The first line that it writes says where
it listens, as JSON.
"""

import json
import sys

import h5py
import numpy as np
import pyarrow as pa
import pyarrow.flight as flight

ENDPOINT_ROWS = 5_505_024
BATCH_ROWS = 163_840


def matrix(source: str) -> pa.RecordBatch:
    with h5py.File(source) as file:
        data, indices, indptr = (file["X"][name][:] for name in ("data", "indices", "indptr"))
    row = np.repeat(np.arange(len(indptr) - 1, dtype=np.int32), np.diff(indptr))
    return pa.record_batch({"row": row, "col": indices.astype(np.int32, copy=False), "value": data})


class Server(flight.FlightServerBase):
    def __init__(self, batch: pa.RecordBatch):
        super().__init__("grpc://127.0.0.1:0")
        self.batch = batch

    def get_flight_info(self, context, descriptor):
        start, end = json.loads(descriptor.command).get("rows", [0, self.batch.num_rows])
        ranges = [[at, min(end, at + ENDPOINT_ROWS)] for at in range(start, end, ENDPOINT_ROWS)]
        endpoints = [flight.FlightEndpoint(json.dumps(rows), []) for rows in ranges]
        return flight.FlightInfo(self.batch.schema, descriptor, endpoints, end - start, -1)

    def do_get(self, context, ticket):
        start, end = json.loads(ticket.ticket)
        batches = [self.batch.slice(at, min(BATCH_ROWS, end - at)) for at in range(start, end, BATCH_ROWS)]
        return flight.RecordBatchStream(pa.Table.from_batches(batches, self.batch.schema))


server = Server(matrix(sys.argv[1]))
print(json.dumps({"location": f"grpc://127.0.0.1:{server.port}"}), flush=True)
server.serve()
