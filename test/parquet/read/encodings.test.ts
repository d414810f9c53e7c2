/** Encodings of pages that are not read. */

import { tableFromArrays } from "apache-arrow";
import { expect, test } from "vitest";
import { open, parquetFile } from "../../../packages/published/src/node.js";
import { CompactWriter } from "../../../src/parquet/thrift.js";

/** A file whose columns are declared in another encoding than PLAIN and dictionaries. */
async function fileIn(encoding: number): Promise<Blob> {
  const values = Float64Array.from({ length: 100 }, (_, i) => i / 10);
  const parts: Uint8Array[] = [];
  const table = tableFromArrays({ value: values });
  for await (const bytes of parquetFile(table, { compression: "none" })) parts.push(bytes);
  const file = Buffer.concat(parts);
  const list = (encodings: readonly number[]) =>
    Buffer.from(CompactWriter.struct((out) => out.i32List(2, encodings))).subarray(1, -1);
  const lists = [[0, 3], [3, 0], [0], [2, 3, 0], [0, 2, 3]].map(list);
  const stored = lists.find((one) => file.lastIndexOf(one) > 0);
  if (stored === undefined) throw new Error("no list of encodings is found");
  const at = file.lastIndexOf(stored);
  file[at + 1] = encoding * 2;
  return new Blob([new Uint8Array(file)]);
}

test.each([
  [10, "value has the encoding ALP, which is not read; write it with PLAIN encoding"],
  [11, "value has the encoding number 11, which is not read"],
])("%d", async (encoding, problem) => {
  const data = await open(await fileIn(encoding));
  const [table] = data.tables.values();
  await expect(table.read()).rejects.toMatchObject({
    tag: "UnsupportedError",
    problem: expect.stringContaining(problem),
  });
  await data.close();
});
