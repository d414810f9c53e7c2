/** R's values in a form that tells whether two are equal, as R's `identical` does: attributes have no order. */

import { countTextStrings, decodeStringAt, type RText } from "../../../src/containers/rds/model/text.js";
import type { RAttributes, RValue } from "../../../src/containers/rds/model/value.js";

export function plainValue(value: RValue): unknown {
  switch (value.kind) {
    case "logical":
    case "integer":
    case "raw":
      return [value.kind, [...value.values], plainAttributes(value.attributes)];
    case "real":
    case "complex":
      return [value.kind, [...value.values].map(bitsOf(value.values)), plainAttributes(value.attributes)];
    case "character":
      return [value.kind, textsOf(value.text), plainAttributes(value.attributes)];
    case "list":
      return [value.kind, value.values.map(plainValue), plainAttributes(value.attributes)];
    case "s4":
      return [value.className, value.package, plainAttributes(value.slots)];
    default:
      return value.kind;
  }
}

/** Numbers as they are, others by their bits: NA is a NaN. */
function bitsOf(values: Float64Array): (value: number, i: number) => number | string {
  const words = new BigUint64Array(values.slice().buffer);
  return (value, i) => (Number.isNaN(value) ? `NaN ${(words[i] & 0x7fffffffn).toString(16)}` : value);
}

function textsOf(text: RText): readonly (string | null)[] {
  return Array.from({ length: countTextStrings(text) }, (_, i) => decodeStringAt(text, i));
}

function plainAttributes(attributes: RAttributes): unknown {
  return Object.fromEntries(
    [...attributes].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, value]) => [name, plainValue(value)]),
  );
}
