/**
 * Numbers and keys of Parquet's metadata: value types of Thrift's compact protocol, as in the headers of fields and
 * lists, and the keys of key-value metadata that hold Arrow schemas, as base64 of a message of the IPC format.
 */

/** The type itself is the value. */
export const TRUE = 1;
export const FALSE = 2;
export const BYTE = 3;
export const I16 = 4;
export const I32 = 5;
export const I64 = 6;
export const DOUBLE = 7;
export const BINARY = 8;
export const LIST = 9;
export const SET = 10;
export const MAP = 11;
export const STRUCT = 12;

/** The schema of the columns as they are written, which other readers know. */
export const FILE_SCHEMA = "ARROW:schema";

/** The schema of the table, where some types have no form in Parquet and are written as others. */
export const TABLE_SCHEMA = "annarrow:schema";
