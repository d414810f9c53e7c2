/** Parses the requests of Flight: descriptors, bodies of actions, criteria of a listing. */

import type { FlightDescriptor } from "../../flight/protocol/descriptor.js";
import { Refusal } from "../requests/failure.js";
import { pathSegments } from "../requests/names.js";
import { type DataRequest, parseCommand, parseObject, refuseOthers, type SqlRequest } from "../requests/request.js";

/** @throws {Refusal} for an invalid request, and for a request with an upload, which only DoExchange accepts. */
export function requestOf(descriptor: FlightDescriptor): DataRequest {
  const request = anyRequestOf(descriptor);
  if (request.kind === "sql" && request.upload !== undefined) {
    throw new Refusal("invalid", "upload names a table that is sent with the command: that is DoExchange");
  }
  return request;
}

/** Parses a statement about an uploaded table. */
export function exchangeOf(descriptor: FlightDescriptor | null): SqlRequest & { readonly upload: string } {
  const request = anyRequestOf(descriptor);
  if (request.kind !== "sql") {
    throw new Refusal(
      "invalid",
      'an exchange is a command with sql: {"sql": "select …", "upload": "name of the table"}',
    );
  }
  return { ...request, upload: request.upload ?? "upload" };
}

function anyRequestOf(descriptor: FlightDescriptor | null): DataRequest {
  switch (descriptor?.kind) {
    case "path":
      return { kind: "table", path: pathSegments(descriptor.path) };
    case "command":
      return parseCommand(descriptor.command);
    default:
      throw new Refusal("invalid", "no descriptor: it must be a path or a command");
  }
}

/** Parses `["new.h5ad", "obs"]`, or `{"dataset": "new.h5ad", "table": "obs", "upload": "…"}`. */
export function uploadOf(descriptor: FlightDescriptor | null) {
  switch (descriptor?.kind) {
    case "path": {
      const [dataset, ...table] = descriptor.path;
      if (table.length === 0)
        throw new Refusal("invalid", 'a path for an upload is ["new.h5ad", "obs"]: dataset and table');
      return { dataset: pathSegments([dataset]), table: pathSegments(table).join("/"), upload: "" };
    }
    case "command": {
      const { table, ...rest } = parseObject(descriptor.command, "the command");
      if (typeof table !== "string" || table === "") throw new Refusal("invalid", "table must be text");
      return { ...datasetOf(rest, "the command", ["dataset", "table", "upload"]), table };
    }
    default:
      throw new Refusal("invalid", "no descriptor: it must be a path or a command");
  }
}

/**
 * The names of a dataset and, if `known` has this key, of an upload.
 * @param known the allowed keys of `what`.
 */
export function datasetOf(object: Readonly<Record<string, unknown>>, what: string, known: readonly string[]) {
  const others = Object.entries(object).filter(([key]) => !known.includes(key));
  refuseOthers(Object.fromEntries(others), what, known);
  const { dataset, upload = "" } = object;
  if (typeof dataset !== "string") throw new Refusal("invalid", "dataset must be text");
  if (typeof upload !== "string" || upload.length > 200)
    throw new Refusal("invalid", "upload must be text of at most 200 characters");
  return { dataset: pathSegments([dataset]), upload };
}

/** Parses the prefix of requested names: text or `{"prefix": "…"}`; empty for all names. */
export function prefixOf(expression: Uint8Array): string {
  if (expression.length === 0) return "";
  if (expression.length > 4096) throw new Refusal("too-large", `criteria of ${expression.length} bytes, at most 4096`);
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(expression);
  } catch (cause) {
    throw new Refusal("invalid", "the criteria are no UTF-8", { cause });
  }
  if (!text.startsWith("{")) return text;
  const { prefix, ...others } = parseObject(expression, "the criteria");
  refuseOthers(others, "the criteria", ["prefix"]);
  if (typeof prefix !== "string") throw new Refusal("invalid", "prefix must be text");
  return prefix;
}
