/** No file stops the server: what it does while it is opened, it does elsewhere. */

import { cpSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ensureBuilt } from "../../../../test/build.js";
import { METHODS } from "../../src/flight/protocol/methods.js";
import { findErrorStatus } from "../../src/flight/protocol/status.js";
import { BUILT } from "./built-files.js";
import { type ServedToClient, servedToClient } from "./served.js";

const SECONDS = 3;

let it: ServedToClient;
beforeAll(async () => {
  await ensureBuilt();
  const trialProcess = pathToFileURL("packages/flight/test/serve/trial-process.mjs");
  it = await servedToClient({ openSeconds: SECONDS, openMemoryBytes: 2 ** 29 }, { ...BUILT, trialProcess });
  for (const name of ["endless", "large", "crash", "replaced"]) add(name);
  // Its process has started.
  await get("/pbmc.h5ad");
}, 120_000);
afterAll(() => it.close());

const add = (name: string) => cpSync("examples/pbmc.h5ad", join(it.folder, `${name}.h5ad`));

async function get(path: string) {
  const began = performance.now();
  const response = await fetch(it.http + path);
  return { status: response.status, text: await response.text(), seconds: (performance.now() - began) / 1000 };
}

test("a file that never opens: others are answered meanwhile, and who asks again at once", async () => {
  const endless = get("/endless.h5ad");
  let meanwhile = 0;
  let isOver = false;
  void endless.then(() => {
    isOver = true;
  });
  while (!isOver) {
    for (const path of ["/healthz", "/pbmc.h5ad/obs"]) {
      expect((await get(path)).status).toBe(200);
      if (!isOver) meanwhile++;
    }
    // One that was not open yet.
    expect((await get("/sub/pbmc.zarr.zip/var")).status).toBe(200);
  }
  expect(await endless).toMatchObject({
    status: 422,
    text: expect.stringMatching(/endless.*longer than 3 s.*--open-sec/),
  });
  expect(meanwhile).toBeGreaterThanOrEqual(2);
  const again = await get("/endless.h5ad/obs");
  expect(again).toMatchObject({ status: 422, text: expect.stringContaining("--open-seconds") });
  expect(again.seconds).toBeLessThan(SECONDS);
  const descriptor = { kind: "path", path: ["endless.h5ad", "obs"] } as const;
  const asked = it.connection.unary(METHODS.getFlightInfo, descriptor);
  expect(findErrorStatus(await asked.catch((error: unknown) => error))).toBe("FAILED_PRECONDITION");
}, 60_000);

test("once it has changed, it is tried again", async () => {
  utimesSync(join(it.folder, "endless.h5ad"), 1, 1);
  const again = await get("/endless.h5ad");
  expect(again.status).toBe(422);
  expect(again.seconds).toBeGreaterThan(SECONDS / 2);
}, 60_000);

test("a file that takes all memory", async () => {
  const large = await get("/large.h5ad");
  expect(large).toMatchObject({ status: 422, text: expect.stringMatching(/more than 512 MiB.*--open-memory|longer/) });
}, 60_000);

test("a file that ends the process", async () => {
  expect(await get("/crash.h5ad")).toMatchObject({ status: 422, text: expect.stringContaining("SIGABRT") });
  expect((await get("/pbmc.h5ad")).status).toBe(200);
}, 60_000);

test("a file that is another one once it was tried is not opened", async () => {
  const replaced = await get("/replaced.h5ad");
  expect(replaced).toMatchObject({ status: 503, text: expect.stringContaining("changed while it was opened") });
}, 60_000);

test("more files that never open than are tried at once", async () => {
  for (let i = 0; i < 6; i++) add(`${i}endless`);
  let isOver = false;
  const ends = Promise.all(Array.from({ length: 6 }, (_, i) => get(`/${i}endless.h5ad`))).finally(() => {
    isOver = true;
  });
  for (let i = 0; i < 10; i++) expect((await get("/healthz")).status).toBe(200);
  expect(isOver).toBe(false);
  expect((await ends).map(({ status }) => status)).toEqual(Array(6).fill(422));
  expect((await get("/linked.h5ad")).status).toBe(200);
}, 120_000);

test("a file that cannot be opened says why, each time", async () => {
  for (let i = 0; i < 2; i++) {
    expect(await get("/broken.h5ad")).toMatchObject({ text: expect.stringContaining("broken.h5ad") });
  }
});
