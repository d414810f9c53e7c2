/**
 * The schema of a session: the dataset whose tables a statement names alone. The client keeps it, in a header that it is
 * told to send or in a cookie, so the server has no state of sessions.
 */

import type { ServerCall } from "../../../flight/protocol/service.js";
import { Refusal } from "../../requests/failure.js";
import { isWellFormed } from "../../requests/names.js";

/** The option of a session, and the header, that names the schema. */
export const SCHEMA = "schema";

const COOKIE = "annarrow_schema";

/** The schema that the client sent; null for none. @throws {Refusal} for a cookie that is none of this server's. */
export function sessionSchema(call: ServerCall): string | null {
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

/** Makes the client send `schema` with its next calls; null makes it forget the last one. */
export function setSessionSchema(call: ServerCall, schema: string | null): void {
  const value = schema === null ? "; Max-Age=0" : encodeURIComponent(schema);
  call.setHeader("set-cookie", `${COOKIE}=${value}`);
}

function decoded(value: string): string {
  try {
    const text = decodeURIComponent(value.replace(/^"(.*)"$/, "$1"));
    if (isWellFormed(text)) return text;
  } catch {
    // reported below
  }
  throw new Refusal("invalid", `the cookie ${COOKIE} is none of this server's`);
}
