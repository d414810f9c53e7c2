/**
 * Frames encoded messages as an Arrow IPC stream or file. A file has magic bytes at both ends and a footer with
 * offsets.
 */

import { Builder } from "flatbuffers";
import type { SchemaField } from "../../arrow/type.js";
import { METADATA_VERSION } from "../flatbuffers/format.js";
import { END_OF_STREAM, type EncodedMessage, encodeSchemaMessage } from "./message.js";
import { addSchema } from "./schema.js";

export interface IpcSchema {
  readonly fields: readonly SchemaField[];
  readonly metadata: ReadonlyMap<string, string>;
}

/** Encodes the parts of one file or stream, in writing order. */
export interface IpcFraming {
  start(): Uint8Array[];
  dictionary(message: EncodedMessage): Uint8Array;
  /** Returns the bytes of the next batch. Does not retain the message. */
  batch(message: EncodedMessage): Uint8Array;
  end(): Uint8Array[];
}

const MAGIC = new TextEncoder().encode("ARROW1");
/** The magic, padded to 8 bytes. */
const HEAD = Uint8Array.of(...MAGIC, 0, 0);

interface Block {
  readonly offset: number;
  readonly metadataLength: number;
  readonly bodyLength: number;
}

/** The IPC file format, `.arrow`. */
export class IpcFile implements IpcFraming {
  readonly #schema: IpcSchema;
  readonly #dictionaries: Block[] = [];
  readonly #batches: Block[] = [];
  #offset = 0;

  constructor(schema: IpcSchema) {
    this.#schema = schema;
  }

  start(): Uint8Array[] {
    const { bytes } = encodeSchemaMessage(this.#schema.fields, this.#schema.metadata, HEAD.length);
    this.#offset = HEAD.length + bytes.length;
    return [HEAD, bytes];
  }

  dictionary(message: EncodedMessage): Uint8Array {
    return this.#add(message, this.#dictionaries);
  }

  batch(message: EncodedMessage): Uint8Array {
    return this.#add(message, this.#batches);
  }

  end(): Uint8Array[] {
    const footer = this.#footer();
    const length = new Uint8Array(4);
    new DataView(length.buffer).setInt32(0, footer.length, true);
    return [END_OF_STREAM, footer, length, MAGIC];
  }

  #add({ bytes, metadataLength, bodyLength }: EncodedMessage, blocks: Block[]): Uint8Array {
    blocks.push({ offset: this.#offset, metadataLength, bodyLength });
    this.#offset += bytes.length;
    return bytes;
  }

  /** Encodes the `Footer` table from the format's File.fbs. */
  #footer(): Uint8Array {
    const builder = new Builder(1024);
    const schema = addSchema(builder, this.#schema.fields, this.#schema.metadata);
    const dictionaries = blockList(builder, this.#dictionaries);
    const batches = blockList(builder, this.#batches);
    builder.startObject(5);
    builder.addFieldInt16(0, METADATA_VERSION.V5, 0);
    builder.addFieldOffset(1, schema, 0);
    builder.addFieldOffset(2, dictionaries, 0);
    builder.addFieldOffset(3, batches, 0);
    builder.finish(builder.endObject());
    return builder.asUint8Array();
  }
}

function blockList(builder: Builder, blocks: readonly Block[]): number {
  builder.startVector(24, blocks.length, 8);
  for (const { offset, metadataLength, bodyLength } of blocks.toReversed()) {
    builder.prep(8, 24);
    builder.writeInt64(BigInt(bodyLength));
    builder.pad(4);
    builder.writeInt32(metadataLength);
    builder.writeInt64(BigInt(offset));
  }
  return builder.endVector();
}

/** The IPC streaming format, `.arrows`. */
export class IpcStream implements IpcFraming {
  readonly #schema: IpcSchema;

  constructor(schema: IpcSchema) {
    this.#schema = schema;
  }

  start(): Uint8Array[] {
    return [encodeSchemaMessage(this.#schema.fields, this.#schema.metadata).bytes];
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
