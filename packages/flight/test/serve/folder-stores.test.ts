/** Stores that are folders: tickets are for what was in all of their files. */

import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { tableFromIPC } from "apache-arrow";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openWebPlan } from "../../../../src/io/schemes/open-web-plan.js";
import { openLocalPlan } from "../../../../src/io/sources/blocking-file.node.js";
import { openDirectorySource } from "../../../../src/io/sources/directory.node.js";
import { openSourcePlan } from "../../../../src/io/sources/source-plan.js";
import { open, write } from "../../../published/src/node.js";
import { FlightDecoder } from "../../src/flight/messages/decode.js";
import { METHODS } from "../../src/flight/protocol/methods.js";
import { computeFolderIdentity, FolderIdentities } from "../../src/serve/datasets/folder-identity.node.js";
import { type ServedToClient, servedToClient } from "./served.js";

let it: ServedToClient;
let scores: string;
/** A copy of the store, which no test changes. */
let fresh: string;
beforeAll(async () => {
  it = await servedToClient();
  cpSync("test/fixtures/data/bpcells/unpacked-float", join(it.folder, "m.bpcells"), { recursive: true });
  const data = await open("examples/pbmc.h5ad");
  await write(join(it.folder, "store.zarr"), {
    obs: await data.table("obs").read({ columns: ["_index", "n_genes"] }),
    var: await data.table("var").read({ columns: ["gene_id"] }),
  });
  await data.close();
  fresh = join(it.outside, "store.zarr");
  cpSync(join(it.folder, "store.zarr"), fresh, { recursive: true });
  scores = join(it.folder, "store.zarr", "obs", "n_genes", "0");
});
afterAll(() => it.close());

async function ticketOf(...path: readonly string[]) {
  const { endpoints } = await it.connection.unary(METHODS.getFlightInfo, { kind: "path", path });
  expect(endpoints).toHaveLength(1);
  return endpoints[0].ticket;
}

async function values(ticket: { readonly ticket: Uint8Array }, column: string): Promise<readonly unknown[]> {
  const decoder = new FlightDecoder();
  const found: unknown[] = [];
  for await (const message of it.connection.stream(METHODS.doGet, ticket)) {
    const decoded = await decoder.take(message);
    const batch = await decoded?.batch?.();
    for (const value of batch?.getChild(column) ?? []) found.push(value);
  }
  return found;
}

const changed = { tag: "NotFoundError", message: expect.stringMatching(/NOT_FOUND: .* has changed since the ticket/) };

describe("a ticket is refused, and a new one is taken, once a chunk of a store", () => {
  test("of Zarr is replaced by another file", async () => {
    const ticket = await ticketOf("store.zarr", "obs");
    const before = await values(ticket, "n_genes");
    expect(await values(ticket, "n_genes")).toEqual(before);
    writeFileSync(`${scores}.new`, readFileSync(scores));
    renameSync(`${scores}.new`, scores);
    await expect(values(ticket, "n_genes")).rejects.toMatchObject(changed);
    expect(await values(await ticketOf("store.zarr", "obs"), "n_genes")).toEqual(before);
  });

  test("of Zarr is missing: it stands for the fill value", async () => {
    const ticket = await ticketOf("store.zarr", "obs");
    const before = await values(ticket, "n_genes");
    rmSync(scores);
    await expect(values(ticket, "n_genes")).rejects.toMatchObject(changed);
    expect(await values(await ticketOf("store.zarr", "obs"), "n_genes")).toEqual(before.map(() => 0));
  });

  test("of BPCells is written in place, with as many bytes and at the same time", async () => {
    const path = join(it.folder, "m.bpcells", "val");
    const ticket = await ticketOf("m.bpcells", "matrix");
    const before = await values(ticket, "value");
    const bytes = readFileSync(path);
    // The first value, behind the name of the array's type.
    bytes.writeFloatLE(4096.5, 8);
    const time = new Date(2020, 1);
    utimesSync(path, time, time);
    const early = await ticketOf("m.bpcells", "matrix");
    // Times of files advance in steps of some milliseconds.
    await setTimeout(20);
    writeFileSync(path, bytes);
    utimesSync(path, time, time);
    for (const old of [ticket, early]) await expect(values(old, "value")).rejects.toMatchObject(changed);
    expect(await values(await ticketOf("m.bpcells", "matrix"), "value")).toEqual([4096.5, ...before.slice(1)]);
  });
});

test("a ticket is taken as often as one likes while nothing changes", async () => {
  const ticket = await ticketOf("m.bpcells", "matrix");
  const all = await Promise.all(Array.from({ length: 20 }, () => values(ticket, "value")));
  for (const one of all) expect(one).toEqual(all[0]);
});

