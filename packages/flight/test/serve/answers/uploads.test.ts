/** Uploads: what is confirmed to a client is in the dataset, or is no more said to be. */

import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { tableFromArrays } from "apache-arrow";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { BatchStream } from "../../../../../src/tables/given/arrow-column-table.js";
import { open } from "../../../../published/src/node.js";
import { Uploads } from "../../../src/serve/answers/uploads.node.js";
import { Folders } from "../../../src/serve/datasets/folders.node.js";
import { wideBatch, wideJoins } from "../../flight/wide-batch.js";

let folder: string;
let uploads: Uploads;
const { signal } = new AbortController();

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "annarrow-uploads-"));
  uploads = new Uploads(await Folders.open([folder]), {});
});

afterEach(async () => {
  vi.restoreAllMocks();
  await uploads.close();
  rmSync(folder, { recursive: true });
});

const name = { dataset: ["new.mat"], upload: "", client: "127.0.0.1" };

function cells(...ids: string[]): BatchStream {
  const { schema, batches } = tableFromArrays({ _index: ids });
  async function* each() {
    yield* batches;
  }
  return { schema, batches: each() };
}

test("while a dataset is committed no table is taken for it, and it is committed once", async () => {
  await uploads.put(name, "obs", cells("a", "b"), signal);
  const committed = uploads.commit(name, false, signal);
  const late = ["var", "obs"].map((table) => uploads.put(name, table, cells("c"), signal));
  const others = [uploads.commit(name, true, signal), uploads.abort(name)];
  const refused = await Promise.allSettled([...late, ...others]);
  expect(refused.map((one) => (one.status === "rejected" ? String(one.reason) : "taken"))).toEqual(
    refused.map(() => "Refusal: the upload is committed just now"),
  );
  expect(await committed).toMatchObject({ tables: 1, rows: 2 });
  const data = await open(join(folder, "new.mat"));
  expect([...data.tables.keys()]).toEqual(["obs"]);
  await data.close();
  expect(readdirSync(folder)).toEqual(["new.mat"]);
});

test("once it is committed, or dropped, another one of that name begins", async () => {
  await uploads.put(name, "obs", cells("a"), signal);
  await uploads.commit(name, false, signal);
  await uploads.put(name, "obs", cells("a", "b"), signal);
  await uploads.abort(name);
  await expect(uploads.commit(name, true, signal)).rejects.toThrow("no upload");
  await uploads.put(name, "obs", cells("a", "b", "c"), signal);
  expect(await uploads.commit(name, true, signal)).toMatchObject({ rows: 3 });
});

test("a commit that fails leaves what was there, and nothing of the upload", async () => {
  const wrong = { ...name, dataset: ["wrong.h5ad"] };
  await uploads.put(wrong, "obs", cells("a"), signal);
  await uploads.put(wrong, "layers/counts", cells("x"), signal);
  await expect(uploads.commit(wrong, false, signal)).rejects.toThrow("layers/counts");
  expect(uploads.size).toBe(0);
  expect(readdirSync(folder)).toEqual([]);
});

test("one client cannot take all uploads: others begin theirs meanwhile", async () => {
  uploads = new Uploads(await Folders.open([folder]), { most: 4, mostOfOne: 2 });
  const of = (client: string, upload: string) => uploads.put({ ...name, client, upload }, "obs", cells("a"), signal);
  await of("10.0.0.1", "a");
  await of("10.0.0.1", "b");
  await expect(of("10.0.0.1", "c")).rejects.toThrow(
    "2 uploads of yours are under way: commit or abort one of them first",
  );
  await of("10.0.0.2", "c");
  await of("10.0.0.1", "b");
  await uploads.abort({ ...name, upload: "a" });
  await of("10.0.0.1", "d");
  await of("10.0.0.2", "e");
  await expect(of("10.0.0.3", "f")).rejects.toThrow("more than 4 uploads are under way");
});

test("an upload without progress is dropped, also one whose table is still coming", async () => {
  uploads = new Uploads(await Folders.open([folder]), { time: 300 });
  const { schema, batches } = tableFromArrays({ _index: ["a"] });
  async function* stuck() {
    yield* batches;
    await new Promise(() => undefined);
  }
  await expect(uploads.put(name, "obs", { schema, batches: stuck() }, signal)).rejects.toThrow(
    "the upload has made no progress for 0.3 s, and was dropped",
  );
  expect([uploads.size, readdirSync(folder)]).toEqual([0, []]);
});

test("the same table again is no progress, another table is", async () => {
  uploads = new Uploads(await Folders.open([folder]), { time: 500 });
  const started = performance.now();
  await uploads.put(name, "obs", cells("a"), signal);
  while (uploads.size > 0 && performance.now() - started < 5000) {
    await sleep(50);
    if (uploads.size > 0) await uploads.put(name, "obs", cells("a"), signal).catch(() => undefined);
  }
  expect(uploads.size).toBe(0);
  const again = performance.now();
  for (let i = 0; performance.now() - again < 1000; i++) {
    await uploads.put(name, `uns/t${i}`, cells("a"), signal);
    await sleep(100);
  }
  expect(uploads.size).toBe(1);
});

test("a table of many columns arrives, and is written, without a look at all columns for each of them", async () => {
  const batch = wideBatch(500);
  const joins = wideJoins();
  async function* batches() {
    yield batch;
  }
  await uploads.put(name, "obs", { schema: batch.schema, batches: batches() }, signal);
  await uploads.commit(name, false, signal);
  expect(joins()).toBe(0);
  const data = await open(join(folder, "new.mat"));
  const [row] = (await data.table("obs").read()).toArray();
  expect([0, 1, 499].map((at) => row[`c${at}`])).toEqual([0, 1, 499]);
  await data.close();
});
