/** Single texts, numbers and lists of texts among the properties of objects. */

import { product } from "../../../model/stored.js";
import { numbersOf } from "./memory-array.js";
import { storedOrder } from "./numeric.js";
import { stringsOf } from "./strings.js";
import { isText } from "./text-value.js";
import type { Value } from "./value.js";

/** The texts of a cell of them, or of a string object; null for anything else. */
export async function textsOf(value: Value | undefined): Promise<readonly string[] | null> {
  if (value?.kind === "object" && value.class === "string") {
    const { texts } = await stringsOf(value);
    const known = texts.filter((text): text is string => text !== null);
    return known.length === texts.length ? known : null;
  }
  if (value?.kind !== "cell") return null;
  const texts: string[] = [];
  for (const item of value.items) {
    if (!isText(item) || item.texts === null) return null;
    texts.push(item.texts[0] ?? "");
  }
  return texts;
}

/** The single text of a value; null for anything else. */
export function textIn(value: Value | undefined): string | null {
  return value !== undefined && isText(value) && value.texts !== null ? (value.texts[0] ?? "") : null;
}

export async function isTrue(value: Value | undefined): Promise<boolean> {
  if (value?.kind !== "numeric" || product(value.size) !== 1) return false;
  const [number] = await numbersOf(storedOrder(value), 1);
  return number !== 0;
}

/** The single number of a value; null for anything else. */
export async function numberIn(value: Value | undefined): Promise<number | null> {
  if (value?.kind !== "numeric" || product(value.size) !== 1) return null;
  const [number] = await numbersOf(storedOrder(value), 2);
  return number;
}
