/** The types of a store's arrays, and texts among them. */

import { storedTexts } from "../../arrow/text.js";
import type { GroupWriter, WrittenAttribute } from "../../containers/tree/container-writer.js";

export const UINT32 = { kind: "int", bits: 32, signed: false } as const;
export const UINT64 = { kind: "int", bits: 64, signed: false } as const;
export const FLOAT32 = { kind: "float", bits: 32 } as const;
export const FLOAT64 = { kind: "float", bits: 64 } as const;
export const TEXT = { kind: "text", storage: { form: "variable", encoding: "utf-8" } } as const;

/** What errors call an array. */
export function pathIn({ path }: GroupWriter, name: string): string {
  return path === "" ? name : `${path}/${name}`;
}

/** One text as an attribute. */
export function textAttribute(text: string): WrittenAttribute {
  return { type: TEXT, shape: [], values: storedTexts([text]) };
}
