/** Endpoints of large tables: their row ranges, and what is said of each. */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { open } from "../../../published/src/node.js";
import { FlightDecoder } from "../../src/flight/messages/decode.js";
import { METHODS } from "../../src/flight/protocol/methods.js";
import { ProtoWriter } from "../../src/flight/protocol/proto-writer.js";
import { writeSqlMessage } from "../../src/flight/protocol/sql/any.js";
import { type ServedToClient, servedToClient } from "./served.js";

/** Of X in examples/pbmc.h5ad, as anndata has it. */
const ROWS = 2700;
const ENTRIES = 187_809;

let it: ServedToClient;
beforeAll(async () => {
  it = await servedToClient({ endpointBytes: 2 ** 18 });
});
afterAll(() => it.close());

const json = (bytes: Uint8Array): unknown => JSON.parse(new TextDecoder().decode(bytes));

function infoOf(command: Readonly<Record<string, unknown>>) {
  const bytes = new TextEncoder().encode(JSON.stringify({ dataset: "pbmc.h5ad", ...command }));
  return it.connection.unary(METHODS.getFlightInfo, { kind: "command", command: bytes });
}

/** Rows of a stream, and entries of its lists. */
async function counts(ticket: Uint8Array) {
  const decoder = new FlightDecoder();
  const found = { rows: 0, entries: 0 };
  for await (const message of it.connection.stream(METHODS.doGet, { ticket })) {
    const decoded = await decoder.take(message);
    if (decoded?.batch === undefined || decoded.batch === null) continue;
    const lists = (await decoded.batch()).data.children[0];
    found.rows += lists.length;
    if (lists.valueOffsets !== undefined) found.entries += lists.valueOffsets[lists.length] - lists.valueOffsets[0];
  }
  return found;
}

describe("lists", () => {
  test("are cut by what they hold, and say how much", async () => {
    const info = await infoOf({ table: "X", layout: "list" });
    expect(info.totalRecords).toBe(ROWS);
    // Offsets of four bytes, positions and values of four bytes each.
    expect(info.totalBytes).toBe(4 * ROWS + 8 * ENTRIES);
    expect(info.endpoints.length).toBe(Math.ceil(info.totalBytes / 2 ** 18));
    let end = 0;
    let entries = 0;
    for (const { ticket, appMetadata } of info.endpoints) {
      const found = await counts(ticket.ticket);
      expect(json(appMetadata)).toEqual({ rows: [end, end + found.rows], nnz: found.entries });
      end += found.rows;
      entries += found.entries;
    }
    expect([end, entries]).toEqual([ROWS, ENTRIES]);
  });

  test("of some rows", async () => {
    const info = await infoOf({ table: "X", layout: "list", rows: [2690, 3000] });
    const data = await open("examples/pbmc.h5ad");
    const rows = (await data.table("X").read()).getChild("row");
    const last = rows?.toArray().filter((row: number) => row >= 2690).length;
    await data.close();
    expect(info.endpoints.map(({ appMetadata }) => json(appMetadata))).toEqual([{ rows: [2690, ROWS], nnz: last }]);
    expect(info.totalBytes).toBe(4 * 10 + 8 * Number(last));
  });
});

test("coordinates are entries, other tables have none", async () => {
  const matrix = await infoOf({ table: "X" });
  expect(matrix.totalBytes).toBe(12 * ENTRIES);
  expect(matrix.endpoints.length).toBeGreaterThan(5);
  expect(json(matrix.endpoints[0].appMetadata)).toMatchObject({ nnz: expect.any(Number) });
  const obs = await infoOf({ table: "obs", rows: [0, 10] });
  expect(obs.endpoints.map(({ appMetadata }) => json(appMetadata))).toEqual([{ rows: [0, 10] }]);
});

test("statements of Flight SQL have larger ones", async () => {
  const query = new ProtoWriter().string(1, 'select * from "pbmc.h5ad".X');
  const command = writeSqlMessage("CommandStatementQuery", query);
  const { endpoints } = await it.connection.unary(METHODS.getFlightInfo, { kind: "command", command });
  expect(endpoints.map(({ appMetadata }) => json(appMetadata))).toEqual([{ rows: [0, ENTRIES], nnz: ENTRIES }]);
});
