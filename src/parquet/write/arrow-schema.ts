/** The Arrow schema inside a Parquet file, from which Arrow's readers restore types and the fields' metadata. */

import { type ArrowField, typeText } from "../../arrow/type.js";
import { embeddedSchema } from "../../ipc/write/schema.js";
import { FILE_SCHEMA, TABLE_SCHEMA } from "../thrift/schema-keys.js";
import { writtenField } from "./parquet-column.js";

/** The keys and values of a file's metadata that say the schema: of what is written, and of the table if that differs. */
export function schemaKeyValues(
  fields: readonly ArrowField[],
  metadata: ReadonlyMap<string, string>,
): readonly (readonly [key: string, value: string])[] {
  const written = fields.map(writtenField);
  const changed = written.some(({ type }, i) => typeText(type) !== typeText(fields[i].type));
  return [
    [FILE_SCHEMA, base64(embeddedSchema(written, metadata))],
    ...(changed ? [[TABLE_SCHEMA, base64(embeddedSchema(fields, new Map()))] as const] : []),
    ...metadata,
  ];
}

export function base64(bytes: Uint8Array): string {
  let binary = "";
  for (let at = 0; at < bytes.length; at += 8192) binary += String.fromCharCode(...bytes.subarray(at, at + 8192));
  return btoa(binary);
}
