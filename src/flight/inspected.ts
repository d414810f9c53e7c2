/** Describes a dataset of a service of this library, by its action `inspect`; the answer is checked. */

import type { Format, Layout } from "../model/dataset.js";
import {
  type AnnarrowError,
  InvalidDataError,
  InvalidInputError,
  MissingDependencyError,
  NotFoundError,
  UnsupportedError,
} from "../model/errors.js";
import { findFormat } from "../model/formats/registry.js";
import { isJsonObject, readJson } from "../model/json-object.js";
import type { CallOptions, FlightConnection } from "./connection.js";
import { endsOpening } from "./listed-flights.js";
import { jsonBytes } from "./protocol/action.js";
import { METHODS } from "./protocol/methods.js";

export interface InspectedTable {
  readonly name: string;
  readonly derived: boolean;
  readonly axis: "row" | "col" | null;
  readonly layouts: readonly Layout[];
}

export interface InspectedDataset {
  /** Name of the dataset in the service. */
  readonly name: string;
  readonly format: Format;
  readonly version: string;
  readonly shape: readonly [number, number] | null;
  readonly tables: readonly InspectedTable[];
  readonly failures: ReadonlyMap<string, AnnarrowError>;
  readonly warnings: readonly string[];
}

const LAYOUTS: readonly Layout[] = ["coordinate", "list", "dense", "columns"];

/** The dataset `name`; null for services of other libraries, and if the service has no such dataset. */
export async function inspected(
  connection: FlightConnection,
  name: string,
  options: CallOptions,
): Promise<InspectedDataset | null> {
  const body = jsonBytes({ dataset: name });
  try {
    for await (const result of connection.stream(METHODS.doAction, { type: "inspect", body }, options)) {
      return datasetOf(result.body);
    }
  } catch (error) {
    if (endsOpening(error)) throw error;
  }
  return null;
}

/** Null for an answer in another form: other services may have an action of this name. */
function datasetOf(bytes: Uint8Array): InspectedDataset | null {
  let content: unknown;
  try {
    content = readJson(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    return null;
  }
  if (!isJsonObject(content)) return null;
  const { name, version, shape, tables, failures, warnings } = content;
  const format = findFormat(content.format);
  if (typeof name !== "string" || format === null || !Array.isArray(tables)) return null;
  return {
    name,
    format: format.name,
    version: typeof version === "string" ? version : "",
    shape: isShape(shape) ? shape : null,
    tables: tables.map(tableOf),
    failures: new Map(Array.isArray(failures) ? failures.map(failureOf) : []),
    warnings: Array.isArray(warnings) ? warnings.filter((one) => typeof one === "string") : [],
  };
}

function tableOf(content: unknown): InspectedTable {
  if (!isJsonObject(content) || typeof content.name !== "string") throw new InvalidDataError("a table without a name");
  const { name, derived, axis, layouts } = content;
  return {
    name,
    derived: derived === true,
    axis: axis === "row" || axis === "col" ? axis : null,
    layouts: Array.isArray(layouts) ? LAYOUTS.filter((known) => layouts.includes(known)).sort(by(layouts)) : [],
  };
}

/** Sorts by the order of the service, in which the present layout is the first. */
function by(layouts: readonly unknown[]): (a: Layout, b: Layout) => number {
  return (a, b) => layouts.indexOf(a) - layouts.indexOf(b);
}

function failureOf(content: unknown): [string, AnnarrowError] {
  if (!isJsonObject(content) || typeof content.name !== "string" || typeof content.message !== "string") {
    throw new InvalidDataError("an element that failed without its name and message");
  }
  return [content.name, errorOf(content.error, content.message)];
}

function errorOf(tag: unknown, message: string): AnnarrowError {
  switch (tag) {
    case "NotFoundError":
      return new NotFoundError(message);
    case "UnsupportedError":
      return new UnsupportedError(message);
    case "InvalidInputError":
      return new InvalidInputError(message);
    case "MissingDependencyError":
      return new MissingDependencyError(message);
    default:
      return new InvalidDataError(message);
  }
}

function isShape(shape: unknown): shape is readonly [number, number] {
  return Array.isArray(shape) && shape.length === 2 && shape.every((size) => Number.isSafeInteger(size) && size >= 0);
}
