/** The processes that work for a server of the page: cancelled, killed, and ended with it. */

import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { ensureBuilt } from "../../../../test/build.js";
import { folder } from "../../../../test/formats/conversion/opened.js";
import { open } from "../../../published/src/node.js";
import { ViewWork } from "../../src/server/work/work.node.js";
import type { SaveRequest, ViewSaving } from "../../src/view-request.js";

const PBMC = { name: "pbmc.h5ad", path: "examples/pbmc.h5ad" };
const HEAVY = "select sum(a.range * b.range % 7) from range(30000) a, range(300000) b";
const never = new AbortController().signal;

let work: ViewWork;
beforeAll(async () => {
  await ensureBuilt();
  work = new ViewWork({
    engine: { memory: 2 ** 28 },
    open: { companion: "off" },
    entry: pathToFileURL("dist/cli/work-process.node.js"),
  });
});
afterAll(() => work.close());

/** Processes that this test's work runs in, by what Linux tells. */
function processes(): readonly number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const parent = Number(/^PPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${name}/status`, "utf8"))?.[1]);
        const command = readFileSync(`/proc/${name}/cmdline`, "utf8");
        return parent === process.pid && command.includes("work-process.node.js") ? [Number(name)] : [];
      } catch {
        // The process has ended meanwhile.
        return [];
      }
    });
}

async function bytesOf(sql: string, signal = never): Promise<number> {
  let bytes = 0;
  for await (const piece of work.answer({ ...PBMC, sql, format: "csv" }, signal)) bytes += piece.length;
  return bytes;
}

const isLinux = process.platform === "linux";

test("a process answers one statement after the other", async () => {
  expect(await bytesOf("select 1 as a")).toBe("a\n1\n".length);
  const first = processes();
  expect(await bytesOf("select 22 as a")).toBe("a\n22\n".length);
  if (isLinux) expect(processes()).toEqual(first);
});

test.runIf(isLinux)(
  "a process that is killed is told in words, and another one answers the next statement",
  async () => {
    const heavy = bytesOf(HEAVY);
    const told = expect(heavy).rejects.toThrow(/process that works for the page has ended: SIGKILL/);
    await vi.waitFor(() => expect(processes().length).toBeGreaterThan(0), { timeout: 20_000 });
    for (const pid of processes()) process.kill(pid, "SIGKILL");
    await told;
    expect(await bytesOf("select 1 as a")).toBeGreaterThan(0);
  },
);

test("a statement that nobody wants any more ends, also where DuckDB does not listen", async () => {
  const stop = new AbortController();
  const heavy = bytesOf(HEAVY, stop.signal);
  const told = expect(heavy).rejects.toThrow(/abort/i);
  setTimeout(() => stop.abort(), 1000);
  await told;
  expect(await bytesOf("select 1 as a")).toBeGreaterThan(0);
});

test("a part is written as select() chooses it, with words about how far it is", async () => {
  const to = join(folder(), "part.h5ad");
  const told: ViewSaving[] = [];
  const positions = [5, 3, 2699];
  const file = await work.save(
    { ...PBMC, to, request: { call: "save", input: "pbmc.h5ad", format: "h5ad", obs: { positions } } },
    { signal: never, onProgress: (saving) => told.push(saving) },
  );
  expect(file).toEqual({ fileName: "pbmc-part.h5ad", type: "application/x-hdf5" });
  await using whole = await open(PBMC.path);
  await using part = await open(to);
  const names = await whole.obsNames();
  expect(await part.obsNames()).toEqual(positions.map((position) => names?.[position]));
  expect(told.length).toBeGreaterThan(0);
});

test("a part that cannot be made says why, as it does within the process of the server", async () => {
  const request = {
    call: "save",
    input: "pbmc.h5ad",
    format: "h5ad",
    obs: { names: ["nobody"] },
  } satisfies SaveRequest;
  const to = join(folder(), "part.h5ad");
  await expect(
    work.save({ ...PBMC, to, request }, { signal: never, onProgress: () => undefined }),
  ).rejects.toMatchObject({ tag: "NotFoundError", message: expect.stringContaining("nobody") });
});

test.runIf(isLinux)("a part that nobody wants any more leaves no file and no process", async () => {
  const at = join(folder(), "stopped");
  mkdirSync(at);
  const stop = new AbortController();
  stop.abort(new Error("gone"));
  const request = { call: "save", input: "pbmc.h5ad", format: "h5ad" } as const;
  const to = join(at, "part.h5ad");
  await expect(
    work.save({ ...PBMC, to, request }, { signal: stop.signal, onProgress: () => undefined }),
  ).rejects.toThrow("gone");
  const later = new AbortController();
  await expect(
    work.save({ ...PBMC, to, request }, { signal: later.signal, onProgress: () => later.abort(new Error("enough")) }),
  ).rejects.toThrow("enough");
  expect(readdirSync(at)).toEqual([]);
  await vi.waitFor(() => expect(processes()).toEqual([]), { timeout: 10_000 });
});

test.runIf(isLinux)("no process stays behind", async () => {
  expect(await bytesOf("select 1 as a")).toBeGreaterThan(0);
  expect(processes().length).toBe(1);
  await work.close();
  await vi.waitFor(() => expect(processes()).toEqual([]), { timeout: 10_000 });
});
