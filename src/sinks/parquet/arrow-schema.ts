/** The Arrow schema inside a Parquet file, from which Arrow's readers restore types and the fields' metadata. */

import { schemaMessage } from "../../arrow/schema-message.js";
import type { ArrowField } from "../../arrow/type.js";
import { writtenField } from "./parquet-column.js";

/** Value of the key `ARROW:schema`: base64 of the schema as an encapsulated message of the IPC format. */
export function arrowSchemaText(fields: readonly ArrowField[], metadata: ReadonlyMap<string, string>): string {
  return base64(schemaMessage(fields.map(writtenField), metadata));
}

export function base64(bytes: Uint8Array): string {
  let binary = "";
  for (let at = 0; at < bytes.length; at += 8192) binary += String.fromCharCode(...bytes.subarray(at, at + 8192));
  return btoa(binary);
}
