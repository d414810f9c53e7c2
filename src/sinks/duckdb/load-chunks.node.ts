/** Loads tables of any type into native DuckDB chunk by chunk, in this thread. */

import type { Data, Schema } from "apache-arrow";
import type { DataTable } from "../../model/dataset.js";
import { isAnnarrowError, isCancellation, locateError } from "../../model/errors.js";
import { type SinkOptions, streamBatches } from "../stream.js";
import { findSubstitution } from "../substitute.js";
import { loadError, quoteSqlName } from "./engine.js";
import { findDuckDBSubstitute } from "./held-types.js";
import type { Bindings, NativeAppender, NativeConnection } from "./native-connection.node.js";
import { createVectorWriter, type NativeWriter } from "./write-vectors.node.js";

/**
 * Creates a table with the rows of `table`. If this fails half-way, the table is dropped.
 * @returns the number of rows.
 * @throws {UnsupportedError} if DuckDB cannot hold a type or a value.
 */
export async function loadChunks(
  bindings: Bindings,
  connection: NativeConnection,
  table: DataTable,
  options: SinkOptions = {},
): Promise<number> {
  const changed = findSubstitution(table.schema, findDuckDBSubstitute);
  const schema = changed?.schema ?? table.schema;
  let target: ChunkTable | null = null;
  let rows = 0;
  try {
    for await (const batch of streamBatches(table, options)) {
      const { numRows, data } = changed ? changed.batch(batch) : batch;
      target ??= await ChunkTable.create(bindings, connection, table.name, schema, data.children);
      await target.append(numRows, data.children);
      rows += numRows;
    }
    target ??= await ChunkTable.create(bindings, connection, table.name, schema, []);
    target.close();
    return rows;
  } catch (error) {
    if (target !== null) await target.drop();
    if (isAnnarrowError(error) || isCancellation(error)) throw locateError(error, { element: table.name });
    throw loadError(error, table.name);
  }
}

/** Chunks after which this thread does other work: 64 of 2,048 rows take some milliseconds. */
const CHUNKS_PER_TURN = 64;

/** A table that is being filled. */
class ChunkTable {
  readonly #bindings: Bindings;
  readonly #connection: NativeConnection;
  readonly #name: string;
  readonly #writers: readonly NativeWriter[];
  readonly #appender: NativeAppender;

  private constructor(
    bindings: Bindings,
    connection: NativeConnection,
    name: string,
    writers: readonly NativeWriter[],
    appender: NativeAppender,
  ) {
    this.#bindings = bindings;
    this.#connection = connection;
    this.#name = name;
    this.#writers = writers;
    this.#appender = appender;
  }

  /** @param first columns of the first batch, whose dictionaries have the categories. */
  static async create(
    bindings: Bindings,
    connection: NativeConnection,
    name: string,
    schema: Schema,
    first: readonly Data[],
  ): Promise<ChunkTable> {
    const writers = schema.fields.map((field, i) => createVectorWriter(bindings, field.type, first[i]?.dictionary));
    const columns = schema.fields.map((field, i) => `${quoteSqlName(field.name)} ${writers[i].sql}`);
    await connection.run(`create table ${quoteSqlName(name)} (${columns.join(", ")})`);
    return new ChunkTable(bindings, connection, name, writers, await connection.appender(name));
  }

  async append(rows: number, columns: readonly Data[]): Promise<void> {
    const bindings = this.#bindings;
    const { chunk } = this.#appender;
    const size = bindings.vector_size();
    for (let start = 0, chunks = 1; start < rows; start += size, chunks++) {
      const count = Math.min(size, rows - start);
      const at = new Int32Array(count).map((_, i) => start + i);
      bindings.data_chunk_reset(chunk);
      bindings.data_chunk_set_size(chunk, count);
      for (const [i, writer] of this.#writers.entries()) {
        writer.write(bindings.data_chunk_get_vector(chunk, i), columns[i], at);
      }
      this.#appender.flush();
      if (chunks % CHUNKS_PER_TURN === 0) await new Promise((resolve) => setImmediate(resolve));
    }
  }

  close(): void {
    this.#appender.close();
  }

  async drop(): Promise<void> {
    try {
      this.#appender.clear();
      this.#appender.close();
    } catch {
      // The appender may have failed before. Its rows are dropped with the table.
    }
    await this.#connection.run(`drop table if exists ${quoteSqlName(this.#name)}`).catch(() => undefined);
  }
}
