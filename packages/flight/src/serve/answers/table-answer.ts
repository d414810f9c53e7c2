/** Answers requests for rows of one table in a dataset. */

import type { BatchOptions, DataTable, TableMetadata } from "annarrow";
import { InvalidInputError } from "annarrow";
import type { OpenedTable } from "annarrow/core/api";
import { type ArrowType, estimateValueSize } from "annarrow/core/arrow";
import { encodeSchemaMessage, hasNestedCodes } from "annarrow/core/ipc";
import { StoredTable, toDataTable } from "annarrow/core/tables";
import type { TableMessage } from "../../flight/messages/message-data.js";
import { splitBatch } from "../../flight/messages/split-batch.js";
import type { Answer, TextFormat } from "../requests/answer.js";
import { RequestError } from "../requests/failure.js";
import type { TableRequest } from "../requests/request.js";
import type { Backpressure } from "./backpressure.js";
import { encodeStoredBatches, encodeStoredHead } from "./stored-messages.js";

/** The dataset behind an answer; see `Answer` for the fields. */
export interface AnswerOrigin {
  readonly name: string;
  readonly identity: string;
  readonly isFixed: boolean;
  readonly since: number | null;
  readonly close: () => void;
}

/**
 * Answers a request for rows of `table`.
 * @throws {InvalidInputError} for a layout that the table does not have, and for a row range of a table with an unknown
 * number of rows.
 * @throws {NotFoundError} for a column that the table does not have.
 * @throws {RequestError} for rows beyond the end.
 */
export async function createTableAnswer(
  table: OpenedTable,
  request: TableRequest,
  origin: AnswerOrigin,
  pace: Backpressure,
): Promise<Answer> {
  const laid = request.layout === undefined ? table : await table.layout(request.layout);
  const { columns } = request;
  const part = { origin, pace, columns, rows: rowsOf(laid, request) };
  return laid instanceof StoredTable && !laid.fields.some(hasNestedCodes)
    ? storedAnswer(laid, part)
    : arrowAnswer(await toDataTable(laid), part);
}

interface TablePart {
  readonly origin: AnswerOrigin;
  readonly pace: Backpressure;
  /** Undefined for all columns. */
  readonly columns: readonly string[] | undefined;
  /** Null means all rows of a table whose number of rows is unknown. */
  readonly rows: readonly [start: number, end: number] | null;
}

function rowsOf({ rows, name }: OpenedTable, request: TableRequest): TablePart["rows"] {
  const wanted = request.rows;
  if (rows === null) {
    if (wanted === undefined) return null;
    throw new InvalidInputError("only a scan tells how many rows it has, so none of them can be named by numbers", {
      element: name,
    });
  }
  if (wanted === undefined) return [0, rows];
  const [start, end] = wanted;
  if (start > rows) throw new RequestError("bad-range", `${name}: rows from ${start} on, the table has ${rows}`);
  return [start, Math.min(end, rows)];
}

async function storedAnswer(table: StoredTable, part: TablePart): Promise<Answer> {
  const { origin, pace, columns, rows } = part;
  const { findColumnPositions } = await import("annarrow/core/tables");
  const names = table.fields.map((field) => field.name);
  const fields = columns === undefined ? names.map((_, i) => i) : findColumnPositions(names, columns, table.name);
  const chosen = fields.map((i) => table.fields[i]);
  const count = rows === null ? null : rows[1] - rows[0];
  return {
    ...origin,
    schema: async () => encodeSchemaMessage(chosen, table.schemaMetadata).bytes,
    rows: count,
    async bytes(signal) {
      if (rows === null) return null;
      const listed = chosen.some(({ type }) => type.id === "List") ? await table.entriesBefore(rows, { signal }) : null;
      return Math.ceil(chosen.reduce((sum, { type }) => sum + columnBytes(type, rows[1] - rows[0], listed), 0));
    },
    first: rows === null ? null : rows[0],
    metadata: table.metadata,
    warnings: () => [],
    entriesBefore: async (rows, signal) =>
      isCoordinates(table.metadata, names) ? rows : table.entriesBefore(rows, { signal }),
    async *messages(signal): AsyncGenerator<TableMessage> {
      for await (const message of encodeStoredHead(table, { fields, signal })) yield { ...message, rows: null };
      for await (const batch of encodeStoredBatches({ table, fields, signal, pace }, rows)) {
        const done = () => pace.memory.giveBack(batch.bytes.buffer);
        // A batch with text may be larger than the size estimated from the schema.
        for await (const message of splitBatch(batch, chosen, pace.batchBytes)) {
          yield message === batch ? { ...message, done } : message;
        }
      }
    },
    async *text(format, signal) {
      yield* textOf(await toDataTable(table), part, format, signal);
    },
  };
}

