/** Describes Parquet files: their columns, and the Arrow schemas that are embedded in their metadata. */

import { type ArrowField, describeArrowType } from "../../arrow/type.js";
import { encodeEmbeddedSchema } from "../../ipc/write/schema.js";
import { UnsupportedError } from "../../model/errors.js";
import { FILE_SCHEMA, TABLE_SCHEMA } from "../thrift.js";
import type { Codec } from "./compression.js";
import { findParquetColumns, type ParquetColumn, toWrittenField } from "./parquet-column.js";

/** The parts of a file's footer that do not depend on its row groups. */
export interface FileDescription {
  readonly columns: readonly ParquetColumn[];
  readonly compression: Codec;
  /** The metadata of the file: `ARROW:schema`, and the metadata of the Arrow schema. */
  readonly keyValues: readonly (readonly [key: string, value: string])[];
}

/**
 * Describes the file for a table with the given `fields`.
 * @param metadata metadata of the Arrow schema.
 * @throws {UnsupportedError} if a field is nested.
 */
export function describeFile(
  fields: readonly ArrowField[],
  metadata: ReadonlyMap<string, string>,
  compression: Codec,
): FileDescription {
  const columns = findParquetColumns(fields);
  if (columns === null) {
    throw new UnsupportedError(`not all are flat columns: ${fields.map(({ name }) => name).join(", ")}`);
  }
  return { columns, compression, keyValues: createSchemaKeyValues(fields, metadata) };
}

/** Returns the metadata of a file with the written schema, and with the table's own schema if it differs. */
export function createSchemaKeyValues(
  fields: readonly ArrowField[],
  metadata: ReadonlyMap<string, string>,
): readonly (readonly [key: string, value: string])[] {
  const written = fields.map(toWrittenField);
  const changed = written.some(({ type }, i) => describeArrowType(type) !== describeArrowType(fields[i].type));
  return [
    [FILE_SCHEMA, encodeBase64(encodeEmbeddedSchema(written, metadata))],
    ...(changed ? [[TABLE_SCHEMA, encodeBase64(encodeEmbeddedSchema(fields, new Map()))] as const] : []),
    ...metadata,
  ];
}

export function encodeBase64(bytes: Uint8Array): string {
  let binary = "";
  for (let at = 0; at < bytes.length; at += 8192) binary += String.fromCharCode(...bytes.subarray(at, at + 8192));
  return btoa(binary);
}
