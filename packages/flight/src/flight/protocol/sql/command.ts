/** The commands of Flight SQL, which descriptors and tickets contain as an `Any`. */

import { InvalidDataError } from "annarrow";
import { NO_BYTES } from "../descriptor.js";
import { parseProtoFields } from "../proto-reader.js";
import type { SqlMessage } from "./any.js";

/** Filter for a listing of tables by catalog and patterns; a filter that was not sent is null. */
export interface TablesCommand {
  readonly kind: "tables";
  readonly catalog: string | null;
  readonly schemaPattern: string | null;
  readonly tablePattern: string | null;
  /** Empty for all types. */
  readonly types: readonly string[];
  readonly includeSchema: boolean;
}

/** The commands that list keys, by message name. */
const KEYS = {
  CommandGetPrimaryKeys: "primary-keys",
  CommandGetExportedKeys: "exported-keys",
  CommandGetImportedKeys: "imported-keys",
  CommandGetCrossReference: "cross-reference",
} as const;

export type SqlCommand =
  | { readonly kind: "statement"; readonly query: string; readonly transaction: Uint8Array }
  | { readonly kind: "prepared"; readonly handle: Uint8Array }
  | { readonly kind: "catalogs" }
  | { readonly kind: "schemas"; readonly catalog: string | null; readonly schemaPattern: string | null }
  | TablesCommand
  | { readonly kind: "table-types" }
  /** Empty for all values. */
  | { readonly kind: "info"; readonly ids: readonly number[] }
  /** Null for all types. */
  | { readonly kind: "type-info"; readonly dataType: number | null }
  | { readonly kind: (typeof KEYS)[keyof typeof KEYS] }
  /** A command that changes data, is a plan, or is newer than this library. */
  | { readonly kind: "other"; readonly name: string };

/** Maximum number of ids in one request, more than the protocol defines. */
const MAX_IDS = 10_000;

/** @throws {InvalidDataError} for an invalid message. */
export function readSqlCommand({ name, bytes }: SqlMessage): SqlCommand {
  const fields = () => parseProtoFields(bytes, name);
  switch (name) {
    case "CommandStatementQuery": {
      let query = "";
      let transaction = NO_BYTES;
      for (const field of fields()) {
        if (field.number === 1) query = field.string();
        else if (field.number === 2) transaction = field.bytes();
      }
      return { kind: "statement", query, transaction };
    }
    case "CommandPreparedStatementQuery": {
      let handle = NO_BYTES;
      for (const field of fields()) if (field.number === 1) handle = field.bytes();
      return { kind: "prepared", handle };
    }
    case "CommandGetCatalogs":
      return { kind: "catalogs" };
    case "CommandGetDbSchemas": {
      let catalog: string | null = null;
      let schemaPattern: string | null = null;
      for (const field of fields()) {
        if (field.number === 1) catalog = field.string();
        else if (field.number === 2) schemaPattern = field.string();
      }
      return { kind: "schemas", catalog, schemaPattern };
    }
    case "CommandGetTables":
      return readTables(bytes);
    case "CommandGetTableTypes":
      return { kind: "table-types" };
    case "CommandGetSqlInfo": {
      const ids: number[] = [];
      for (const field of fields()) {
        if (field.number !== 1) continue;
        // Writers pack repeated numbers into one field, but readers must accept packed and unpacked numbers.
        if (field.wire === "delimited") ids.push(...packedNumbers(field.bytes()));
        else ids.push(Number(field.uint64()));
        if (ids.length > MAX_IDS) throw new InvalidDataError(`${name} names more than ${MAX_IDS} values`);
      }
      return { kind: "info", ids };
    }
    case "CommandGetXdbcTypeInfo": {
      let dataType: number | null = null;
      for (const field of fields()) if (field.number === 1) dataType = field.int32();
      return { kind: "type-info", dataType };
    }
    case "CommandGetPrimaryKeys":
    case "CommandGetExportedKeys":
    case "CommandGetImportedKeys":
    case "CommandGetCrossReference":
      return { kind: KEYS[name] };
    default:
      return { kind: "other", name };
  }
}

function readTables(bytes: Uint8Array): TablesCommand {
  let catalog: string | null = null;
  let schemaPattern: string | null = null;
  let tablePattern: string | null = null;
  const types: string[] = [];
  let includeSchema = false;
  for (const field of parseProtoFields(bytes, "CommandGetTables")) {
    if (field.number === 1) catalog = field.string();
    else if (field.number === 2) schemaPattern = field.string();
    else if (field.number === 3) tablePattern = field.string();
    else if (field.number === 4) types.push(field.string());
    else if (field.number === 5) includeSchema = field.bool();
  }
  return { kind: "tables", catalog, schemaPattern, tablePattern, types, includeSchema };
}

function packedNumbers(bytes: Uint8Array): number[] {
  const numbers: number[] = [];
  let value = 0;
  let scale = 1;
  for (const byte of bytes) {
    value += (byte & 0x7f) * scale;
    scale *= 128;
    if (byte >= 0x80) {
      if (scale >= 2 ** 35) throw new InvalidDataError("CommandGetSqlInfo has a number beyond 32 bits");
      continue;
    }
    numbers.push(value);
    value = 0;
    scale = 1;
    if (numbers.length > MAX_IDS) throw new InvalidDataError(`CommandGetSqlInfo names more than ${MAX_IDS} values`);
  }
  if (scale !== 1) throw new InvalidDataError("CommandGetSqlInfo ends within a number");
  return numbers;
}