async function arrowAnswer(table: DataTable, part: TablePart): Promise<Answer> {
  const { origin, pace, columns, rows } = part;
  const [{ encodeApacheSchema }, { encodeTableMessages }, { projectSchema }] = await Promise.all([
    import("annarrow/core/ipc"),
    import("../../flight/messages/table-messages.js"),
    import("annarrow/core/tables"),
  ]);
  const schema = columns === undefined ? table.schema : projectSchema(table.schema, columns, table.name);
  return {
    ...origin,
    schema: async () => Uint8Array.from(encodeApacheSchema(schema)),
    rows: rows === null ? null : rows[1] - rows[0],
    bytes: async () => null,
    first: rows === null ? null : rows[0],
    metadata: table.metadata,
    warnings: () => [],
    entriesBefore: async (rows) => {
      const names = table.schema.fields.map((field) => field.name);
      return isCoordinates(table.metadata, names) ? rows : null;
    },
    async *messages(signal) {
      const end = pace.begin();
      try {
        const read: BatchOptions = {
          batchBytes: pace.narrowBytes,
          signal,
          columns,
          rows: rows ?? undefined,
        };
        yield* encodeTableMessages({ schema, batches: table.batches(read) }, pace.batchBytes);
      } finally {
        end();
      }
    },
    text: (format, signal) => textOf(table, part, format, signal),
  };
}

/** @param listed numbers of entries before the first row and before the end, if each row is a list of entries. */
function columnBytes(type: ArrowType, rows: number, listed: readonly number[] | null): number {
  if (type.id !== "List" || listed === null) return rows * estimateValueSize(type);
  return 4 * rows + (listed[1] - listed[0]) * estimateValueSize(type.item.type);
}

/** Whether each row is one stored entry of a matrix. */
function isCoordinates({ shape }: TableMetadata, names: readonly string[]): boolean {
  return shape?.length === 2 && names.join() === "row,col,value";
}

/** Maximum number of rows and bytes converted to text at once. A window of jobs is not worthwhile for so few. */
const TEXT_ROWS = 2 ** 15;
const TEXT_BYTES = 2 ** 20;

async function* textOf(
  table: DataTable,
  { columns, rows }: TablePart,
  format: TextFormat,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const { selectColumns } = await import("annarrow/core/tables");
  const { encodeTable } = await import("annarrow/core/sinks");
  const chosen = columns === undefined ? table : selectColumns(table, columns);
  const piece = rows === null ? chosen : await piecewise(chosen, rows);
  yield* encodeTable(piece, format === "json" ? "ndjson" : format, { signal });
}

/** Creates a table whose batches cover `[start, end)` in ranges. Each range is read after the previous one. */
async function piecewise(table: DataTable, [start, end]: readonly [number, number]): Promise<DataTable> {
  const { overrideTable } = await import("annarrow/core/tables");
  return overrideTable(table, {
    rows: end - start,
    layouts: [],
    async *batches(options) {
      for (let at = start; at < end || at === start; at += TEXT_ROWS) {
        yield* table.batches({ ...options, batchBytes: TEXT_BYTES, rows: [at, Math.min(end, at + TEXT_ROWS)] });
        if (start === end) return;
      }
    },
  });
}
