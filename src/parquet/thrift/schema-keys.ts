/** Keys of a Parquet file's metadata that hold Arrow schemas, as base64 of a message of the IPC format. */

/** The schema of the columns as they are written, which other readers know. */
export const FILE_SCHEMA = "ARROW:schema";

/** The schema of the table, where some types have no form in Parquet and are written as others. */
export const TABLE_SCHEMA = "annarrow:schema";
