import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { promisify } from "node:util";
import { unzipSync } from "fflate";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { open as openInBrowser } from "../../../../packages/published/src/index.js";
import { open } from "../../../../packages/published/src/node.js";
import { openRemoteFile } from "../../../../src/io/sources/http/remote-file.js";
import type { Dataset } from "../../../../src/model/dataset.js";
import { ensureBuilt } from "../../../build.js";
import { tablesOf } from "../../../readers/anndata/expected.js";
import { type FileServer, fileServer, serveFile } from "../file-server.js";
import { CELLS, CHUNK, GENES, geneAt, largeH5ad, PER_CELL, valueAt } from "../large-h5ad.js";

const FIXTURES = "test/fixtures/data/anndata";

/** Serves files by path. */
function serve(files: Readonly<Record<string, Uint8Array>>): Promise<FileServer> {
  return fileServer((request, response) => {
    const file = files[decodeURIComponent((request.url ?? "").replace(/\?.*/, ""))];
    if (file === undefined) response.writeHead(404).end();
    else serveFile(file, request, response);
  });
}

async function opened(url: string, how: typeof open = open): Promise<Dataset> {
  const data = await how(url);
  onTestFinished(() => data.close());
  return data;
}

const BLOCK = 1 << 16;

/** That a server was not asked for more since the last call. */
function expectAtMost(server: FileServer, most: { readonly requests: number; readonly bytes: number }): void {
  expect(server.requests.length).toBeLessThanOrEqual(most.requests);
  expect(server.bytes).toBeLessThanOrEqual(most.bytes);
  server.requests.length = 0;
  server.bytes = 0;
}

describe("open by URL gives the same as by path", () => {
  it.each([
    `${FIXTURES}/modern.h5ad`,
    `${FIXTURES}/legacy_0_6.h5ad`,
    `${FIXTURES}/modern.v3s.zarr.zip`,
    "examples/pbmc.h5ad",
    "examples/pbmc.zarr.zip",
  ])("%s", async (path) => {
    const bytes = readFileSync(path);
    const server = await serve({ [`/${path}`]: bytes });
    const remote = await opened(`${server.origin}/${path}`);
    const local = await opened(path);
    expect(remote.source).toBe(`${server.origin}/${path}`);
    expect(remote.container).toBe(local.container);
    expect([...remote.failures.keys()]).toEqual([...local.failures.keys()]);
    // Tables as text: comparing a million values one by one takes long.
    expect(JSON.stringify(await tablesOf(remote)) === JSON.stringify(await tablesOf(local))).toBe(true);
  });
});

describe("what lies behind a URL", () => {
  const h5ad = readFileSync(`${FIXTURES}/plain.h5ad`);
  const zip = readFileSync(`${FIXTURES}/plain.v3.zarr.zip`);
  const store = Object.entries(unzipSync(zip));
  const below = (folder: string) => Object.fromEntries(store.map(([key, bytes]) => [`/${folder}/${key}`, bytes]));

  it.each<[string, string, Record<string, Uint8Array>]>([
    ["a file by its name", "/x.h5ad", { "/x.h5ad": h5ad }],
    ["a signed URL", "/x.h5ad?X-Signature=a%2Fb.zarr", { "/x.h5ad": h5ad }],
    ["a file without a name", "/download?file=x.zarr", { "/download": h5ad }],
    ["a zip by its name", "/x.zarr.zip", { "/x.zarr.zip": zip }],
    ["a zip without a name", "/files/17", { "/files/17": zip }],
    ["a store by its name", "/x.zarr", below("x.zarr")],
    ["a folder", "/x/", below("x")],
    ["a store without a name", "/x", below("x")],
    ["a file below a store", "/x.zarr/plain.h5ad", { "/x.zarr/plain.h5ad": h5ad }],
  ])("%s", async (_, path, files) => {
    const server = await serve(files);
    for (const how of [open, openInBrowser]) {
      const data = await opened(server.origin + path, how);
      expect([...data.tables.keys()]).toContain("X");
    }
  });

  it("is found with one request where the name tells", async () => {
    const server = await serve({ "/x.h5ad": h5ad });
    await opened(`${server.origin}/x.h5ad`);
    expectAtMost(server, { requests: 1, bytes: h5ad.length });
  });

  it.each<[string, string, Record<string, Uint8Array>, string, RegExp]>([
    ["nothing", "/x.h5ad", {}, "NotFoundError", /x\.h5ad: the server answered 404 Not Found$/],
    ["nothing, without a name", "/x", {}, "NotFoundError", /\/x: the server answered 404 Not Found$/],
    ["an empty file", "/x.h5ad", { "/x.h5ad": new Uint8Array(0) }, "UnsupportedError", /the file is empty/],
    ["something else", "/x", { "/x": new Uint8Array(100) }, "UnsupportedError", /neither HDF5, nor Zarr/],
  ])("is a named error: %s", async (_, path, files, tag, message) => {
    const server = await serve(files);
    const error = await open(server.origin + path).catch((one: unknown) => one);
    expect(error).toMatchObject({ tag });
    expect(String(error)).toMatch(message);
  });

  it("is asked for no longer than the caller wants", async () => {
    const server = await fileServer(() => undefined);
    const reason = new Error("enough");
    for (const path of ["/x.h5ad", "/x"]) {
      const controller = new AbortController();
      setTimeout(() => controller.abort(reason), 30);
      await expect(open(server.origin + path, { signal: controller.signal })).rejects.toBe(reason);
    }
  });
});

