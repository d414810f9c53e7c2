/**
 * Encodes rows of an in-memory table as row groups, in workers if that is worthwhile, otherwise in this thread. Both
 * produce the same bytes.
 */

import type { Column } from "../arrow/column.js";
import { yieldToEventLoop } from "../io/sources/event-loop.js";
import { BufferPool } from "../jobs/memory/buffer-pool.js";
import { mapStreamInOrder } from "../jobs/workers/concurrent-map.js";
import { countPackedBytes, type EncoderPlan, packDictionary, packRows } from "../jobs/workers/packed-rows.js";
import { getWorkerPool, type WorkerPool } from "../jobs/workers/pool.js";
import type { BatchRange, EncodedRowGroup } from "../parquet/write/row-group.js";

/** Minimum number of bytes for which workers pay off. Fewer bytes are encoded before a worker has started. */
const MIN_BYTES = 2 ** 24;

/** Row groups per worker that are being encoded or waiting for the consumer: the current one and the next one. */
const GROUPS_PER_WORKER = 2;

/** Maximum number of bytes in buffers that wait for the next row group, enough for several of the largest buffers. */
const MAX_KEPT = 2 ** 28;

type Rows = readonly BatchRange[];

export interface EncodeOptions {
  readonly plan: Omit<EncoderPlan, "dictionaries">;
  readonly inline: (slices: Rows) => Promise<EncodedRowGroup>;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Encodes the row groups of `groups` in order. The columns' memory is not changed, and remains with its owner.
 * @throws the error of the first row group that cannot be encoded, or the signal's reason.
 */
export async function* encodeRowGroups(
  groups: AsyncIterable<Rows>,
  options: EncodeOptions,
): AsyncGenerator<EncodedRowGroup> {
  const { inline, signal } = options;
  const pool = getWorkerPool();
  const rest = groups[Symbol.asyncIterator]();
  try {
    const first: Rows[] = [];
    // A single row group leaves nothing for other workers to do.
    let wanted = pool !== null && pool.size > 1 ? MIN_BYTES : 0;
    while (wanted > 0 || first.length === 1) {
      const next = await rest.next();
      if (next.done) break;
      first.push(next.value);
      wanted -= countPackedBytes(next.value);
    }
    const many = first.length > 1 && wanted <= 0;
    const all = followed(first, rest);
    if (pool !== null && many) {
      // This thread works in place of one worker.
      pool.start(pool.size - 1);
      for (let next = await untilReady(pool, all); next !== null; next = await untilReady(pool, all)) {
        signal?.throwIfAborted();
        yield await inline(next);
      }
      return yield* pooled(pool, all, options);
    }
    for await (const slices of all) {
      signal?.throwIfAborted();
      yield await inline(slices);
    }
  } finally {
    await rest.return?.();
  }
}

/** Returns the next row group for this thread while no worker runs yet; null once a worker runs. */
async function untilReady(pool: WorkerPool, groups: AsyncIterator<Rows>): Promise<Rows | null> {
  await yieldToEventLoop();
  if (pool.ready) return null;
  const next = await groups.next();
  return next.done ? null : next.value;
}

async function* followed<T>(first: T[], rest: AsyncIterator<T>): AsyncGenerator<T> {
  for (let next = first.shift(); next !== undefined; next = first.shift()) yield next;
  for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value;
}

async function* pooled(
  pool: WorkerPool,
  groups: AsyncIterator<Rows>,
  { plan, inline, signal }: EncodeOptions,
): AsyncGenerator<EncodedRowGroup> {
  const tasks = new EncoderTasks(pool, plan);
  try {
    const run = (slices: Rows) => tasks.encode(slices);
    yield* mapStreamInOrder(groups, { window: (pool.size - 1) * GROUPS_PER_WORKER, run, inline, signal });
  } finally {
    tasks.end();
  }
}

interface EncoderTask {
  readonly id: number;
  readonly dictionaries: readonly (Column | null)[];
  open: number;
}

/**
 * Encoder tasks of one table. A new task starts when dictionaries change, so a worker gets each dictionary only once.
 */
class EncoderTasks {
  readonly #pool: WorkerPool;
  readonly #plan: EncodeOptions["plan"];
  readonly #tasks = new Set<EncoderTask>();
  /** Buffers that are sent to workers and returned. */
  readonly #buffers = new BufferPool({ most: MAX_KEPT });
  #current: EncoderTask | null = null;

  constructor(pool: WorkerPool, plan: EncodeOptions["plan"]) {
    this.#pool = pool;
    this.#plan = plan;
  }

  async encode(slices: Rows): Promise<EncodedRowGroup> {
    const task = this.#taskFor(slices);
    task.open++;
    try {
      const { group, memory } = await this.#pool.encode(task.id, packRows(slices, this.#buffers));
      this.#buffers.giveBack(memory);
      return group;
    } finally {
      task.open--;
      this.#endSpent(task);
    }
  }

  end(): void {
    for (const { id } of this.#tasks) this.#pool.end(id);
    this.#tasks.clear();
  }

  #taskFor([{ columns }]: Rows): EncoderTask {
    const dictionaries = columns.map((column) => (column.layout === "dictionary" ? column.dictionary : null));
    const before = this.#current;
    if (before?.dictionaries.every((dictionary, i) => dictionary === dictionaries[i])) return before;
    const packed = dictionaries.map((dictionary) => dictionary && packDictionary(dictionary));
    const id = this.#pool.beginEncoder({ ...this.#plan, dictionaries: packed });
    this.#current = { id, dictionaries, open: 0 };
    this.#tasks.add(this.#current);
    if (before !== null) this.#endSpent(before);
    return this.#current;
  }

  #endSpent(task: EncoderTask): void {
    if (task === this.#current || task.open > 0 || !this.#tasks.delete(task)) return;
    this.#pool.end(task.id);
  }
}
