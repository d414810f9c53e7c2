/** Converts any table from the caller to a `DataTable`, the form that sinks accept. */

import { type RecordBatch, Schema, util } from "apache-arrow";
import { emptyData } from "../../arrow/apache/raw-data.js";
import type { BatchOptions, DataTable } from "../../model/dataset.js";
import { InvalidInputError } from "../../model/errors.js";
import { createBatchTable } from "../batch-table.js";
import { recordBatch, splitBatchBySize } from "../record-batch.js";
import { DEFAULT_BATCH_BYTES } from "../stored-table.js";
import type { BatchStream, ColumnTableInput } from "./arrow-column-table.js";

/**
 * Converts `input` to a table. Batches from this copy of apache-arrow are passed through, whatever their types; all
 * other input is checked and converted, as in `write`.
 * @throws {InvalidInputError} if the input is not a table.
 * @throws {UnsupportedError} for types that can only be passed through.
 */
export async function convertInputToTable(input: ColumnTableInput): Promise<DataTable> {
  if (isDataTable(input)) return input;
  if (isOwnStream(input)) return streamedTable(input);
  const [{ convertInputToColumns }, { ColumnDataTable }] = await Promise.all([
    import("./arrow-column-table.js"),
    import("../column-data-table.js"),
  ]);
  return new ColumnDataTable(await convertInputToColumns(input));
}

const isObject = (input: unknown): input is Readonly<Record<PropertyKey, unknown>> =>
  typeof input === "object" && input !== null;

function isDataTable(input: ColumnTableInput): input is DataTable {
  return isObject(input) && typeof input.batches === "function" && "schema" in input;
}

function isOwnStream(input: ColumnTableInput): input is BatchStream {
  if (!isObject(input) || !(input.schema instanceof Schema) || !isObject(input.batches)) return false;
  return Symbol.iterator in input.batches || Symbol.asyncIterator in input.batches;
}

function streamedTable({ schema, batches }: BatchStream): DataTable {
  const name = "table";
  return createBatchTable({
    name,
    schema,
    rows: Array.isArray(batches) ? batches.reduce((sum, { numRows }) => sum + numRows, 0) : null,
    async *batches({ batchBytes = DEFAULT_BATCH_BYTES, signal }: BatchOptions = {}): AsyncGenerator<RecordBatch> {
      let number = 0;
      for await (const batch of batches) {
        signal?.throwIfAborted();
        if (!util.compareSchemas(schema, batch.schema)) {
          const isSame = String(batch.schema) === String(schema);
          throw new InvalidInputError(
            isSame
              ? `batch ${number} has other dictionaries than its table (by their ids): give batches of one table or stream`
              : `batch ${number} has the schema ${batch.schema}, its table ${schema}`,
            { element: name },
          );
        }
        number++;
        for (const piece of splitBatchBySize(batch, batchBytes)) {
          yield recordBatch(schema, piece.numRows, piece.data.children);
        }
      }
      if (number > 0) return;
      const none = schema.fields.map((field) => emptyData(field.type));
      yield recordBatch(schema, 0, none);
    },
  });
}
