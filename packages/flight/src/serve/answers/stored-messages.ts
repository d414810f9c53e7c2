/**
 * Encodes a stored table as messages: schema, dictionaries, and rows. Rows are decoded only as far ahead as the pace
 * allows.
 */

import { estimateValueSize } from "annarrow/core/arrow";
import {
  checkDictionaries,
  type EncodedBatch,
  type EncodedMessage,
  encodeBatchMessage,
  encodeDictionaries,
  encodeSchemaMessage,
  isEncodedBatch,
} from "annarrow/core/ipc";
import type { JobResult } from "annarrow/core/jobs";
import type { PartOptions, StoredTable } from "annarrow/core/tables";
import { computeBatchBytes } from "../../flight/messages/message-data.js";
import type { Backpressure } from "./backpressure.js";

export interface StoredStream {
  readonly table: StoredTable;
  /** Positions of the requested fields, in the order of the answer. */
  readonly fields: readonly number[];
  readonly signal: AbortSignal;
  readonly pace: Backpressure;
}

type RowRange = readonly [start: number, end: number];

/** Minimum number of bytes for which a window of jobs is worthwhile. */
const MIN_WIDE_BYTES = 2 ** 25;

/**
 * Yields the batches of `rows`, at least one. The caller returns the memory of each batch to `pace`. If the reader is
 * slow, the next batch is decoded only on request.
 * @param rows null for all rows of a table whose length is known only after a scan.
 */
export async function* encodeStoredBatches(stream: StoredStream, rows: RowRange | null): AsyncGenerator<EncodedBatch> {
  const end = stream.pace.begin();
  try {
    if (rows === null) yield* allRows(stream);
    else yield* rowsInRange(stream, rows);
  } finally {
    end();
  }
}

async function* rowsInRange(stream: StoredStream, [start, end]: RowRange): AsyncGenerator<EncodedBatch> {
  const { table, fields, pace } = stream;
  let rowBytes = Math.max(
    1 / 8,
    fields.reduce((sum, i) => sum + estimateValueSize(table.fields[i].type), 0),
  );
  let isSlow = false;
  let at = start;
  while (at < end) {
    const leave: (() => void) | null = isSlow || (end - at) * rowBytes < MIN_WIDE_BYTES ? null : pace.tryWide();
    if (leave !== null) {
      const window: JobWindow = new JobWindow(stream, [at, end], leave);
      try {
        for (let next = await window.next(); next !== null; next = await window.next()) {
          const patience = setTimeout(() => window.close(), pace.patience);
          at += next.rows;
          try {
            yield next;
          } finally {
            clearTimeout(patience);
          }
          if (pace.isCrowded) window.close();
        }
        isSlow = window.gaveUp && !pace.isCrowded;
      } finally {
        window.close();
      }
      continue;
    }
    const batchBytes = computeBatchBytes(pace.narrowBytes);
    const count = Math.min(end - at, Math.max(1, Math.floor(batchBytes / rowBytes)));
    for (const batch of await decoded(stream, [at, at + count], batchBytes)) {
      const began = performance.now();
      if (batch.rows > 0) rowBytes = Math.max(rowBytes, batch.bodyLength / batch.rows);
      yield batch;
      isSlow = performance.now() - began > pace.patience;
    }
    at += count;
  }
  if (start === end) yield await emptyBatch(stream);
}

/** Scans all rows of a table that cannot be read from the middle. The scan runs wide, and waits for a free slot. */
async function* allRows(stream: StoredStream): AsyncGenerator<EncodedBatch> {
  const { table, fields, signal, pace } = stream;
  const leave = await pace.scans.enter(signal);
  let isEmpty = true;
  try {
    const request = createRequest(computeBatchBytes(pace.batchBytes));
    for await (const result of table.parts(request, { fields, signal, memory: pace.memory })) {
      for (const message of listMessages(result)) {
        isEmpty = false;
        yield message;
      }
    }
  } finally {
    leave();
  }
  if (isEmpty) yield await emptyBatch(stream);
}

function createRequest(batchBytes: number) {
  return { kind: "encoded", encoder: "arrows", options: {}, batchBytes, reuse: true } as const;
}

/** Returns the messages that have rows. */
function listMessages(result: JobResult): readonly EncodedBatch[] {
  if (result.kind !== "encoded") throw new TypeError("messages were asked for");
  return result.encoded.filter(isEncodedBatch).filter(({ rows }) => rows > 0);
}

async function emptyBatch({ table, fields, signal }: StoredStream): Promise<EncodedBatch> {
  return encodeBatchMessage(await table.noRows({ fields, signal }), 0);
}

async function decoded(stream: StoredStream, rows: RowRange, batchBytes: number): Promise<readonly EncodedBatch[]> {
  const { table, fields, signal, pace } = stream;
  const leave = await pace.narrow.enter(signal);
  try {
    const messages: EncodedBatch[] = [];
    const options = { rows, fields, signal, memory: pace.memory };
    for await (const result of table.parts(createRequest(batchBytes), options)) messages.push(...listMessages(result));
    return messages;
  } finally {
    leave();
  }
}

/** A window of jobs that run ahead of the reader, until it is closed. */
class JobWindow {
  readonly #parts: AsyncGenerator<unknown>;
  readonly #leave: () => void;
  #ready: EncodedBatch[] = [];
  #isOver = false;
  #gaveUp = false;

  /** @param leave releases the slot for a wide stream. */
  constructor({ table, fields, signal, pace }: StoredStream, rows: RowRange, leave: () => void) {
    const { batchBytes, memory } = pace;
    const parts = table.parts(createRequest(computeBatchBytes(batchBytes)), { rows, fields, signal, memory });
    this.#parts = collected(parts, this.#ready);
    this.#leave = leave;
  }

  /** Whether the window was closed before its last row. */
  get gaveUp(): boolean {
    return this.#gaveUp;
  }

  /** Returns the next batch; null at the end, and after `close`. */
  async next(): Promise<EncodedBatch | null> {
    while (this.#ready.length === 0) {
      if (this.#isOver) return null;
      const { done } = await this.#parts.next();
      if (done) {
        this.close();
        this.#gaveUp = false;
      }
    }
    return this.#ready.shift() ?? null;
  }

  close(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#gaveUp = true;
    this.#ready.length = 0;
    void this.#parts.return(undefined).catch(() => undefined);
    this.#leave();
  }
}

/** Adds the batches of each part to `ready`, one part per step. */
async function* collected(parts: ReturnType<StoredTable["parts"]>, ready: EncodedBatch[]): AsyncGenerator<unknown> {
  for await (const result of parts) {
    ready.push(...listMessages(result));
    yield;
  }
}

/**
 * Yields the schema and dictionaries of `table`. Dictionaries are sent whole, because Arrow's Java library treats a
 * delta dictionary as a new dictionary.
 * @throws {UnsupportedError} for a dictionary whose values are encoded by another dictionary.
 */
export async function* encodeStoredHead(
  table: StoredTable,
  options: Omit<PartOptions, "rows"> = {},
): AsyncGenerator<EncodedMessage> {
  const fields = options.fields?.map((i) => table.fields[i]) ?? table.fields;
  checkDictionaries(fields, table.name);
  yield encodeSchemaMessage(fields, table.schemaMetadata);
  yield* encodeDictionaries(fields, () => table.noRows(options));
}
