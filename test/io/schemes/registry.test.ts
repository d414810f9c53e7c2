/** A scheme of another package: its addresses are opened, and refused where they are only read. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { convert, open, write } from "../../../packages/published/src/node.js";
import { refuseInputs } from "../../../src/api/overlap.node.js";
import { openWebPlan } from "../../../src/io/schemes/open-web-plan.js";
import { findFileScheme, findScheme, findServiceScheme, registerScheme } from "../../../src/io/schemes/registry.js";
import { createBytesSource } from "../../../src/io/sources/memory.js";
import type { WebPlan } from "../../../src/io/sources/source.js";

interface ShelfOptions {
  readonly files: ReadonlyMap<string, Uint8Array>;
}

declare module "../../../src/model/formats/extend.js" {
  interface FileSchemeOptions {
    readonly shelf?: ShelfOptions;
  }
}

const asked: string[] = [];

// Other files of this process list the names of schemes: this one has an alias alone.
registerScheme({
  kind: "files",
  names: [],
  aliases: ["shelf"],
  options: { key: "shelf", names: { files: true } },
  normalizeAddress: (address) => address.toLowerCase().replace(/\/+$/, ""),
  openSource: async (address, { shelf }) => {
    const bytes = shelf?.files.get(String(address));
    if (bytes === undefined) throw new TypeError(`no ${address}`);
    return createBytesSource(bytes);
  },
  createRequestOptions: async (address, { shelf, http }) => {
    asked.push(address, ...(shelf?.files.keys() ?? []));
    return { ...http, fetch: async () => new Response("secret") };
  },
  createOutput: null,
});

const folder = mkdtempSync(join(tmpdir(), "annarrow-schemes-"));
afterAll(() => rmSync(folder, { recursive: true }));

const TABLES = { obs: { n: Int32Array.of(1, 2, 3) }, var: { m: Int32Array.of(4, 5) } };

async function shelved(): Promise<ShelfOptions> {
  const files = new Map<string, Uint8Array>();
  const path = join(folder, "a.h5ad");
  await write(path, TABLES, { overwrite: true });
  const { readFile } = await import("node:fs/promises");
  files.set("shelf://room/a.h5ad", await readFile(path));
  return { files };
}

describe("a registered scheme", () => {
  test("is found by the names of its addresses, in any case", () => {
    expect(findFileScheme("Shelf://x")?.aliases).toEqual(["shelf"]);
    expect(findServiceScheme("shelf://x")).toBeNull();
    expect(findServiceScheme("grpc+TCP://x:1")?.names).toEqual(["grpc", "grpc+tls"]);
    expect(["shelf:/x", "shelf", "C:\\a.h5ad", "other://x", "constructor://x"].map(findScheme)).toEqual(
      Array(5).fill(null),
    );
  });

  test("opens its addresses with its options", async () => {
    const shelf = await shelved();
    const data = await open("shelf://room/a.h5ad", { shelf });
    expect((await data.table("obs").read()).numRows).toBe(3);
    await data.close();
    const { tables } = await convert("shelf://room/a.h5ad", join(folder, "obs.csv"), { tables: ["obs"], shelf });
    expect(tables[0].rows).toBe(3);
  });

  test("has options whose names are checked, of all functions that reach addresses", async () => {
    const wrong = { shelf: { file: new Map() } };
    // @ts-expect-error a misspelt option
    await expect(open("a.h5ad", wrong)).rejects.toThrow("shelf has no option file; did you mean files?");
    // @ts-expect-error a misspelt option
    await expect(write("a.h5ad", TABLES, wrong)).rejects.toThrow("shelf has no option file; did you mean files?");
    const service: object = { flight: {} };
    await expect(write("a.h5ad", TABLES, service)).rejects.toThrow("write has no option flight");
  });

  test("that is only read refuses outputs, and those that are inputs", async () => {
    await expect(write("shelf://room/b.h5ad", TABLES)).rejects.toThrow("shelf://room/b.h5ad: is read, not written");
    await expect(refuseInputs(["shelf://Room/a"], ["shelf://room/a/"])).rejects.toThrow("is the input shelf://Room/a");
    await expect(refuseInputs(["s3://room/a"], ["shelf://room/a"])).resolves.toBeUndefined();
  });

  test("gives workers the options of requests for a plan", async () => {
    const shelf = await shelved();
    const scheme = { address: "shelf://room/a.zarr", options: { shelf } };
    const plan: WebPlan = { kind: "web", url: "https://room/a.zarr", name: "a", http: {}, version: null, scheme };
    const source = await openWebPlan(plan);
    if (source.kind !== "keys") throw new TypeError("a store");
    expect(new TextDecoder().decode(await source.get("zarr.json"))).toBe("secret");
    expect(asked).toEqual(["shelf://room/a.zarr", "shelf://room/a.h5ad"]);
    const unknown = { ...plan, scheme: { ...scheme, address: "other://a" } };
    await expect(openWebPlan(unknown)).rejects.toThrow("no worker knows the scheme of other://a");
  });
});
