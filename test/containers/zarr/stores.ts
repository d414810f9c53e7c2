/** The stores of test/fixtures/data/zarr and what Python finds in them. */

import { readFileSync } from "node:fs";
import type { Container, Group, StoredArray } from "../../../src/containers/tree/container.js";
import { openZarr } from "../../../src/containers/zarr/open.js";
import { mapSource } from "../../../src/io/sources/map.js";
import { createBytesSource } from "../../../src/io/sources/memory.js";
import type { KeyValueSource } from "../../../src/io/sources/source.js";
import { zipSource } from "../../../src/io/sources/zip.js";
import type { StoredValues } from "../../../src/model/stored.js";

export type Version = "v2" | "v3";

export type Values =
  | { readonly kind: "fixed"; readonly bytes: string }
  | { readonly kind: "variable"; readonly items: readonly string[] }
  | { readonly kind: "record"; readonly fields: readonly Values[] };

export type Expected = Values & { readonly shape: readonly number[] };

const folder = new URL("../../fixtures/data/zarr/", import.meta.url);

interface ExpectedFile extends Record<Version, Record<string, Expected>> {
  readonly shared: readonly string[];
}

const expectedFile: ExpectedFile = JSON.parse(readFileSync(new URL("expected.json", folder), "utf8"));

/** The arrays of a store by path. */
export function expectedArrays(version: Version): [string, Expected][] {
  return Object.entries(expectedFile[version]);
}

/** The store as a zip source. */
export async function zipStore(version: Version): Promise<KeyValueSource> {
  return zipSource(createBytesSource(readFileSync(new URL(`${version}.zip`, folder)), version));
}

const unzipped = new Map<Version, Promise<Map<string, Uint8Array>>>();

/** All keys of the store and their values, to be changed (not in place) and opened through `openMap`. */
export async function storeEntries(version: Version): Promise<Map<string, Uint8Array>> {
  let entries = unzipped.get(version);
  if (entries === undefined) {
    entries = unzip(version);
    unzipped.set(version, entries);
  }
  return new Map(await entries);
}

async function unzip(version: Version): Promise<Map<string, Uint8Array>> {
  const source = await zipStore(version);
  const entries = new Map<string, Uint8Array>();
  async function add(prefix: string): Promise<void> {
    for (const name of (await source.list(prefix)) ?? []) {
      const key = prefix === "" ? name : `${prefix}/${name}`;
      const value = await source.get(key);
      if (value === undefined) await add(key);
      else entries.set(key, value);
    }
  }
  await add("");
  return entries;
}

export function openMap(entries: Iterable<readonly [string, Uint8Array | string | object]>): Promise<Container> {
  const encoder = new TextEncoder();
  const bytes = [...entries].map(([key, value]): [string, Uint8Array] => {
    if (value instanceof Uint8Array) return [key, value];
    return [key, encoder.encode(typeof value === "string" ? value : JSON.stringify(value))];
  });
  return openZarr(mapSource(new Map(bytes), "test"));
}

/** The array at `path`, through all groups on the way. */
export async function arrayAt(container: Container, path: string): Promise<StoredArray> {
  let group: Group = container.root;
  const names = path.split("/");
  for (const name of names.slice(0, -1)) {
    const node = await group.open(name);
    if (node.kind !== "group") throw new Error(`${node.path} is no group`);
    group = node;
  }
  const node = await group.open(names[names.length - 1]);
  if (node.kind !== "array") throw new Error(`${path} is no array`);
  return node;
}

export async function readAll(array: StoredArray): Promise<StoredValues> {
  return array.read(0, array.shape?.[0] ?? 1);
}

/** Values in the form of the expected ones. */
export function describeValues(values: StoredValues): Values {
  switch (values.kind) {
    case "fixed": {
      const { buffer, byteOffset, byteLength } = values.values;
      return { kind: "fixed", bytes: base64(new Uint8Array(buffer, byteOffset, byteLength)) };
    }
    case "variable": {
      const { offsets, bytes } = values;
      const items = Array.from({ length: offsets.length - 1 }, (_, i) =>
        base64(bytes.subarray(offsets[i], offsets[i + 1])),
      );
      return { kind: "variable", items };
    }
    case "record":
      return { kind: "record", fields: values.fields.map(describeValues) };
    case "sequence":
      throw new TypeError("no store holds sequences");
    default:
      return values satisfies never;
  }
}

/** `expected` without its shape, and with shared values put in. */
export function wantedValues(expected: Values): Values {
  switch (expected.kind) {
    case "fixed": {
      const { bytes } = expected;
      return { kind: "fixed", bytes: bytes.startsWith("@") ? expectedFile.shared[Number(bytes.slice(1))] : bytes };
    }
    case "variable":
      return { kind: "variable", items: expected.items };
    case "record":
      return { kind: "record", fields: expected.fields.map(wantedValues) };
    default:
      return expected satisfies never;
  }
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
}

/** The texts of variable values. */
export function textsOf(values: StoredValues): string[] {
  if (values.kind !== "variable") throw new Error(`${values.kind} values are no texts`);
  const { offsets, bytes } = values;
  const decoder = new TextDecoder("utf-8", { fatal: true });
  return Array.from({ length: offsets.length - 1 }, (_, i) =>
    decoder.decode(bytes.subarray(offsets[i], offsets[i + 1])),
  );
}

/** The numbers of fixed values. */
export function numbersOf(values: StoredValues): (number | bigint)[] {
  if (values.kind !== "fixed") throw new Error(`${values.kind} values are no numbers`);
  return Array.from<number | bigint>(values.values);
}
