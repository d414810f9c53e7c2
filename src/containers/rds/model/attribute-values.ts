import type { AttributeValue } from "../../tree/container.js";
import { textAt, textLength } from "./text.js";
import { NA_INTEGER, type RAttributes, type RValue } from "./value.js";

/** Longer vectors are data of their own (row names, levels), not something to be told about a value. */
const MAX_LENGTH = 64;

/** R's attributes as those of a node; vectors of length 1 as scalars. */
export function attributeValues(attributes: RAttributes): ReadonlyMap<string, AttributeValue> {
  return new Map([...attributes].map(([name, value]) => [name, attributeValue(value)]));
}

function attributeValue(value: RValue): AttributeValue {
  switch (value.kind) {
    case "null":
      return null;
    case "logical":
      return listed(value.values.length, (i) => (value.values[i] === NA_INTEGER ? null : value.values[i] !== 0));
    case "integer":
      return listed(value.values.length, (i) => (value.values[i] === NA_INTEGER ? null : value.values[i]));
    case "real":
      return listed(value.values.length, (i) => value.values[i]);
    case "character":
      return listed(textLength(value.text), (i) => textAt(value.text, i));
    default:
      return { kind: "unreadable", reason: `an R value of the kind ${value.kind}` };
  }
}

function listed(length: number, at: (index: number) => AttributeValue): AttributeValue {
  if (length === 1) return at(0);
  if (length > MAX_LENGTH) return { kind: "unreadable", reason: `a vector of ${length} values` };
  return Array.from({ length }, (_, i) => at(i));
}
