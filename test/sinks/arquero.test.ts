/** Arquero's import of Arrow tables, of what this library reads. */

import { readFileSync } from "node:fs";
import { tableFromIPC } from "apache-arrow";
import { fromArrow } from "arquero";
import { expect, test } from "vitest";
import { open } from "../../src/api/open.node.js";
import { tableOf } from "./dataset-of.js";

/** Arquero's declarations know the tables of another library alone. */
function arrowInput(table: object): Uint8Array {
  return table as Uint8Array;
}

// Where several batches meet, Arquero 8.0.1 takes the padding of bitmaps for missing values of dictionary columns.
const types = tableOf("types", tableFromIPC(readFileSync("test/fixtures/data/sinks/types.arrow")));

test("values of every type", async () => {
  const found = fromArrow(arrowInput(await types.read()));
  expect(found.numRows()).toBe(20);
  expect(found.columnNames()).toEqual(types.schema.fields.map((field) => field.name));
  const row = Object.fromEntries(found.columnNames().map((name) => [name, plain(found.get(name, 4))]));
  expect(row).toMatchObject({
    int64: -(2n ** 63n),
    uint64: 0n,
    float16: Number.NEGATIVE_INFINITY,
    bool: true,
    utf8: " z",
    large_utf8: " z",
    fixed_list: [1, 2],
    complex: { real: 4, imag: 4 },
    list: [1n, 2n],
    list_struct: [{ index: 1, value: 2.5 }],
    dictionary_int8: "a",
    dictionary_ordered: "a",
    dictionary_of_int64: 10n,
    dictionary_of_bool: false,
    list_dictionary: ["a"],
  });
  for (const name of ["int64", "bool", "utf8", "timestamp_s", "null", "list"]) expect(found.get(name, 0)).toBeNull();
  expect(found.get("dictionary_int8", 2)).toBeNull();
});

test("categories of a file, with those that are missing", async () => {
  const data = await open("examples/pbmc.h5ad");
  const read = await data.table("obs").read({ batchBytes: 2 ** 30 });
  const obs = fromArrow(arrowInput(read));
  for (const name of ["cell_type", "is_doublet", "age", "note"]) {
    expect(Array.from(obs.array(name))).toEqual([...(read.getChild(name) ?? [])]);
  }
  await data.close();
});

function plain(value: unknown): unknown {
  if (ArrayBuffer.isView(value)) return Array.from(value as unknown as Iterable<unknown>);
  if (value !== null && typeof value === "object" && Symbol.iterator in value) {
    return Array.from(value as Iterable<unknown>, plain);
  }
  return value !== null && typeof value === "object" ? { ...value } : value;
}
