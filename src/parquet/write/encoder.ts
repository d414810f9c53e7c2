/** The Parquet encoder, which encodes the rows of each job as row groups. */

import { computeColumnSum } from "../../arrow/column-sum.js";
import type { Encoder } from "../../arrow/encoder.js";
import { isCodec } from "./compression.js";
import { ParquetFile } from "./file.js";
import { createSchemaKeyValues } from "./file-description.js";
import { findParquetColumns } from "./parquet-column.js";
import {
  type BatchRange,
  createRowGroupEncoder,
  ROW_GROUP_BYTES,
  type RowGroupEncoder,
  splitIntoRowGroups,
} from "./row-group.js";

/** The options are `compression`, and `summed`: the position of a column whose sum is stored with each row group. */
export const parquet: Encoder = {
  ...{ name: "parquet", isFlat: true, hasCategories: false, batchBytes: ROW_GROUP_BYTES, jobsPerWorker: 4 },
  begin(fields, { compression, summed }) {
    const columns = findParquetColumns(fields);
    if (columns === null || typeof compression !== "string" || !isCodec(compression)) return null;
    let encoder: Promise<RowGroupEncoder> | undefined;
    return {
      async *encode(batches, { release }) {
        encoder ??= createRowGroupEncoder(columns, compression);
        for await (const slices of splitIntoRowGroups(columns, batches)) {
          const group = await (await encoder).encode(slices);
          yield typeof summed === "number" ? { ...group, sum: sumSlices(slices, summed) } : group;
        }
        release?.();
      },
      createFile: ({ metadata }) =>
        new ParquetFile({ columns, compression, keyValues: createSchemaKeyValues(fields, metadata) }),
    };
  },
};

function sumSlices(slices: readonly BatchRange[], position: number): number {
  return slices.reduce((sum, { columns, from, to }) => sum + computeColumnSum(columns[position], from, to), 0);
}
