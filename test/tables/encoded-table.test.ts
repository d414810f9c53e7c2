import { type Field, type Schema, type Table, tableFromIPC } from "apache-arrow";
import { afterAll, describe, expect, test } from "vitest";
import { openStored } from "../../src/api/open.node.js";
import { type ArrowField, createField, INT32, UTF8 } from "../../src/arrow/type.js";
import { encodeTable } from "../../src/sinks/directory/encode.js";
import { ipcStream } from "../../src/sinks/ipc/ipc.js";
import { toDataTable } from "../../src/tables/given/table-forms.js";
import { StoredTable } from "../../src/tables/stored-table.js";
import { plainRows } from "../arrow/plain.js";
import { columnsPlan } from "../jobs/plans.js";
import { bytesOf } from "../sinks/dataset-of.js";
import { numbersArray } from "../stored-array.js";

const FILES = [
  ...["modern.h5ad", "odd.h5ad", "plain.h5ad", "empty.h5ad", "legacy_0_4_csr.h5ad", "legacy_0_6.h5ad"],
  ...["legacy_0_7.h5ad", "modern.v2.zarr.zip", "modern.v3s.zarr.zip"],
];

const said = (one: Field): unknown => ({
  name: one.name,
  type: String(one.type),
  nullable: one.nullable,
  metadata: [...one.metadata],
  ordered: "isOrdered" in one.type ? one.type.isOrdered : null,
  children: (one.type.children ?? []).map(said),
});
const schemaOf = ({ fields, metadata }: Schema) => ({ fields: fields.map(said), metadata: [...metadata] });

/** Every dictionary with all its values, also those that no row has. */
const dictionaries = (table: Table) =>
  table.batches[0]?.data.children.map(({ dictionary }) => (dictionary === undefined ? null : [...dictionary]));

describe.each(FILES)("every table of %s reads as from apache-arrow's writer", async (name) => {
  const dataset = await openStored(`test/fixtures/data/anndata/${name}`, { text: "latin1" });
  afterAll(() => dataset.close());

  test.each([...dataset.tables.keys()])("%s", async (element) => {
    const table = dataset.table(element);
    if (!(table instanceof StoredTable)) throw new TypeError("a stored table is expected");
    const right = tableFromIPC(await bytesOf(ipcStream(await toDataTable(table))));
    for (const format of ["arrow", "arrows"] as const) {
      for (const batchBytes of [2 ** 24, 64]) {
        const found = tableFromIPC(await bytesOf(encodeTable(table, format, { batchBytes })));
        expect(schemaOf(found.schema)).toEqual(schemaOf(right.schema));
        expect(plainRows(found)).toEqual(plainRows(right));
        expect(dictionaries(found)).toEqual(dictionaries(right));
      }
    }
  });
});

const table = (length: number, fields?: readonly ArrowField[]) => {
  const plan = columnsPlan({ kind: "array", array: numbersArray(new Int32Array(length).fill(7), { path: "a" }) });
  return new StoredTable({ ...plan, ...(fields === undefined ? {} : { fields }) }, "made");
};

test("batches have as many bytes as was asked for, and progress counts rows", async () => {
  const seen: number[] = [];
  const onProgress = ({ done }: { readonly done: number }) => void seen.push(done);
  const read = tableFromIPC(await bytesOf(encodeTable(table(10), "arrows", { batchBytes: 16, onProgress })));
  expect(read.batches.map(({ numRows }) => numRows)).toEqual([4, 4, 2]);
  expect(seen).toEqual([0, 4, 8, 10]);
});

test("formats by name", async () => {
  const [file, stream] = await Promise.all([
    bytesOf(encodeTable(table(3), "arrow")),
    bytesOf(encodeTable(table(3), "arrows")),
  ]);
  expect(Buffer.from(file.subarray(0, 6)).toString()).toBe("ARROW1");
  expect([...stream.subarray(0, 4)]).toEqual([255, 255, 255, 255]);
});

test("a cancelled reading ends with the signal's reason", async () => {
  const signal = AbortSignal.abort();
  await expect(bytesOf(encodeTable(table(3), "arrow", { signal }))).rejects.toThrow("aborted");
});

test("categories of categories are refused", async () => {
  const inner = { id: "Dictionary", index: INT32, value: UTF8, ordered: false } as const;
  const nested = createField("kind", { ...inner, value: inner });
  await expect(bytesOf(encodeTable(table(3, [nested]), "arrow"))).rejects.toThrow(
    /table: the categories of kind .* coded/,
  );
});
