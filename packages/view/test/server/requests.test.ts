/** Requests that end early, downloads, statements and the end of the server. */

import { existsSync, mkdtempSync, readdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { copyFile, rm, stat, utimes } from "node:fs/promises";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { tableFromIPC } from "apache-arrow";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ensureBuilt } from "../../../../test/build.js";
import { folder } from "../../../../test/formats/conversion/opened.js";
import { open, write } from "../../../published/src/node.js";
import { type RunningView, runningView } from "./running-view.js";

let view: RunningView;
beforeAll(async () => {
  await ensureBuilt();
  view = await runningView(["examples/pbmc.h5ad"]);
});
afterAll(() => view.server.close());

/** Begins a request, and leaves when the first bytes come, after so many milliseconds, or when told. */
function leaving({ server }: RunningView, asked: object, after: number | AbortSignal | "first bytes"): Promise<void> {
  return new Promise((resolve) => {
    const headers = { authorization: `Bearer ${server.token}`, "content-type": "application/json" };
    const sent = request({ host: "127.0.0.1", port: server.port, path: "/ask", method: "POST", headers });
    const leave = () => {
      sent.destroy();
      resolve();
    };
    sent.on("error", () => undefined);
    sent.on("response", (response) => {
      response.on("error", () => undefined);
      response.once("data", leave);
    });
    sent.end(JSON.stringify(asked));
    if (typeof after === "number") setTimeout(leave, after);
    else if (after !== "first bytes") after.addEventListener("abort", leave);
  });
}

const HEAVY = "select sum(a.range * b.range % 7) from range(30000) a, range(300000) b";

test("a statement ends when nobody waits for its answer, and others are answered then", async () => {
  await leaving(view, { call: "sql", input: "pbmc.h5ad", sql: HEAVY }, 1500);
  const began = performance.now();
  const { status, body } = await view.ask({ call: "sql", input: "pbmc.h5ad", sql: "select count(*) as n from obs" });
  expect(status).toBe(200);
  expect(Number(tableFromIPC(body).getChild("n")?.get(0))).toBe(2700);
  expect(performance.now() - began).toBeLessThan(10_000);
  expect(view.errors).toEqual([]);
});

test("other requests are answered while a statement computes", async () => {
  const stop = new AbortController();
  let computes = true;
  const heavy = leaving(view, { call: "sql", input: "pbmc.h5ad", sql: HEAVY }, stop.signal).then(() => {
    computes = false;
  });
  await sleep(1000);
  expect((await view.ask({ call: "describe", input: "pbmc.h5ad" })).status).toBe(200);
  expect(computes).toBe(true);
  stop.abort();
  await heavy;
});

test("a stream that nobody reads further leaves the dataset usable", async () => {
  for (let i = 0; i < 5; i++) {
    await leaving(view, { call: "rows", input: "pbmc.h5ad", table: "X" }, "first bytes");
  }
  const { body } = await view.ask({ call: "rows", input: "pbmc.h5ad", table: "obs", rows: [0, 2] });
  expect(tableFromIPC(body).numRows).toBe(2);
});

test("a download has the name of its file, also where it is no ASCII, and is removed afterwards", async () => {
  const path = join(folder(), "zellen-ü'\"$(x).h5ad");
  await copyFile("examples/pbmc.h5ad", path);
  const other = await runningView([path]);
  try {
    const asked = { call: "save", input: "zellen-ü'\"$(x).h5ad", format: "names", obs: { positions: [1, 0] } };
    const { path: address } = (await other.ask(asked)).json() as { path: string };
    const head = await other.send(address, { method: "HEAD" });
    expect(head.status).toBe(200);
    const { headers, body } = await other.send(address);
    expect(headers["content-disposition"]).toBe(
      "attachment; filename=\"zellen-_'-$(x)-cells.txt\"; filename*=UTF-8''zellen-%C3%BC%27-%24%28x%29-cells.txt",
    );
    expect(String(body).split("\n")).toHaveLength(3);
    expect((await other.send(address)).status).toBe(410);
    expect((await other.send(address, { method: "HEAD" })).status).toBe(410);
  } finally {
    await other.server.close();
  }
});

/** An empty folder. */
const emptyFolder = () => mkdtempSync(join(folder(), "view-"));

const leftovers = () => readdirSync(tmpdir()).filter((name) => name.includes("annarrow-view"));

