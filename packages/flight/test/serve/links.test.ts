/** Links within stores: what they lead to outside is never read, whatever kind of link it is. */

import { cpSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { convert, open, write } from "../../../published/src/node.js";
import { FlightDecoder } from "../../src/flight/messages/decode.js";
import { METHODS } from "../../src/flight/protocol/methods.js";
import { type ServedToClient, servedToClient } from "./served.js";

/** Of examples/pbmc.h5ad. */
const ROWS = 2700;

let it: ServedToClient;
beforeAll(async () => {
  it = await servedToClient();
});
afterAll(() => it.close());

/** A store of Zarr of that name, with obs and X. */
async function zarr(name: string): Promise<string> {
  const path = join(it.folder, name);
  const data = await open("examples/pbmc.h5ad");
  await write(path, {
    X: data.table("X"),
    obs: await data.table("obs").read({ columns: ["_index", "n_genes"] }),
    var: await data.table("var").read({ columns: ["gene_id"] }),
  });
  await data.close();
  return path;
}

function bpcells(name: string): string {
  const path = join(it.folder, name);
  cpSync("test/fixtures/data/bpcells/unpacked-float", path, { recursive: true });
  return path;
}

/** Moves what is at `path` to a folder, and leaves a link to it. */
function movedTo(folder: string, path: string): void {
  const to = join(folder, `${basename(dirname(path))}-${basename(path)}`);
  renameSync(path, to);
  symlinkSync(to, path);
}

async function rows(...path: readonly string[]): Promise<number> {
  const { endpoints } = await it.connection.unary(METHODS.getFlightInfo, { kind: "path", path });
  let count = 0;
  for (const { ticket } of endpoints) {
    const decoder = new FlightDecoder();
    for await (const message of it.connection.stream(METHODS.doGet, ticket)) {
      const decoded = await decoder.take(message);
      count += (await decoded?.batch?.())?.numRows ?? 0;
    }
  }
  return count;
}

const forbidden = {
  cause: { status: "PERMISSION_DENIED", message: expect.stringContaining("is a symbolic link that leads out of the") },
};

/** Refused over both protocols, with nothing of where it leads. */
async function expectForbidden(name: string, table: string): Promise<void> {
  await expect(rows(name, table)).rejects.toMatchObject(forbidden);
  const response = await fetch(`${it.http}/${name}/${table}`);
  const text = await response.text().catch(() => null);
  // Once the schema has gone it is too late for a status: the answer is cut off.
  expect([name, table, text === null ? 403 : response.status]).toEqual([name, table, 403]);
  expect(text ?? "").not.toContain(it.outside);
}

describe("of a folder store", () => {
  test("a chunk, a document or a folder outside of what is served; all else is read", async () => {
    const store = await zarr("a.zarr");
    movedTo(it.outside, join(store, "obs", "n_genes", "0"));
    await expectForbidden("a.zarr", "obs");
    expect(await rows("a.zarr", "var")).toBe(800);
    movedTo(it.outside, join(store, "X", "data"));
    await expectForbidden("a.zarr", "X");
    movedTo(it.outside, join(store, "var"));
    await expectForbidden("a.zarr", "var");
  });

  test("an array of BPCells", async () => {
    const store = bpcells("b.bpcells");
    expect(await rows("b.bpcells", "matrix")).toBeGreaterThan(0);
    movedTo(it.outside, join(store, "val"));
    await expectForbidden("b.bpcells", "matrix");
  });

  test("what says that it is a store", async () => {
    const store = bpcells("c.bpcells");
    movedTo(it.outside, join(store, "version"));
    await expectForbidden("c.bpcells", "matrix");
    const linked = join(it.folder, "d");
    mkdirSync(linked);
    symlinkSync(join(store, "version"), join(linked, "version"));
    await expect(rows("d", "matrix")).rejects.toMatchObject({ tag: expect.stringMatching(/NotFound|InvalidInput/) });
    rmSync(linked, { recursive: true });
  });

  test("another store of the folder, and the way up: a store is read by itself alone", async () => {
    const [one, other] = [bpcells("e.bpcells"), bpcells("f.bpcells")];
    rmSync(join(one, "val"));
    symlinkSync(join(other, "val"), join(one, "val"));
    await expectForbidden("e.bpcells", "matrix");
    rmSync(join(one, "val"));
    symlinkSync("../pbmc.h5ad", join(one, "val"));
    await expectForbidden("e.bpcells", "matrix");
  });

  test("within it links are followed, in circles too far", async () => {
    const store = bpcells("g.bpcells");
    const count = await rows("g.bpcells", "matrix");
    renameSync(join(store, "val"), join(store, "stored"));
    symlinkSync("stored", join(store, "val"));
    expect(await rows("g.bpcells", "matrix")).toBe(count);
    rmSync(join(store, "val"));
    symlinkSync("val", join(store, "val"));
    await expect(rows("g.bpcells", "matrix")).rejects.toMatchObject({ cause: { status: expect.any(String) } });
    expect(await rows("pbmc.h5ad", "obs")).toBe(ROWS);
  });

  test("a directory of tables", async () => {
    const folder = join(it.folder, "tables");
    await convert("examples/pbmc.h5ad", folder, { format: "arrow" });
    expect(await rows("tables", "obs")).toBe(ROWS);
    movedTo(it.outside, join(folder, "obs.arrow"));
    await expectForbidden("tables", "obs");
    expect(await rows("tables", "var")).toBe(800);
  });
});

describe("of an HDF5 file", () => {
  beforeAll(() => {
    cpSync("test/fixtures/data/flight/linked.h5ad", join(it.folder, "linked-inside.h5ad"));
    writeFileSync(join(it.outside, "secret.bin"), readFileSync("examples/pbmc.h5ad").subarray(0, 24));
  });

  test.each([
    ["X", /external link to \/X in the file/],
    ["layers/external_link", /external link to \/obsm\/X_pca in the file/],
    ["layers/raw_file", /external storage: the values lie in the file \.\.\/outside\/secret\.bin/],
    ["layers/virtual", /virtual dataset/],
  ])("%s is not read", async (table, message) => {
    await expect(rows("linked-inside.h5ad", table)).rejects.toMatchObject({
      cause: { status: "UNIMPLEMENTED", message: expect.stringMatching(message) },
    });
    const response = await fetch(`${it.http}/linked-inside.h5ad/${table}`);
    await response.arrayBuffer();
    expect(response.status).toBe(501);
  });

  test("a statement reaches no other file either, and what is inside is read", async () => {
    for (const table of ["X", "layers/raw_file", "layers/virtual"]) {
      const sql = `select * from "${table}"`;
      const response = await fetch(`${it.http}/linked-inside.h5ad?sql=${encodeURIComponent(sql)}&format=json`);
      await response.arrayBuffer();
      expect([table, response.status]).toEqual([table, 501]);
    }
    const columns = await fetch(`${it.http}/linked-inside.h5ad/layers/soft_link?format=csv`);
    expect(await columns.text()).toContain("5");
  }, 120_000);
});
