/** The order of categories in anndata, which sorts them with the Python package natsort: `y9` precedes `y10`. */

import { byCodePoint } from "../kernels/text/names.js";

/**
 * Sorts texts in natural order: runs of digits compare as numbers, all other characters by code points. Texts that compare
 * as equal (`a1`, `a01`) are sorted by code points.
 */
export function naturalOrder(texts: readonly string[]): readonly string[] {
  return texts
    .map((text) => ({ text, parts: naturalParts(text) }))
    .sort((a, b) => compareParts(a.parts, b.parts) || byCodePoint(a.text, b.text))
    .map(({ text }) => text);
}

/** Texts at even places, numbers at odd ones. */
function naturalParts(text: string): readonly string[] {
  const parts = text.normalize("NFD").split(/(\d+)/);
  if (parts.length > 1 && parts.at(-1) === "") parts.pop();
  return parts;
}

function compareParts(a: readonly string[], b: readonly string[]): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const order = i % 2 === 0 ? byCodePoint(a[i], b[i]) : compareDigits(a[i], b[i]);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

function compareDigits(a: string, b: string): number {
  const [x, y] = [a.replace(/^0+/, ""), b.replace(/^0+/, "")];
  return x.length - y.length || byCodePoint(x, y);
}
