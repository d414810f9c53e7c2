/** The Arrow schema inside a Parquet file, from which Arrow's readers restore types and the fields' metadata. */

import type { Schema } from "apache-arrow";
import { streamBytes } from "../ipc-writer.js";

/** Value of the key `ARROW:schema`: base64 of the schema as an encapsulated message of the IPC format. */
export function arrowSchemaText(schema: Schema): string {
  const stream = streamBytes(schema, []);
  // Continuation marker and length of the metadata, then the metadata itself; a schema has no body.
  const length = new DataView(stream.buffer).getInt32(4, true);
  return base64(stream.subarray(0, 8 + length));
}

function base64(bytes: Uint8Array): string {
  let binary = "";
  for (let at = 0; at < bytes.length; at += 8192) binary += String.fromCharCode(...bytes.subarray(at, at + 8192));
  return btoa(binary);
}
