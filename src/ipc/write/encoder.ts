/** Encoders of Arrow's IPC formats: a message for each batch. */

import type { Column } from "../../arrow/column.js";
import type { EncodedFile, EncodedTable, EncodedTableChunk, Encoder } from "../../arrow/encoder.js";
import type { ArrowField } from "../../arrow/type.js";
import { checkDictionaries, encodeDictionaries } from "./dictionaries.js";
import { IpcFile, type IpcFraming, type IpcSchema, IpcStream } from "./framing.js";
import { encodeBatchMessage, isEncodedBatch, reserveMessage } from "./message.js";

/** The file format, `.arrow`. */
export const arrow = createIpcEncoder("arrow", (schema) => new IpcFile(schema));

/** The streaming format, `.arrows`. */
export const arrows = createIpcEncoder("arrows", (schema) => new IpcStream(schema));

function createIpcEncoder(name: string, createFraming: (schema: IpcSchema) => IpcFraming): Encoder {
  return {
    ...{ name, isFlat: false, hasCategories: true, batchBytes: null, jobsPerWorker: 2 },
    begin: (fields) => ({
      async *encode(batches, { take, release }) {
        for await (const { columns, length } of batches) {
          const message = encodeBatchMessage(columns, length, take && ((bytes) => take(bytes, columns)));
          release?.();
          yield message;
        }
      },
      reserve: reserveMessage,
      createFile(table) {
        checkDictionaries(fields, table.name);
        return new FramedTable(createFraming({ fields, metadata: table.metadata }), fields, table);
      },
    }),
  };
}

class FramedTable implements EncodedFile {
  readonly #framing: IpcFraming;
  readonly #fields: readonly ArrowField[];
  readonly #readEmpty: () => Promise<readonly Column[]>;
  #isEmpty = true;

  constructor(framing: IpcFraming, fields: readonly ArrowField[], { readEmpty }: EncodedTable) {
    this.#framing = framing;
    this.#fields = fields;
    this.#readEmpty = readEmpty;
  }

  async *start(): AsyncGenerator<Uint8Array> {
    yield* this.#framing.start();
    for await (const message of encodeDictionaries(this.#fields, this.#readEmpty)) {
      yield this.#framing.dictionary(message);
    }
  }

  add(rows: EncodedTableChunk): Uint8Array {
    if (!isEncodedBatch(rows)) throw new TypeError("a message is expected");
    this.#isEmpty = false;
    return this.#framing.batch(rows);
  }

  async *end(): AsyncGenerator<Uint8Array> {
    // Some readers take an empty table's columns from a batch, so an empty batch is written.
    if (this.#isEmpty) yield this.add(encodeBatchMessage(await this.#readEmpty(), 0));
    yield* this.#framing.end();
  }
}
