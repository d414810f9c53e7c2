/** Parses the requests of Flight: descriptors, bodies of actions, criteria of a listing. */

import type { FlightDescriptor } from "../../flight/protocol/descriptor.js";
import { RequestError } from "../requests/failure.js";
import { splitPathSegments } from "../requests/names.js";
import { type DataRequest, parseCommand, parseObject, refuseOthers, type SqlRequest } from "../requests/request.js";

/** @throws {RequestError} for an invalid request, and for one with an upload, which only DoExchange accepts. */
export function parseFlightRequest(descriptor: FlightDescriptor): DataRequest {
  const request = anyRequestOf(descriptor);
  if (request.kind === "sql" && request.upload !== undefined) {
    throw new RequestError("invalid", "upload names a table that is sent with the command: that is DoExchange");
  }
  return request;
}

/** Parses a statement about an uploaded table. */
export function parseExchangeRequest(descriptor: FlightDescriptor | null): SqlRequest & { readonly upload: string } {
  const request = anyRequestOf(descriptor);
  if (request.kind !== "sql") {
    throw new RequestError(
      "invalid",
      'an exchange is a command with sql: {"sql": "select …", "upload": "name of the table"}',
    );
  }
  return { ...request, upload: request.upload ?? "upload" };
}

function anyRequestOf(descriptor: FlightDescriptor | null): DataRequest {
  switch (descriptor?.kind) {
    case "path":
      return { kind: "table", path: splitPathSegments(descriptor.path) };
    case "command":
      return parseCommand(descriptor.command);
    default:
      throw new RequestError("invalid", "no descriptor: it must be a path or a command");
  }
}

/** Parses `["new.h5ad", "obs"]`, or `{"dataset": "new.h5ad", "table": "obs", "upload": "…"}`. */
export function parseUploadRequest(descriptor: FlightDescriptor | null) {
  switch (descriptor?.kind) {
    case "path": {
      const [dataset, ...table] = descriptor.path;
      if (table.length === 0)
        throw new RequestError("invalid", 'a path for an upload is ["new.h5ad", "obs"]: dataset and table');
      return { dataset: splitPathSegments([dataset]), table: splitPathSegments(table).join("/"), upload: "" };
    }
    case "command": {
      const { table, ...rest } = parseObject(descriptor.command, "the command");
      if (typeof table !== "string" || table === "") throw new RequestError("invalid", "table must be text");
      return { ...parseDatasetNames(rest, "the command", ["dataset", "table", "upload"]), table };
    }
    default:
      throw new RequestError("invalid", "no descriptor: it must be a path or a command");
  }
}

/**
 * Returns the names of a dataset and, if `known` has this key, of an upload.
 * @param known the allowed keys of `what`.
 */
export function parseDatasetNames(object: Readonly<Record<string, unknown>>, what: string, known: readonly string[]) {
  const others = Object.entries(object).filter(([key]) => !known.includes(key));
  refuseOthers(Object.fromEntries(others), what, known);
  const { dataset, upload = "" } = object;
  if (typeof dataset !== "string") throw new RequestError("invalid", "dataset must be text");
  if (typeof upload !== "string" || upload.length > 200)
    throw new RequestError("invalid", "upload must be text of at most 200 characters");
  return { dataset: splitPathSegments([dataset]), upload };
}

/** Parses the prefix of requested names: text or `{"prefix": "…"}`; empty for all names. */
export function parseNamePrefix(expression: Uint8Array): string {
  if (expression.length === 0) return "";
  if (expression.length > 4096)
    throw new RequestError("too-large", `criteria of ${expression.length} bytes, at most 4096`);
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(expression);
  } catch (cause) {
    throw new RequestError("invalid", "the criteria are no UTF-8", { cause });
  }
  if (!text.startsWith("{")) return text;
  const { prefix, ...others } = parseObject(expression, "the criteria");
  refuseOthers(others, "the criteria", ["prefix"]);
  if (typeof prefix !== "string") throw new RequestError("invalid", "prefix must be text");
  return prefix;
}
