/** Loads tables of any type into native DuckDB chunk by chunk, in this thread. */

import type { DataTable } from "../../model/dataset.js";
import type { SinkOptions } from "../stream.js";
import { quoteSqlName } from "./engine.js";
import { fillTable } from "./fill-table.js";
import type { Bindings, NativeConnection } from "./native-connection.node.js";
import { createVectorWriter } from "./write-vectors.node.js";

/**
 * Number of chunks after which this thread does other work. Loading 64 chunks of 2,048 rows takes some milliseconds.
 */
const CHUNKS_PER_TURN = 64;

/** Creates a table with the rows of `table`, as `fillTable` does. */
export async function loadChunks(
  bindings: Bindings,
  connection: NativeConnection,
  table: DataTable,
  options: SinkOptions = {},
): Promise<number> {
  const name = quoteSqlName(table.name);
  return fillTable(table, options, async ({ fields }, first) => {
    const writers = fields.map(({ type }, i) => createVectorWriter(bindings, type, first?.data.children[i].dictionary));
    const columns = fields.map((field, i) => `${quoteSqlName(field.name)} ${writers[i].sql}`);
    await connection.run(`create table ${name} (${columns.join(", ")})`);
    const appender = await connection.appender(table.name);
    const { chunk } = appender;
    const size = bindings.vector_size();
    return {
      async append({ numRows, data }) {
        for (let start = 0, chunks = 1; start < numRows; start += size, chunks++) {
          const count = Math.min(size, numRows - start);
          const at = new Int32Array(count).map((_, i) => start + i);
          bindings.data_chunk_reset(chunk);
          bindings.data_chunk_set_size(chunk, count);
          for (const [i, writer] of writers.entries()) {
            writer.write(bindings.data_chunk_get_vector(chunk, i), data.children[i], at);
          }
          appender.flush();
          if (chunks % CHUNKS_PER_TURN === 0) await new Promise((resolve) => setImmediate(resolve));
        }
      },
      async end() {
        appender.close();
      },
      async drop() {
        try {
          appender.clear();
          appender.close();
        } catch {
          // The appender may already have failed. Its rows are dropped with the table.
        }
        await connection.run(`drop table if exists ${name}`).catch(() => undefined);
      },
    };
  });
}
