/** Reads the attributes of nodes. Writers store them as scalars or as lists of length one. */

import type { AttributeValue, Node } from "../containers/tree/container.js";
import { InvalidDataError } from "../model/errors.js";

/**
 * Reads a text attribute; undefined if it is absent. R and Julia store some text attributes as lists of length one.
 */
export function getTextAttribute(node: Node, name: string): string | undefined {
  const value = single(node.attributes.get(name));
  return typeof value === "string" ? value : undefined;
}

/** Reads a list of texts. h5py stores an empty list as an array of floats. */
export function getTextListAttribute(node: Node, name: string): readonly string[] | undefined {
  const value = node.attributes.get(name);
  if (value === undefined) return undefined;
  if (typeof value === "string") return [value];
  if (Array.isArray(value) && value.every((item) => typeof item === "string")) return value;
  throw new InvalidDataError(`attribute ${name} is no list of texts`, { element: node.path });
}

/** Reads a boolean attribute, which is stored as a boolean, or as 0 or 1. */
export function getFlagAttribute(node: Node, name: string): boolean {
  const value = single(node.attributes.get(name));
  return value === true || value === 1 || value === 1n;
}

export function getSizeAttribute(node: Node, name: string): number {
  return size(single(node.attributes.get(name)), name, node);
}

/** Reads a shape of two non-negative integers; undefined if it is absent. */
export function getShapeAttribute(node: Node, name: string): readonly [number, number] | undefined {
  const value = node.attributes.get(name);
  if (value === undefined) return undefined;
  if (!Array.isArray(value) || value.length !== 2) {
    throw new InvalidDataError(`attribute ${name} has not two numbers`, { element: node.path });
  }
  return [size(value[0], name, node), size(value[1], name, node)];
}

function size(value: AttributeValue | undefined, name: string, node: Node): number {
  const number = typeof value === "bigint" ? Number(value) : value;
  if (typeof number === "number" && Number.isSafeInteger(number) && number >= 0) return number;
  throw new InvalidDataError(`attribute ${name} holds ${shortText(value)}, no size`, { element: node.path });
}

/** Formats a value for a message. JSON objects from Zarr documents have no prototype, so `String` fails on them. */
function shortText(value: AttributeValue | undefined): string {
  if (value === null || typeof value !== "object") return String(value);
  return JSON.stringify(value, (_, item) => (typeof item === "bigint" ? String(item) : item)).slice(0, 80);
}

function single(value: AttributeValue | undefined): AttributeValue | undefined {
  return Array.isArray(value) && value.length === 1 ? value[0] : value;
}
