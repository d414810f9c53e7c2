import { mkdtempSync, rmSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { tableFromIPC } from "apache-arrow";
import { afterAll, beforeAll, expect, test } from "vitest";
import { open, openStored } from "../../../../../src/api/open.node.js";
import type { PipeInputs } from "../../../src/serve/pipe/pipe-datasets.js";
import { encodePipeJson, FRAME, readRequestBytes } from "../../../src/serve/pipe/pipe-frames.js";
import { servePipe } from "../../../src/serve/pipe/pipe-server.node.js";

const TOKEN = "a token";

const INPUTS: PipeInputs = {
  open: (input, options, signal) => openStored(input, { ...options, signal }),
  files: async (patterns) => patterns,
};

let folder: string;
let address: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "annarrow-pipe-"));
  address = String(await servePipe({ socket: join(folder, "socket"), token: TOKEN }, INPUTS));
});

afterAll(() => rmSync(folder, { recursive: true }));

function sent(bytes: Uint8Array): Socket {
  const socket = connect(address);
  const length = new Uint8Array(4);
  new DataView(length.buffer).setUint32(0, bytes.length, true);
  socket.write(length);
  socket.write(bytes);
  return socket;
}

/** The whole answer: the bytes of its data, and the JSON that ends it. */
async function asked(request: unknown, token = TOKEN) {
  const all = Buffer.concat(await sent(encodePipeJson({ token, request })).toArray());
  const data: Uint8Array[] = [];
  for (let at = 0; at < all.length; ) {
    const [kind, length] = [all[at], Number(all.readBigUInt64LE(at + 1))];
    const bytes = all.subarray(at + 9, at + 9 + length);
    at += 9 + length;
    if (kind === FRAME.data) data.push(bytes);
    else return { data: Buffer.concat(data), isError: kind === FRAME.error, json: JSON.parse(bytes.toString()) };
  }
  throw new Error("the answer has no end");
}

test("a dataset is opened, described, read and closed", async () => {
  const opened = await asked({ kind: "open", input: "examples/pbmc.h5ad", options: {} });
  expect(opened.json).toMatchObject({ format: "anndata", shape: [2700, 800], failures: {} });
  const { dataset } = opened.json;
  const schema = await asked({ kind: "schema", dataset, table: "X" });
  expect(schema.json).toMatchObject({ rows: 187_809, metadata: { kind: "csr_matrix" } });
  const { data } = await asked({ kind: "read", dataset, table: "X", columns: ["col"], rows: [10, 20] });
  const [table, whole] = [
    tableFromIPC(data),
    await (await open("examples/pbmc.h5ad")).table("X").read({ rows: [10, 20] }),
  ];
  expect(table.toArray()).toEqual(whole.select(["col"]).toArray());
  expect((await asked({ kind: "close", dataset })).isError).toBe(false);
  expect((await asked({ kind: "schema", dataset, table: "X" })).json).toMatchObject({ tag: "NotFoundError" });
});

test("what is no request, and who has no token, is refused", async () => {
  expect((await asked({ kind: "open", input: "examples/pbmc.h5ad", options: {} }, "another")).json).toMatchObject({
    tag: "InvalidInputError",
    problem: "the token is not the one of this process",
  });
  expect((await asked({ kind: "read", dataset: -1, table: "X" })).json.message).toContain("request.dataset");
  expect((await asked({ kind: "open", input: "x", options: { other: 1 } })).json.tag).toBe("InvalidInputError");
});

async function* pieces(...all: Uint8Array[]) {
  yield* all;
}

test("a request is taken in any pieces, and not beyond its limit", async () => {
  const bytes = Uint8Array.of(3, 0, 0, 0, 7, 8, 9);
  const cut = [...bytes].map((byte) => Uint8Array.of(byte));
  expect([...(await readRequestBytes(pieces(...cut)))]).toEqual([7, 8, 9]);
  await expect(readRequestBytes(pieces(bytes.subarray(0, 5)))).rejects.toThrow("the request ends after 5 bytes");
  await expect(readRequestBytes(pieces(Uint8Array.of(0, 0, 0, 255)))).rejects.toThrow("at most 268435456");
});

test("rows or where, not both", async () => {
  const { json } = await asked({ kind: "open", input: "examples/pbmc.h5ad", options: {} });
  const where = { row: { slice: [0, null] } };
  const refused = await asked({ kind: "read", dataset: json.dataset, table: "X", rows: [0, 1], where });
  expect(refused.json).toMatchObject({ tag: "InvalidInputError", element: "X" });
  expect(refused.json.problem).toContain("either rows or where");
});
