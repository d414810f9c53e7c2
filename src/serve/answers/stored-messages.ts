/** Rows of a stored table as encoded batches, no further ahead of their reader than its pace allows. */

import { estimatedSize } from "../../arrow/type.js";
import { batchBytesFor } from "../../flight/messages/message-data.js";
import { batchMessage, type EncodedBatch } from "../../ipc/write/message.js";
import type { StoredTable } from "../../tables/stored-table.js";
import type { Pace } from "./pace.js";

export interface RowsWanted {
  readonly rows: readonly [start: number, end: number] | null;
  /** Places of the fields that are wanted, in this order. */
  readonly fields: readonly number[];
  readonly signal: AbortSignal;
}

/** Less is not worth a window of jobs. */
const MIN_WIDE_BYTES = 2 ** 25;

/**
 * The rows' batches, at least one. Each lasts until its memory is given to that of `pace`; after a slow reader the next is
 * decoded when it is asked for.
 */
export async function* storedMessages(
  table: StoredTable,
  { rows, fields, signal }: RowsWanted,
  pace: Pace,
): AsyncGenerator<EncodedBatch> {
  const end = pace.begin();
  try {
    if (rows === null) yield* unknownRows(table, fields, signal, pace);
    else yield* countedRows(table, rows, fields, signal, pace);
  } finally {
    end();
  }
}

async function* countedRows(
  table: StoredTable,
  [start, end]: readonly [number, number],
  fields: readonly number[],
  signal: AbortSignal,
  pace: Pace,
): AsyncGenerator<EncodedBatch> {
  let rowBytes = Math.max(
    1 / 8,
    fields.reduce((sum, i) => sum + estimatedSize(table.fields[i].type), 0),
  );
  let isSlow = false;
  let at = start;
  while (at < end) {
    const leave: (() => void) | null = isSlow || (end - at) * rowBytes < MIN_WIDE_BYTES ? null : pace.tryWide();
    if (leave !== null) {
      const window: Window = new Window(table, [at, end], fields, signal, pace, leave);
      try {
        for (let next = await window.next(); next !== null; next = await window.next()) {
          const waits = setTimeout(() => window.close(), pace.patience);
          at += next.rows;
          try {
            yield next;
          } finally {
            clearTimeout(waits);
          }
          if (pace.isCrowded) window.close();
        }
        isSlow = window.gaveUp && !pace.isCrowded;
      } finally {
        window.close();
      }
      continue;
    }
    const batchBytes = batchBytesFor(pace.narrowBytes);
    const count = Math.min(end - at, Math.max(1, Math.floor(batchBytes / rowBytes)));
    for (const batch of await decoded(table, [at, at + count], fields, batchBytes, signal, pace)) {
      const began = performance.now();
      if (batch.rows > 0) rowBytes = Math.max(rowBytes, batch.bodyLength / batch.rows);
      yield batch;
      isSlow = performance.now() - began > pace.patience;
    }
    at += count;
  }
  if (start === end) yield await noRows(table, fields, signal);
}

/** One scan of all rows, which cannot be begun in the middle: it runs wide, after those before it. */
async function* unknownRows(
  table: StoredTable,
  fields: readonly number[],
  signal: AbortSignal,
  pace: Pace,
): AsyncGenerator<EncodedBatch> {
  const leave = await pace.scans.enter(signal);
  let isEmpty = true;
  try {
    const product = messagesOf(batchBytesFor(pace.batchBytes));
    for await (const part of table.parts(product, { fields, signal, memory: pace.memory })) {
      if (part.kind !== "ipc") throw new TypeError("messages were asked for");
      for (const message of part.messages) {
        if (message.rows === 0) continue;
        isEmpty = false;
        yield message;
      }
    }
  } finally {
    leave();
  }
  if (isEmpty) yield await noRows(table, fields, signal);
}

function messagesOf(batchBytes: number) {
  return { kind: "ipc", batchBytes, reuse: true } as const;
}

async function noRows(table: StoredTable, fields: readonly number[], signal: AbortSignal): Promise<EncodedBatch> {
  return batchMessage(await table.noRows({ fields, signal }), 0);
}

async function decoded(
  table: StoredTable,
  rows: readonly [number, number],
  fields: readonly number[],
  batchBytes: number,
  signal: AbortSignal,
  pace: Pace,
): Promise<readonly EncodedBatch[]> {
  const leave = await pace.narrow.enter(signal);
  try {
    const messages: EncodedBatch[] = [];
    for await (const part of table.parts(messagesOf(batchBytes), { rows, fields, signal, memory: pace.memory })) {
      if (part.kind !== "ipc") throw new TypeError("messages were asked for");
      messages.push(...part.messages.filter((message) => message.rows > 0));
    }
    return messages;
  } finally {
    leave();
  }
}

/** A window of jobs ahead of the reader, until it is closed. */
class Window {
  readonly #parts: AsyncGenerator<unknown>;
  readonly #leave: () => void;
  #ready: EncodedBatch[] = [];
  #isOver = false;
  #gaveUp = false;

  constructor(
    table: StoredTable,
    rows: readonly [number, number],
    fields: readonly number[],
    signal: AbortSignal,
    { batchBytes, memory }: Pace,
    leave: () => void,
  ) {
    const parts = table.parts(messagesOf(batchBytesFor(batchBytes)), { rows, fields, signal, memory });
    this.#parts = flat(parts, this.#ready);
    this.#leave = leave;
  }

  /** Whether it was closed before its last row. */
  get gaveUp(): boolean {
    return this.#gaveUp;
  }

  /** The next batch; null at the end, or once it is closed. */
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

async function* flat(parts: ReturnType<StoredTable["parts"]>, ready: EncodedBatch[]): AsyncGenerator<unknown> {
  for await (const part of parts) {
    if (part.kind !== "ipc") throw new TypeError("messages were asked for");
    ready.push(...part.messages.filter((message) => message.rows > 0));
    yield;
  }
}
