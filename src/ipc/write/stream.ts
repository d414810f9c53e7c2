/** Encoded messages as an Arrow IPC stream. */

import type { IpcForm, IpcSchema } from "./file.js";
import { END_OF_STREAM, type EncodedMessage, schemaMessage } from "./message.js";

/** The IPC streaming format, `.arrows`. */
export class IpcStream implements IpcForm {
  readonly #schema: IpcSchema;

  constructor(schema: IpcSchema) {
    this.#schema = schema;
  }

  start(): Uint8Array[] {
    return [schemaMessage(this.#schema.fields, this.#schema.metadata).bytes];
  }

  dictionary({ bytes }: EncodedMessage): Uint8Array {
    return bytes;
  }

  batch({ bytes }: EncodedMessage): Uint8Array {
    return bytes;
  }

  end(): Uint8Array[] {
    return [END_OF_STREAM];
  }
}
