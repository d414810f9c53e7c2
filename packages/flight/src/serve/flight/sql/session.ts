/**
 * The schema of a session: the default dataset, whose tables statements name without a schema. The client stores the
 * schema, as a cookie or as a header that the server asks it to send, so the server has no session state.
 */

import type { ServerCall } from "../../../flight/protocol/service.js";
import { RequestError } from "../../requests/failure.js";
import { isWellFormed } from "../../requests/names.js";

/** Name of the session option and of the header that select the schema. */
export const SCHEMA = "schema";

const COOKIE = "annarrow_schema";

/**
 * Returns the schema that the client sent; null if it sent no schema.
 * @throws {RequestError} for a cookie that this server did not issue.
 */
export function findSessionSchema(call: ServerCall): string | null {
  const [header] = call.metadata(SCHEMA);
  if (header !== undefined && header !== "") return header;
  for (const line of call.metadata("cookie")) {
    for (const pair of line.split(";")) {
      const [name, value = ""] = pair.trim().split("=");
      if (name === COOKIE && value !== "") return decoded(value);
    }
  }
  return null;
}

/** Makes the client send `schema` with its next calls. Null removes the previous schema. */
export function setSessionSchema(call: ServerCall, schema: string | null): void {
  const value = schema === null ? "; Max-Age=0" : encodeURIComponent(schema);
  call.setHeader("set-cookie", `${COOKIE}=${value}`);
}

function decoded(value: string): string {
  try {
    const text = decodeURIComponent(value.replace(/^"(.*)"$/, "$1"));
    if (isWellFormed(text)) return text;
  } catch {
    // The error is reported below.
  }
  throw new RequestError("invalid", `the cookie ${COOKIE} is none of this server's`);
}
