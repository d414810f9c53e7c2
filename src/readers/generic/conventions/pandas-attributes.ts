/** Reads pandas' attributes, which contain text or pickled values. */

import type { Node } from "../../../containers/tree/container.js";
import { InvalidDataError } from "../../../model/errors.js";
import { getTextAttribute } from "../../attributes.js";
import { isCall, isDict, isList, type Pickled, readPickle } from "./pickle.js";

/** Reads a pickled attribute; undefined if it is absent. */
export function getPickledAttribute(node: Node, name: string): Pickled | undefined {
  const text = getTextAttribute(node, name);
  return text === undefined ? undefined : readPickle(text);
}

/** Reads a name. PyTables stores text verbatim, and None as a pickle. */
export function nameAttribute(node: Node, name: string): string | null {
  const text = getTextAttribute(node, name);
  if (text === undefined || text === "N.") return null;
  if (!text.endsWith(".") || !/^[(IVS]/.test(text)) return text;
  const value = named(text);
  return value === undefined ? text : value;
}

/** Decodes a text that can be a pickle; undefined if it is not a pickle. */
function named(text: string): string | null | undefined {
  try {
    const value = readPickle(text);
    return value === null ? null : isList(value) || isDict(value) || isCall(value) ? text : String(value);
  } catch {
    return undefined;
  }
}

/** Returns the names in a list. @throws {InvalidDataError} if the value is not a list of names. */
export function getPickledNames(value: Pickled | undefined, what: string, element: string): readonly string[] {
  if (isList(value)) {
    return value.map((one) => {
      if (typeof one === "string" || typeof one === "number" || typeof one === "boolean") return String(one);
      throw new InvalidDataError(`${what} are names that are neither text nor numbers`, { element });
    });
  }
  throw new InvalidDataError(`${what} are no list`, { element });
}

/** Returns the value for a key in a dictionary; undefined if there is none. */
export function getPickledValue(value: Pickled | undefined, key: string): Pickled | undefined {
  return isDict(value) ? value.entries.get(key) : undefined;
}

/** Returns a time zone as its name or as a fixed offset; null if it is unknown. */
export function getPickledZone(value: Pickled | undefined): string | null {
  if (typeof value === "string") return value;
  if (!isCall(value)) return null;
  const [first] = value.args;
  if (value.name === "datetime timezone" && isCall(first)) {
    const [days = 0, seconds = 0] = first.args;
    if (typeof days !== "number" || typeof seconds !== "number") return null;
    const minutes = Math.round((days * 86_400 + seconds) / 60);
    if (minutes === 0) return "UTC";
    const size = Math.abs(minutes);
    const two = (number: number) => String(number).padStart(2, "0");
    return `${minutes < 0 ? "-" : "+"}${two(Math.floor(size / 60))}:${two(size % 60)}`;
  }
  if (/^(pytz|zoneinfo)/.test(value.name) && typeof first === "string") return first;
  return /pytz(\.\w+)? _?UTC$/i.test(value.name) ? "UTC" : null;
}