test("files that nobody fetches are removed at the end", async () => {
  const before = leftovers();
  const other = await runningView(["examples/pbmc.h5ad"]);
  await other.ask({ call: "save", input: "pbmc.h5ad", format: "h5ad", obs: { positions: [3] } });
  expect(leftovers().length).toBeGreaterThan(before.length);
  await other.server.close();
  expect(leftovers()).toEqual(before);
});

test("a part that cannot be made leaves no file, and says why", async () => {
  const asked = { call: "save", input: "pbmc.h5ad", format: "h5ad", var: { names: ["no such gene"] } };
  const answer = await view.ask(asked);
  expect([answer.status, answer.json()]).toEqual([
    404,
    { error: "NotFoundError", message: expect.stringContaining("no such gene") },
  ]);
});

/** The file that a request saves. */
async function saved(asked: object): Promise<{ readonly name: string; readonly body: Buffer }> {
  const { path } = (await view.ask(asked)).json() as { path: string };
  const { headers, body } = await view.send(path);
  return { name: /filename="([^"]*)"/.exec(String(headers["content-disposition"]))?.[1] ?? "", body };
}

test("rows are saved in the order of a column, and those that meet a condition", async () => {
  const asked = { call: "save-rows", input: "pbmc.h5ad", table: "obs", filter: "cell_type = 'B cell'" };
  const sort = { column: "n_counts", descending: true };
  const arrow = await saved({ ...asked, sort, format: "arrow" });
  const found = tableFromIPC(arrow.body);
  // a.obs[a.obs.cell_type == "B cell"] in anndata has 333 rows, and these columns.
  expect([arrow.name, found.numRows]).toEqual(["pbmc-obs.arrow", 333]);
  const obs = tableFromIPC((await view.ask({ call: "rows", input: "pbmc.h5ad", table: "obs" })).body);
  expect(found.schema.names).toEqual(obs.schema.names);
  const rows = Array.from(obs, (row) => ({ name: row?._index, type: row?.cell_type, counts: row?.n_counts }));
  const expected = rows.filter(({ type }) => type === "B cell").toSorted((a, b) => Number(b.counts) - Number(a.counts));
  expect(Array.from(found, (row) => row?._index)).toEqual(expected.map(({ name }) => name));
  const csv = String((await saved({ ...asked, sort, format: "csv" })).body).split("\n");
  expect(csv[1]).toContain(expected[0]?.name);
  expect(csv).toHaveLength(335);
});

test("the answer of a statement is saved in each format of a table", async () => {
  const sql =
    "select cell_type::varchar as type, count(*)::int as cells from obs group by all order by cells desc, type";
  const asked = { call: "save-answer", input: "pbmc.h5ad", sql };
  const answer = tableFromIPC((await view.ask({ call: "sql", input: "pbmc.h5ad", sql })).body);
  const expected = Array.from(answer, (row) => [row?.type, row?.cells]);
  expect(expected).toHaveLength(8);
  const parquet = await saved({ ...asked, format: "parquet" });
  const opened = await open(new Uint8Array(parquet.body));
  const [table] = opened.tables.values();
  expect(Array.from(await table.read(), (row) => [row?.type, row?.cells])).toEqual(expected);
  await opened.close();
  const arrow = tableFromIPC((await saved({ ...asked, format: "arrow" })).body);
  expect(Array.from(arrow, (row) => [row?.type, row?.cells])).toEqual(expected);
  const csv = await saved({ ...asked, format: "csv" });
  expect([csv.name, String(csv.body)]).toEqual([
    "pbmc-answer.csv",
    ["type,cells", ...expected.map((row) => row.join(",")), ""].join("\n"),
  ]);
  const broken = await view.ask({ ...asked, sql: "select nothing from obs", format: "csv" });
  expect([broken.status, broken.json()]).toEqual([400, expect.objectContaining({ error: "InvalidInputError" })]);
});

test("a file that takes its time tells how far it is", async () => {
  const sql = "select a.range::int as a, b.range::int as b from range(2000) a, range(1000) b";
  const answer = await view.ask({ call: "save-answer", input: "pbmc.h5ad", sql, format: "csv" });
  expect(answer.headers["content-type"]).toBe("application/x-ndjson");
  const lines = String(answer.body).split("\n");
  const told = lines.slice(0, -1).map((line) => JSON.parse(line).bytes as number);
  expect(told.length).toBeGreaterThan(0);
  expect(told).toEqual(told.toSorted((a, b) => a - b));
  const { body } = await view.send(JSON.parse(lines.at(-1) ?? "").path);
  expect(told.at(-1)).toBeLessThanOrEqual(body.length);
  // A line for each row, and the head.
  expect(String(body).split("\n")).toHaveLength(2_000_002);
});