describe("of a large file only what is asked for is read", () => {
  let file: Uint8Array;
  beforeAll(async () => {
    file = await largeH5ad();
  });

  it("inspecting, one column, a hundred cells: nothing twice", async () => {
    const server = await serve({ "/large.h5ad": file });
    const data = await opened(`${server.origin}/large.h5ad`);
    expect(data.shape).toEqual([CELLS, GENES]);
    expect(data.table("obs").schema.fields.map(({ name }) => name)).toContain("score9");
    // Two blocks for each column of obs, whose 200 kB keep its header apart from the next one's.
    expectAtMost(server, { requests: 20, bytes: 20 * BLOCK });

    const scores = await data.table("obs").read({ columns: ["score7"] });
    expect(scores.getChild("score7")?.get(CELLS - 1)).toBe(CELLS - 1 + 7);
    expectAtMost(server, { requests: 4, bytes: 4 * CELLS + 2 * BLOCK });

    const cells = await (await data.table("X").layout("list")).read({ rows: [1000, 1100] });
    expect(cells.numRows).toBe(100);
    const stored: { index: number; value: number }[] = cells.getChild("entries")?.get(99)?.toArray();
    expect(stored).toHaveLength(PER_CELL);
    expect([stored[49].index, stored[49].value]).toEqual([geneAt(1099, 49), valueAt(1099, 49)]);
    // A chunk each of data and indices, and what says where they are.
    expectAtMost(server, { requests: 10, bytes: 2 * 4 * CHUNK + 10 * BLOCK });

    await data.table("obs").read({ columns: ["score7"] });
    await (await data.table("X").layout("list")).read({ rows: [1050, 1100] });
    expectAtMost(server, { requests: 0, bytes: 0 });
  });

  it("a change of the file between two reads is noticed", async () => {
    const server = await serve({ "/large.h5ad": file });
    const data = await opened(`${server.origin}/large.h5ad`);
    server.handler = (request, response) => serveFile(file, request, response, { etag: '"two"' });
    await expect(data.table("X").read({ rows: [0, 10] })).rejects.toThrow(
      'large.h5ad: X/indptr: the file changed while it was read: its ETag was "one", now "two"',
    );
  });
});

it("requests overlap while a file is opened", async () => {
  const LATENCY = 40;
  const file = readFileSync("examples/pbmc.h5ad");
  let now = 0;
  let most = 0;
  // How many requests began with no other under way: their latencies add up.
  let rounds = 0;
  const server = await fileServer((request, response) => {
    if (now === 0) rounds++;
    most = Math.max(most, ++now);
    setTimeout(() => {
      now--;
      serveFile(file, request, response);
    }, LATENCY);
  });
  const data = await opened(`${server.origin}/pbmc.h5ad`);
  expect(data.failures.size).toBe(0);
  expect(server.requests.length).toBeGreaterThan(10);
  expect(most).toBeGreaterThanOrEqual(3);
  expect(most).toBeLessThanOrEqual(16);
  expect(rounds).toBeLessThanOrEqual(0.7 * server.requests.length);
});

it("the command line takes URLs", async () => {
  await ensureBuilt();
  const server = await serve({ "/pbmc.h5ad": readFileSync("examples/pbmc.h5ad") });
  const inspect = (path: string) => promisify(execFile)(process.execPath, ["dist/cli/main.js", "inspect", path]);
  const remote = await inspect(`${server.origin}/pbmc.h5ad`);
  const local = await inspect("examples/pbmc.h5ad");
  expect(remote.stdout.split("\n").slice(1)).toEqual(local.stdout.split("\n").slice(1));
  expect(server.bytes).toBeLessThan(1_000_000);
  await expect(inspect(`${server.origin}/absent.h5ad`)).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringContaining("absent.h5ad: the server answered 404 Not Found"),
  });
}, 120_000);

it("a small file is held whole", async () => {
  const bytes = readFileSync(`${FIXTURES}/plain.h5ad`);
  const server = await serve({ "/x": bytes });
  const source = await openRemoteFile(`${server.origin}/x`);
  expect(Buffer.compare(await source.read(0, source.size), bytes)).toBe(0);
  expect(server.requests).toHaveLength(1);
});
