/** Checked access to parsed JSON. Errors name the expected type of a metadata field and the value found. */

import { InvalidDataError } from "../../../model/errors.js";
import type { Json, JsonObject } from "./json.js";

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}

/** @throws {InvalidDataError} where `value` is not an object. */
export function objectOf(value: Json | undefined, what: string): JsonObject {
  if (!isObject(value)) throw unexpected(value, what, "an object");
  return value;
}

/** @throws {InvalidDataError} where `value` is not a list. */
export function listOf(value: Json | undefined, what: string): readonly Json[] {
  if (!isList(value)) throw unexpected(value, what, "a list");
  return value;
}

/** @throws {InvalidDataError} where `value` is not a text. */
export function textOf(value: Json | undefined, what: string): string {
  if (typeof value !== "string") throw unexpected(value, what, "a text");
  return value;
}

/** @throws {InvalidDataError} where `value` is not an integer of at least `least` that a double holds exactly. */
export function integerOf(value: Json | undefined, what: string, least: number): number {
  if (typeof value !== "number" || !Number.isSafeInteger(value) || value < least) {
    throw unexpected(value, what, `an integer of at least ${least}`);
  }
  return value;
}

/** @throws {InvalidDataError} where `value` is not a list of integers as in `integerOf`. */
export function integersOf(value: Json | undefined, what: string, least: number): number[] {
  return listOf(value, what).map((item) => integerOf(item, what, least));
}

export function unexpected(value: Json | undefined, what: string, expected: string): InvalidDataError {
  return new InvalidDataError(`${what} is ${show(value)}, expected ${expected}`);
}

export function show(value: Json | undefined): string {
  if (value === undefined) return "missing";
  if (typeof value === "bigint" || typeof value === "number") return String(value);
  const text = JSON.stringify(value, (_, item) => (typeof item === "bigint" ? String(item) : item));
  return text.length > 80 ? `${text.slice(0, 77)}...` : text;
}

/** Decodes a base64 text; undefined where it is not base64. */
export function base64(text: string): Uint8Array | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}
