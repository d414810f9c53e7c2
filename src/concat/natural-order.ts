/** The order in which anndata sorts categories: that of the Python package natsort, in which `y9` precedes `y10`. */

/** Compares texts by their code points, as Python and pandas do. */
export function compareCodePoints(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const [x, y] = [a.charCodeAt(i), b.charCodeAt(i)];
    if (x === y) continue;
    // Surrogates stand for code points above all other code units.
    return isSurrogate(x) === isSurrogate(y) ? x - y : isSurrogate(x) ? 1 : -1;
  }
  return a.length - b.length;
}

function isSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdfff;
}

/**
 * Sorts texts in natural order: runs of digits compare as numbers, everything else by code points. Texts that are equal so
 * (`a1`, `a01`) stand in the order of their code points.
 */
export function naturalOrder(texts: readonly string[]): readonly string[] {
  return texts
    .map((text) => ({ text, parts: naturalParts(text) }))
    .sort((a, b) => compareParts(a.parts, b.parts) || compareCodePoints(a.text, b.text))
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
    const order = i % 2 === 0 ? compareCodePoints(a[i], b[i]) : compareDigits(a[i], b[i]);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

function compareDigits(a: string, b: string): number {
  const [x, y] = [a.replace(/^0+/, ""), b.replace(/^0+/, "")];
  return x.length - y.length || compareCodePoints(x, y);
}
