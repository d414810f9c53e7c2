/** Checked access to parsed JSON. Error messages contain the expected type of a metadata field and the value found. */

import { InvalidDataError } from "../../../model/errors.js";
import type { Json, JsonObject } from "./json.js";

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}

/** @throws {InvalidDataError} if `value` is not an object. */
export function checkJsonObject(value: Json | undefined, what: string): JsonObject {
  if (!isObject(value)) throw createUnexpectedError(value, what, "an object");
  return value;
}

/** @throws {InvalidDataError} if `value` is not a list. */
export function checkJsonList(value: Json | undefined, what: string): readonly Json[] {
  if (!isList(value)) throw createUnexpectedError(value, what, "a list");
  return value;
}

/** @throws {InvalidDataError} if `value` is not a string. */
export function checkJsonText(value: Json | undefined, what: string): string {
  if (typeof value !== "string") throw createUnexpectedError(value, what, "a text");
  return value;
}

/**
 * @throws {InvalidDataError} if `value` is not an integer that is at least `least` and that a double represents
 * exactly.
 */
export function checkJsonInteger(value: Json | undefined, what: string, least: number): number {
  if (typeof value !== "number" || !Number.isSafeInteger(value) || value < least) {
    throw createUnexpectedError(value, what, `an integer of at least ${least}`);
  }
  return value;
}

/** @throws {InvalidDataError} if `value` is not a list of integers that `checkJsonInteger` accepts. */
export function checkJsonIntegers(value: Json | undefined, what: string, least: number): number[] {
  return checkJsonList(value, what).map((item) => checkJsonInteger(item, what, least));
}

export function createUnexpectedError(value: Json | undefined, what: string, expected: string): InvalidDataError {
  return new InvalidDataError(`${what} is ${show(value)}, expected ${expected}`);
}

export function show(value: Json | undefined): string {
  if (value === undefined) return "missing";
  if (typeof value === "bigint" || typeof value === "number") return String(value);
  const text = JSON.stringify(value, (_, item) => (typeof item === "bigint" ? String(item) : item));
  return text.length > 80 ? `${text.slice(0, 77)}...` : text;
}

/** Decodes base64; undefined if `text` is not base64. */
export function tryDecodeBase64(text: string): Uint8Array | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}
