/** Random awkward arrays of every node class, and what their rows are, read slowly by awkward's own definitions. */

import type { NumberArray } from "../../src/model/stored.js";
import { bitsOf, type Plain } from "./plain.js";

export interface Awkward {
  readonly form: FormJson;
  readonly buffers: ReadonlyMap<string, NumberArray>;
}

export interface FormJson {
  class: string;
  form_key: string;
  parameters: Record<string, unknown>;
  [field: string]: unknown;
}

/** A small generator of numbers (mulberry32), so that one seed makes one array. */
export function randomOf(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) % below;
  };
}

export const CLASSES = [
  ...["NumpyArray", "EmptyArray", "ListOffsetArray", "ListArray", "RegularArray", "RecordArray", "IndexedArray"],
  ...["IndexedOptionArray", "ByteMaskedArray", "BitMaskedArray", "UnmaskedArray", "UnionArray"],
] as const;
type Class = (typeof CLASSES)[number];

/** An array of at least `length` rows whose root is a node of class `root`. */
export function randomAwkward(seed: number, root: Class, length: number): Awkward {
  const random = randomOf(seed);
  const buffers = new Map<string, NumberArray>();
  let next = 0;
  const form = node(root, length, 3);
  return { form, buffers };

  function node(kind: string, rows: number, depth: number): FormJson {
    const key = `node${next++}`;
    const made = (fields: object, parameters: Record<string, unknown> = {}): FormJson => ({
      class: kind,
      form_key: key,
      parameters,
      ...fields,
    });
    const put = (name: string, values: NumberArray) => buffers.set(`${key}-${name}`, values);
    const child = (count: number): FormJson => node(childClass(depth, count), count, depth - 1);
    const ints = (count: number, one: (i: number) => number) =>
      integers(
        random(2),
        Array.from({ length: count }, (_, i) => one(i)),
      );
    switch (kind) {
      case "NumpyArray": {
        const [primitive, values] = primitives(rows);
        put("data", values);
        return made({ primitive, inner_shape: [] });
      }
      case "EmptyArray":
        return made({});
      case "ListOffsetArray": {
        const offsets = [random(3)];
        for (let i = 0; i < rows; i++) offsets.push(offsets[i] + random(4));
        put("offsets", integers(random(2), offsets));
        return random(3) === 0 ? text(offsets[rows]) : made({ offsets: "i64", content: child(offsets[rows]) });
      }
      case "ListArray": {
        const starts = Array.from({ length: rows }, () => random(6));
        const stops = starts.map((start) => start + random(3));
        put("starts", integers(0, starts));
        put("stops", integers(1, [...stops, 99]));
        return made({ starts: "i64", stops: "i64", content: child(Math.max(0, ...stops)) });
      }
      case "RegularArray": {
        const size = random(4);
        return made({ size, content: child(rows * size) });
      }
      case "RecordArray": {
        const names = ["x", "y"].slice(random(2));
        return made({ fields: random(2) === 0 ? null : names, contents: names.map((_, i) => child(rows + i)) });
      }
      case "IndexedArray":
      case "IndexedOptionArray": {
        const count = rows + 1;
        const option = kind === "IndexedOptionArray";
        put(
          "index",
          ints(rows, () => (option && random(3) === 0 ? -1 - random(2) : random(count))),
        );
        if (random(3) === 0)
          return made({ index: "i64", content: node("NumpyArray", count, 0) }, { __array__: "categorical" });
        return made({ index: "i64", content: child(count) });
      }
      case "ByteMaskedArray":
        put(
          "mask",
          Int8Array.from({ length: rows }, () => random(2)),
        );
        return made({ mask: "i8", valid_when: random(2) === 0, content: child(rows) });
      case "BitMaskedArray":
        put(
          "mask",
          Uint8Array.from({ length: Math.ceil(rows / 8) }, () => random(256)),
        );
        return made({ mask: "u8", valid_when: random(2) === 0, lsb_order: random(2) === 0, content: child(rows) });
      case "UnmaskedArray":
        return made({ content: child(rows) });
      case "UnionArray": {
        put(
          "tags",
          Int8Array.from({ length: rows }, () => random(2)),
        );
        put(
          "index",
          ints(rows, () => random(rows + 1)),
        );
        return made({ tags: "i8", index: "i64", contents: [child(rows + 1), child(rows + 2)] });
      }
      default:
        throw new TypeError(kind);
    }

    function text(bytes: number): FormJson {
      const marker = random(2) === 0 ? "string" : "bytestring";
      const content = node("NumpyArray", 0, 0);
      buffers.set(
        `${content.form_key}-data`,
        Uint8Array.from({ length: bytes }, () => 65 + random(26)),
      );
      content.primitive = "uint8";
      content.parameters = { __array__: marker === "string" ? "char" : "byte" };
      return made({ offsets: "i64", content }, { __array__: marker });
    }
  }

  /** Nothing has no class but EmptyArray, which has no rows for anything else. */
  function childClass(depth: number, rows: number): Class {
    const some = CLASSES.filter((one) => one !== "EmptyArray" || rows === 0);
    return depth === 0 ? "NumpyArray" : some[random(some.length)];
  }

  function primitives(rows: number): [string, NumberArray] {
    const values = Array.from({ length: rows }, () => random(100));
    switch (random(4)) {
      case 0:
        return ["int64", BigInt64Array.from(values, (value) => BigInt(value) - 2n ** 62n)];
      case 1:
        return ["float64", Float64Array.from(values, (value) => (value === 0 ? Number.NaN : value / 3))];
      case 2:
        return ["bool", Uint8Array.from(values, (value) => value % 2)];
      default:
        return ["uint8", Uint8Array.from(values)];
    }
  }
}

