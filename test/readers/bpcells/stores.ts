/** The stores of test/fixtures/bpcells/make_bpcells.py, and what scipy says is in them. */

import { readdirSync, readFileSync } from "node:fs";
import type { Dataset } from "../../../src/model/dataset.js";

export const FIXTURES = "test/fixtures/data/bpcells";

export interface Expected {
  readonly shape: readonly [number, number];
  readonly order: "row" | "column";
  readonly row: readonly number[];
  readonly col: readonly number[];
  readonly value: readonly number[];
  readonly row_names: readonly string[] | null;
  readonly col_names: readonly string[] | null;
}

interface Listing {
  readonly entries: Record<string, Pick<Expected, "shape" | "order" | "row" | "col">>;
  readonly stores: Record<string, Pick<Expected, "value" | "row_names" | "col_names"> & { readonly entries: string }>;
}

const listing: Listing = JSON.parse(readFileSync(`${FIXTURES}/expected.json`, "utf8"));

export function expectedOf(store: string): Expected {
  const { entries, ...own } = listing.stores[store];
  return { ...listing.entries[entries], ...own };
}

/** The files of a store, to be changed. */
export function filesOf(store: string): Map<string, Uint8Array> {
  const folder = `${FIXTURES}/${store}`;
  return new Map(readdirSync(folder).map((name) => [name, new Uint8Array(readFileSync(`${folder}/${name}`))]));
}

/** A file of numbers. */
export function numberFile(header: string, values: ArrayBufferView): Uint8Array {
  const bytes = new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
  return Uint8Array.from([...new TextEncoder().encode(header), ...bytes]);
}

/** The numbers of a file of unsigned 32-bit integers. */
export function wordsOf(file: Uint8Array): Uint32Array {
  return new Uint32Array(file.slice(8).buffer);
}

export const text = (content: string) => new TextEncoder().encode(content);

/** The stores of matrices by name, with the version that they say and the type of their values. */
export const STORES = [
  ["packed", "packed-uint-matrix-v2", "Uint32"],
  ["packed-row", "packed-uint-matrix-v2", "Uint32"],
  ["packed-double", "packed-double-matrix-v2", "Float64"],
  ["packed-v1", "packed-uint-matrix-v1", "Uint32"],
  ["packed-early", "packed-uint-matrix-v1", "Uint32"],
  ["unpacked-row", "unpacked-uint-matrix-v2", "Uint32"],
  ["unpacked-float", "unpacked-float-matrix-v2", "Float32"],
  ["empty", "packed-uint-matrix-v2", "Uint32"],
] as const;

/** All values of a table, by the names of its columns. */
export async function columnsOf(data: Dataset, name: string): Promise<Record<string, unknown[]>> {
  const table = await data.table(name).read();
  return Object.fromEntries(table.schema.fields.map(({ name }) => [name, [...(table.getChild(name) ?? [])]]));
}
