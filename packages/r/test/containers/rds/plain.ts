/** R values as short literals, so that tests can say what they expect. */

import { readFileSync } from "node:fs";
import { countTextStrings, decodeStringAt } from "../../../src/containers/rds/model/text.js";
import { NA_INTEGER, type RAttributes, type RValue } from "../../../src/containers/rds/model/value.js";

/** A file that R itself wrote (test/fixtures/r/make_rds.R). */
export function fixture(name: string): Uint8Array {
  return new Uint8Array(readFileSync(`test/fixtures/data/rds/${name}.rds`));
}

/** `{ kind: values }` with attributes behind, if there are any; what was shown already is "again". */
export function plain(value: RValue, seen = new Set<RValue>()): unknown {
  const inner = (value: RValue) => plain(value, seen);
  switch (value.kind) {
    case "null":
      return null;
    case "logical":
    case "integer":
      return { [value.kind]: Array.from(value.values, orNull), ...attributes(value.attributes, inner) };
    case "real":
    case "complex":
      return { [value.kind]: [...value.values], ...attributes(value.attributes, inner) };
    case "spilled":
      return { spilled: value.length };
    case "raw":
      return { raw: [...value.values], ...attributes(value.attributes, inner) };
    case "character": {
      const strings = Array.from({ length: countTextStrings(value.text) }, (_, i) => decodeStringAt(value.text, i));
      return { character: strings, ...attributes(value.attributes, inner) };
    }
    case "list":
      return { list: value.values.map(inner), ...attributes(value.attributes, inner) };
    case "pairlist":
    case "language":
      return {
        [value.kind]: value.items.map(({ tag, value }) => (tag === null ? inner(value) : { [tag]: inner(value) })),
        ...(value.tail === undefined ? {} : { tail: inner(value.tail) }),
        ...attributes(value.attributes, inner),
      };
    case "symbol":
      return { symbol: value.name };
    case "s4":
      return { s4: value.className, package: value.package, slots: fields(value.slots, inner) };
    case "environment": {
      if (seen.has(value)) return "again";
      seen.add(value);
      const { locked, enclosure, bindings } = value;
      return {
        environment: fields(bindings, inner),
        locked,
        enclosure: inner(enclosure),
        ...attributes(value.attributes, inner),
      };
    }
    case "named":
      return value.name;
    case "namespace":
    case "package":
      return { [value.kind]: value.info };
    case "external pointer":
      return { pointer: [inner(value.protectedValue), inner(value.tag)], ...attributes(value.attributes, inner) };
    case "opaque":
      return { opaque: value.what };
    case "unreadable":
      return { unreadable: value.problem };
    default:
      return value satisfies never;
  }
}

function orNull(value: number): number | null {
  return value === NA_INTEGER ? null : value;
}

function attributes(attributes: RAttributes, inner: (value: RValue) => unknown): object {
  return attributes.size === 0 ? {} : { attributes: fields(attributes, inner) };
}

function fields(values: RAttributes, inner: (value: RValue) => unknown): object {
  return Object.fromEntries(Array.from(values, ([name, value]) => [name, inner(value)]));
}
