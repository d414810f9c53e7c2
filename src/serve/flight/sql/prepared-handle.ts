/**
 * Handles of prepared statements: the statement itself as JSON, with the schema of its answer, or the values that were
 * bound to its parameters. The server keeps nothing, so no handle expires, and every server of the same folders takes it.
 */

import { jsonBytes } from "../../../flight/protocol/action.js";
import { joined, streamWriter } from "../../../ipc/write/apache-writer.js";
import type { BatchStream } from "../../../tables/given/arrow-column-table.js";
import { Refusal } from "../../requests/failure.js";
import { parseObject, requestOf, type SqlRequest } from "../../requests/request.js";

/** Limit of the bytes of bound values, which travel with each request of the statement. */
const MOST_BYTES = 2 ** 19;

/** Limit of the bytes of a schema; a longer one is made anew for each request. */
const LONGEST_SCHEMA = 2 ** 16;

/** A prepared statement, and the schema of its answer; null where values of parameters or its size decide. */
export interface Prepared {
  readonly request: SqlRequest;
  readonly schema: Uint8Array | null;
}

export function writeHandle({ request, schema }: Prepared): Uint8Array {
  const { sql, path, parameters } = request;
  const dataset = path.length === 0 ? undefined : path.join("/");
  const known = schema === null || schema.length > LONGEST_SCHEMA ? undefined : Buffer.from(schema).toString("base64");
  return jsonBytes({ sql, dataset, parameters, schema: known });
}

/** @throws {Refusal} for bytes that are no handle. */
export function readHandle(handle: Uint8Array): Prepared {
  const { parameters, schema, ...command } = parseObject(handle, "the handle of the prepared statement");
  const request = requestOf(command);
  if (request.kind !== "sql" || !isOptionalText(parameters) || !isOptionalText(schema)) {
    throw new Refusal("invalid", "the handle of the prepared statement is none of this server's");
  }
  return {
    request: parameters === undefined ? request : { ...request, parameters },
    schema: schema === undefined ? null : Buffer.from(schema, "base64"),
  };
}

const isOptionalText = (value: unknown) => value === undefined || typeof value === "string";

/**
 * Values as an Arrow IPC stream in base64.
 * @throws {Refusal} for more than 512 KiB.
 */
export async function valuesOf({ schema, batches }: BatchStream): Promise<string> {
  const writer = streamWriter(schema);
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const batch of batches) {
    const encoded = joined(writer.batch(batch));
    bytes += encoded.length;
    if (bytes > MOST_BYTES) {
      throw new Refusal(
        "too-large",
        `the values have more than ${MOST_BYTES} bytes: send them as a table, by DoExchange`,
      );
    }
    chunks.push(encoded);
  }
  return Buffer.from(joined([...chunks, ...writer.end()])).toString("base64");
}
