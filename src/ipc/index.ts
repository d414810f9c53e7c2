/** The part of `ipc/` that packages can use: `annarrow/core/ipc`. */

export { CONTINUATION } from "./flatbuffers/format.js";
export { FlatBuffer } from "./flatbuffers/reader.js";
export { type ColumnParts, getColumnParts, getValueType } from "./read/column-parts.js";
export { type LoadedParts, loadColumn } from "./read/load-column.js";
export { type BatchHeader, decodeBodyBuffer, type Header, readMessage, removeMessagePrefix } from "./read/message.js";
export type { FileField, FileSchema } from "./read/schema.js";
export { encodeApacheSchema, joinByteChunks, streamWriter } from "./write/apache-writer.js";
export { checkDictionaries, encodeDictionaries, hasNestedCodes } from "./write/dictionaries.js";
export {
  END_OF_STREAM,
  type EncodedBatch,
  type EncodedMessage,
  encodeBatchMessage,
  encodeSchemaMessage,
  isEncodedBatch,
} from "./write/message.js";