describe("a store of more files than are looked at", () => {
  const many = () => join(it.folder, "many.zarr");
  const chunk = () => join(many(), "obs", "n_genes", "0");
  const changed = { tag: "NotFoundError", message: expect.stringMatching(/NOT_FOUND: .*n_genes\/0 has changed since/) };
  beforeAll(() => {
    cpSync(fresh, many(), { recursive: true });
    // They are higher up than the chunks.
    mkdirSync(join(many(), "a"));
    for (let i = 0; i < 10_100; i++) writeFileSync(join(many(), "a", String(i)), "");
  }, 120_000);

  test("a chunk that is written behind these is noticed when it is read, with its old ticket each time", async () => {
    await setTimeout(20);
    const ticket = await ticketOf("many.zarr", "obs");
    const before = await values(ticket, "n_genes");
    expect(await values(ticket, "n_genes")).toEqual(before);
    await setTimeout(20);
    const { atime, mtime } = statSync(chunk());
    writeFileSync(chunk(), readFileSync(chunk()));
    utimesSync(chunk(), atime, mtime);
    for (let i = 0; i < 3; i++) {
      await expect(values(ticket, "n_genes")).rejects.toMatchObject(changed);
      expect(await values(await ticketOf("many.zarr", "obs"), "n_genes")).toEqual(before);
    }
    // Over HTTP nothing is promised from one request to the next.
    const response = await fetch(`${it.http}/many.zarr/obs?columns=n_genes`);
    expect(response.status).toBe(200);
  }, 120_000);

  test("and so is one that is removed, which stands for the fill value else", async () => {
    await setTimeout(20);
    const ticket = await ticketOf("many.zarr", "obs");
    const before = await values(ticket, "n_genes");
    await setTimeout(20);
    rmSync(chunk());
    await expect(values(ticket, "n_genes")).rejects.toMatchObject(changed);
    expect(await values(await ticketOf("many.zarr", "obs"), "n_genes")).toEqual(before.map(() => 0));
  }, 120_000);

  test("by workers, too", async () => {
    const [now, later] = [Date.now() + 1, Date.now() + 10_000];
    await setTimeout(20);
    writeFileSync(join(many(), "a", "7"), "other");
    for (const [since, problem] of [
      [now, "a/7 has changed since"],
      [later, null],
    ] as const) {
      const { plan } = await openDirectorySource(many(), since);
      if (plan === undefined) throw new TypeError("a directory has a plan");
      const source = await openSourcePlan(plan, openLocalPlan, openWebPlan);
      if (source.kind !== "keys") throw new TypeError("a directory has keys");
      const size = async (key: string) => (await source.get(key))?.length;
      if (problem === null) expect(await size("a/7")).toBe(5);
      else await expect(size("a/7")).rejects.toThrow(problem);
      // What never was there has not changed.
      expect(await size("obs/none")).toBe(undefined);
    }
  });
});

describe("what a folder is told by", () => {
  const folder = mkdtempSync(join(tmpdir(), "annarrow-identity-"));
  afterAll(() => rmSync(folder, { recursive: true }));

  test("everything in it, at any depth", async () => {
    mkdirSync(join(folder, "a/b/c"), { recursive: true });
    const seen = new Set([await computeFolderIdentity(folder)]);
    const change = async (action: () => void) => {
      action();
      const identity = await computeFolderIdentity(folder);
      expect(seen).not.toContain(identity);
      seen.add(identity);
      expect(await computeFolderIdentity(folder)).toBe(identity);
    };
    await change(() => writeFileSync(join(folder, "a/b/c/0"), "x"));
    await change(() => writeFileSync(join(folder, "a/b/c/0"), "xy"));
    await change(() => renameSync(join(folder, "a/b/c/0"), join(folder, "a/b/c/1")));
    await change(() => rmSync(join(folder, "a/b"), { recursive: true }));
    await change(() => rmSync(join(folder, "a"), { recursive: true }));
    await change(() => rmSync(folder, { recursive: true }));
    mkdirSync(folder);
  });

  test("so many of its files at most, those that are higher up first", async () => {
    mkdirSync(join(folder, "a/b"), { recursive: true });
    for (let i = 0; i < 20; i++) writeFileSync(join(folder, "a/b", String(i)), "x");
    writeFileSync(join(folder, "z"), "x");
    const before = await computeFolderIdentity(folder, 3);
    writeFileSync(join(folder, "a/b/7"), "other");
    expect(await computeFolderIdentity(folder, 3)).toBe(before);
    writeFileSync(join(folder, "z"), "other");
    expect(await computeFolderIdentity(folder, 3)).not.toBe(before);
  });

  test("who asks while it is looked at gets what is seen afterwards, all of them the same", async () => {
    let walks = 0;
    let release = (): void => undefined;
    const identities = new FolderIdentities(async () => {
      const walk = walks++;
      await new Promise<void>((resolve) => {
        release = resolve;
      });
      return String(walk);
    });
    const first = identities.of("a");
    const others = [identities.of("a"), identities.of("a")];
    release();
    expect(await first).toBe("0");
    await expect.poll(() => walks).toBe(2);
    release();
    expect(await Promise.all(others)).toEqual(["1", "1"]);
    const last = identities.of("a");
    release();
    expect(await last).toBe("2");
  });
});

test("over HTTP a chunk that has changed is seen after a second at the latest", async () => {
  const path = join(it.folder, "m.bpcells", "val");
  const first = async (): Promise<unknown> => {
    const response = await fetch(`${it.http}/m.bpcells/matrix?rows=0-1`);
    return tableFromIPC(new Uint8Array(await response.arrayBuffer()))
      .getChild("value")
      ?.get(0);
  };
  const before = await first();
  expect(before).not.toBe(8192.5);
  const bytes = readFileSync(path);
  bytes.writeFloatLE(8192.5, 8);
  writeFileSync(path, bytes);
  await expect.poll(first, { timeout: 5000 }).toBe(8192.5);
});
