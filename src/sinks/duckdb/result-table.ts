/** The result rows of a statement, as a table. */

import { DataType, type RecordBatch, RecordBatchReader, type Schema } from "apache-arrow";
import type { BatchOptions, DataTable } from "../../model/dataset.js";
import { InvalidInputError } from "../../model/errors.js";
import { createBatchTable } from "../../tables/batch-table.js";
import { recordBatch } from "../../tables/record-batch.js";
import { type AnswerLimit, computeBatchRanges } from "./answer-limit.js";
import { mergeSmallBatches } from "./larger-batches.js";

/** Makes a table from the batches of a statement's result. It can be read once, in larger batches. */
export function createResultTable(schema: Schema, batches: AsyncIterable<RecordBatch>): DataTable {
  let read = false;
  return createBatchTable({
    name: "result",
    schema,
    layout: async (layout) => {
      throw new InvalidInputError(`the result of a statement has no layout "${layout}"`);
    },
    async *batches(options: BatchOptions = {}) {
      if (read) throw new InvalidInputError("the result of a statement can be read once");
      read = true;
      for await (const batch of mergeSmallBatches(schema, batches)) {
        options.signal?.throwIfAborted();
        yield batch;
      }
    },
  });
}

/**
 * Reads the rows that DuckDB-WASM returns as Arrow messages.
 * @param limit the size limit for values and rows, if the engine has not already applied it. Reading throws if it is
 * exceeded.
 * @throws {InvalidInputError} for enums, because the engine streams their codes but not their names.
 */
export async function readAnswer(
  messages: AsyncIterable<Uint8Array>,
  limit: AnswerLimit | null = null,
): Promise<DataTable> {
  const reader = await RecordBatchReader.from(messages);
  await reader.open();
  const { schema } = reader;
  const coded = schema.fields.find(({ type }) => isCoded(type));
  if (coded !== undefined) {
    const what = DataType.isDictionary(coded.type) ? "is an ENUM" : "has an ENUM within it";
    throw new InvalidInputError(`column "${coded.name}" ${what}; cast it to VARCHAR`);
  }
  return createResultTable(schema, batches());

  async function* batches() {
    for await (const batch of reader) {
      if (limit !== null && batch.data.byteLength > limit.bytes) computeBatchRanges(batch, limit);
      // For a stream without batches, the reader creates a batch whose nested columns have no children.
      if (batch.numRows > 0) yield recordBatch(schema, batch.numRows, batch.data.children);
    }
  }
}

/** Whether a type is a dictionary, or contains a dictionary. */
function isCoded(type: DataType): boolean {
  return DataType.isDictionary(type) || (type.children ?? []).some((field) => isCoded(field.type));
}
