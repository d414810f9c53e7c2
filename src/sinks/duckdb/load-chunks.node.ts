/** Loads tables of any type into native DuckDB chunk by chunk, in this thread. */

import type { RecordBatch, Schema } from "apache-arrow";
import type { DataTable } from "../../model/dataset.js";
import type { SinkOptions } from "../stream.js";
import { quoteSqlName } from "./engine.js";
import { type FilledTable, fillTable } from "./fill-table.js";
import type { Bindings, NativeAppender, NativeConnection } from "./native-connection.node.js";
import { createVectorWriter, type NativeWriter } from "./write-vectors.node.js";

/** Creates a table with the rows of `table`, as `fillTable` does. */
export async function loadChunks(
  bindings: Bindings,
  connection: NativeConnection,
  table: DataTable,
  options: SinkOptions = {},
): Promise<number> {
  return fillTable(table, options, (schema, first) =>
    ChunkTable.create(bindings, connection, table.name, schema, first),
  );
}

/** Chunks after which this thread does other work: 64 of 2,048 rows take some milliseconds. */
const CHUNKS_PER_TURN = 64;

class ChunkTable implements FilledTable {
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

  static async create(
    bindings: Bindings,
    connection: NativeConnection,
    name: string,
    schema: Schema,
    first: RecordBatch | null,
  ): Promise<ChunkTable> {
    const writers = schema.fields.map((field, i) =>
      createVectorWriter(bindings, field.type, first?.data.children[i].dictionary),
    );
    const columns = schema.fields.map((field, i) => `${quoteSqlName(field.name)} ${writers[i].sql}`);
    await connection.run(`create table ${quoteSqlName(name)} (${columns.join(", ")})`);
    return new ChunkTable(bindings, connection, name, writers, await connection.appender(name));
  }

  async append({ numRows: rows, data: { children: columns } }: RecordBatch): Promise<void> {
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

  async end(): Promise<void> {
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
