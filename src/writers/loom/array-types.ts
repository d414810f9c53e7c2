/** Stored types of Loom's own arrays, and how arrays of it are cut into chunks. */

import { storedTexts } from "../../arrow/text.js";
import type { WrittenAttribute } from "../../containers/tree/container-writer.js";
import type { StoredType, TextStorage } from "../../model/stored.js";
import type { WrittenLoomVersion } from "./context.js";

export const INT32 = { kind: "int", bits: 32, signed: true } as const satisfies StoredType;
export const INT64 = { kind: "int", bits: 64, signed: true } as const satisfies StoredType;
export const UINT8 = { kind: "int", bits: 8, signed: false } as const satisfies StoredType;
export const FLOAT64 = { kind: "float", bits: 64 } as const satisfies StoredType;

export const VARIABLE_TEXT: TextStorage = { form: "variable", encoding: "utf-8" };

/** As loompy 2 stores text of so many bytes. */
export function fixedAscii(width: number): TextStorage {
  return { form: "fixed", encoding: "ascii", width: Math.max(1, width), padding: "nullpad" };
}

/** ASCII text as an attribute. */
export function asciiAttribute(text: string, version: WrittenLoomVersion): WrittenAttribute {
  const storage = version === "3.0.0" ? VARIABLE_TEXT : fixedAscii(text.length);
  return { type: { kind: "text", storage }, shape: [], values: storedTexts([text]) };
}

/** loompy's chunks are 64 genes x 64 cells. */
const CHUNK = 64;

export function matrixChunks([rows, cols]: readonly [number, number]): [number, number] {
  return [Math.max(1, Math.min(CHUNK, rows)), Math.max(1, Math.min(CHUNK, cols))];
}