function integers(wide: number, values: readonly number[]): NumberArray {
  return wide === 1 ? BigInt64Array.from(values, (value) => BigInt(value)) : Int32Array.from(values);
}

/** Row `i` of a node, by the definitions of awkward's classes. */
export function slowRow(form: FormJson, { buffers }: Awkward, i: number): Plain {
  const all = { form, buffers };
  const at = (name: string, k: number): number => Number(buffers.get(`${form.form_key}-${name}`)?.[k]);
  const content = form.content as FormJson;
  const contents = form.contents as FormJson[];
  const inner = (k: number): Plain => slowRow(content, all, k);
  switch (form.class) {
    case "NumpyArray": {
      const values = buffers.get(`${form.form_key}-data`) ?? new Uint8Array(0);
      if (form.primitive === "bool") return values[i] === 1;
      return values instanceof Float64Array ? bitsOf(values, i) : values[i];
    }
    case "EmptyArray":
      return null;
    case "ListOffsetArray":
      return list(form, all, at("offsets", i), at("offsets", i + 1));
    case "ListArray":
      return list(form, all, at("starts", i), at("stops", i));
    case "RegularArray":
      return list(form, all, i * Number(form.size), (i + 1) * Number(form.size));
    case "RecordArray": {
      const names = (form.fields as string[] | null) ?? contents.map((_, k) => String(k));
      return Object.fromEntries(contents.map((one, k) => [names[k], slowRow(one, all, i)]));
    }
    case "IndexedArray":
      return inner(at("index", i));
    case "IndexedOptionArray":
      return at("index", i) < 0 ? null : inner(at("index", i));
    case "ByteMaskedArray":
      return (at("mask", i) === 1) === form.valid_when ? inner(i) : null;
    case "BitMaskedArray": {
      const bits = at("mask", Math.floor(i / 8))
        .toString(2)
        .padStart(8, "0");
      const bit = form.lsb_order ? bits[7 - (i % 8)] : bits[i % 8];
      return (bit === "1") === form.valid_when ? inner(i) : null;
    }
    case "UnmaskedArray":
      return inner(i);
    case "UnionArray":
      return slowRow(contents[at("tags", i)], all, at("index", i));
    default:
      throw new TypeError(form.class);
  }
}

function list(form: FormJson, all: Awkward, start: number, stop: number): Plain {
  const content = form.content as FormJson;
  const rows = Array.from({ length: Math.max(0, stop - start) }, (_, k) => slowRow(content, all, start + k));
  if (form.parameters.__array__ === "string") return String.fromCharCode(...rows.map(Number));
  if (form.parameters.__array__ === "bytestring") return rows.map((byte) => Number(byte).toString(16)).join("");
  return rows;
}