test("a file that is replaced is opened anew", async () => {
  const path = join(folder(), "cells.h5ad");
  await write(path, { obs: { _index: ["a", "b"] }, var: { _index: ["g"] } });
  const other = await runningView([path]);
  const rows = () => other.ask({ call: "rows", input: "cells.h5ad", table: "obs" });
  try {
    expect(tableFromIPC((await rows()).body).numRows).toBe(2);
    await write(path, { obs: { _index: ["a", "b", "c"] }, var: { _index: ["g"] } }, { overwrite: true });
    const later = new Date((await stat(path)).mtimeMs + 5000);
    await utimes(path, later, later);
    // As a page does that is loaded anew.
    expect((await other.ask({ call: "describe", input: "cells.h5ad" })).status).toBe(200);
    expect(tableFromIPC((await rows()).body).numRows).toBe(3);
  } finally {
    await other.server.close();
  }
});

test("a file that is gone, and one that is no dataset, are told in words, and hide no other", async () => {
  const within = emptyFolder();
  const gone = join(within, "gone.h5ad");
  await copyFile("examples/pbmc.h5ad", gone);
  writeFileSync(join(within, "text.h5ad"), "this is no HDF5");
  const other = await runningView([gone, join(within, "text.h5ad"), "examples/pbmc.h5ad"]);
  try {
    await other.server.viewer.prepare("gone.h5ad");
    other.server.viewer.renew("gone.h5ad");
    await rm(gone);
    expect((await other.ask({ call: "describe", input: "gone.h5ad" })).status).toBe(404);
    const text = await other.ask({ call: "describe", input: "text.h5ad" });
    expect(text.status).toBeGreaterThanOrEqual(400);
    expect(String(text.body)).not.toContain(within);
    expect((await other.ask({ call: "describe", input: "pbmc.h5ad" })).status).toBe(200);
  } finally {
    await other.server.close();
  }
});

test("a folder's files are listed with their sizes, without hidden files, other files, and links that lead out", async () => {
  const within = emptyFolder();
  await copyFile("examples/pbmc.h5ad", join(within, "seen.h5ad"));
  await copyFile("examples/pbmc.h5ad", join(within, ".hidden.h5ad"));
  for (const name of ["a.RData", "b.rda", "notes.txt"]) writeFileSync(join(within, name), "12345");
  symlinkSync(join(process.cwd(), "examples/pbmc.h5ad"), join(within, "link.h5ad"));
  const other = await runningView([within]);
  try {
    const { inputs } = (await other.ask({ call: "inputs" })).json() as { inputs: object[] };
    expect(inputs).toEqual([
      { name: "a.RData", bytes: 5 },
      { name: "b.rda", bytes: 5 },
      { name: "seen.h5ad", bytes: statSync("examples/pbmc.h5ad").size },
    ]);
    for (const input of [".hidden.h5ad", "link.h5ad", "../seen.h5ad", "seen.h5ad/../.hidden.h5ad"]) {
      expect((await other.ask({ call: "describe", input })).status, input).toBeGreaterThanOrEqual(400);
    }
  } finally {
    await other.server.close();
  }
});

test("a server that ends cancels its requests", async () => {
  const other = await runningView(["examples/pbmc.h5ad"]);
  const heavy = other.ask({ call: "sql", input: "pbmc.h5ad", sql: HEAVY }).catch((error: Error) => error.message);
  await sleep(1000);
  const began = performance.now();
  await other.server.close();
  expect(performance.now() - began).toBeLessThan(5000);
  expect(typeof (await heavy)).toBe("string");
  expect(existsSync("examples/pbmc.h5ad")).toBe(true);
});

test("a statement whose answer has a value of more than 64 MiB, or that changes DuckDB's state, ends by name", async () => {
  const sql = "select repeat('x', 70000000) as x";
  const { status, body } = await view.ask({ call: "sql", input: "pbmc.h5ad", sql });
  expect([status, String(body)]).toEqual([400, expect.stringContaining("has 70000000 bytes, more than 67108864")]);
  const logging = await view.ask({ call: "sql", input: "pbmc.h5ad", sql: "from enable_logging()" });
  expect([logging.status, String(logging.body)]).toEqual([
    400,
    expect.stringContaining("enable_logging() is refused in a query: it changes what DuckDB logs"),
  ]);
  expect((await view.ask({ call: "sql", input: "pbmc.h5ad", sql: "select 1 as one" })).status).toBe(200);
});
