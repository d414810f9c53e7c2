/** Random stored arrays, and what each of their values is by docs/mapping.md, read slowly one by one. */

import fc from "fast-check";
import type { StoredField, StoredType, StoredValues } from "../../src/model/stored.js";
import { TEXT, textOf, variableOf } from "../stored-array.js";
import { bitsOf, hex, type Plain } from "./plain.js";

const INTS = [8, 16, 32, 64].flatMap((bits) => [true, false].map((signed) => ({ bits, signed })));
const UNITS = ["s", "ms", "us", "ns", "m", "h", "D", "W"] as const;
const BASE = { kind: "int", bits: 8, signed: true } as const;
const MEMBERS = ["lo", "mid", "hi"].map((name, i) => ({ name, value: 10 - 5 * i }));
const BOOLEAN = ["FALSE", "TRUE"].map((name, value) => ({ name, value }));
const OPTION = [...BOOLEAN, { name: "NA", value: -1 }];

const leafType: fc.Arbitrary<StoredType> = fc.oneof(
  fc.constant<StoredType>({ kind: "bool" }),
  fc.constantFrom(...INTS).map((int) => ({ kind: "int", ...int }) as StoredType),
  fc.constantFrom(16, 32, 64).map((bits) => ({ kind: "float", bits }) as StoredType),
  fc.constantFrom(64, 128).map((bits) => ({ kind: "complex", bits }) as StoredType),
  fc.constant(TEXT),
  fc.oneof(fc.constant(null), fc.integer({ min: 1, max: 5 })).map((width) => ({ kind: "bytes", width }) as StoredType),
  fc.constantFrom(MEMBERS, BOOLEAN, OPTION).map((members) => ({ kind: "enum", base: BASE, members }) as StoredType),
  fc
    .tuple(fc.constantFrom("datetime", "timedelta"), fc.constantFrom(...UNITS), fc.constantFrom(1, 15))
    .map(([kind, unit, step]) => ({ kind, unit, step }) as StoredType),
);

/** Dimensions of a sub-array, zero among them. */
export const dimensions = fc.array(fc.constantFrom(1, 2, 3, 0), { maxLength: 2 });

const recordType: fc.Arbitrary<StoredType> = fc
  // apache-arrow writes no name where it is empty.
  .uniqueArray(fc.string({ minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 3 })
  .chain((names) =>
    fc.tuple(
      ...names.map((name) =>
        fc.tuple(leafType, dimensions).map(([type, shape]): StoredField => ({ name, type, shape })),
      ),
    ),
  )
  .map((fields) => ({ kind: "record", fields }));

/** Any type that has an Arrow type. */
export const storedType = fc.oneof({ weight: 3, arbitrary: leafType }, { weight: 1, arbitrary: recordType });

const product = (shape: readonly number[]) => shape.reduce((a, b) => a * b, 1);
const many = <T>(one: fc.Arbitrary<T>, count: number) => fc.array(one, { minLength: count, maxLength: count });

/** `count` values of `type`. */
export function storedValues(type: StoredType, count: number): fc.Arbitrary<StoredValues> {
  switch (type.kind) {
    case "bool":
      return many(fc.nat(1), count).map((bits) => ({ kind: "fixed", values: Uint8Array.from(bits) }));
    case "int":
      return raw(count * (type.bits / 8)).map((bytes) => ({
        kind: "fixed",
        values: intView(type.bits, type.signed, bytes),
      }));
    case "float":
      return raw(count * (type.bits / 8)).map((bytes) => ({
        kind: "fixed",
        values:
          type.bits === 16
            ? new Uint16Array(bytes)
            : type.bits === 32
              ? new Float32Array(bytes)
              : new Float64Array(bytes),
      }));
    case "complex":
      return raw(count * (type.bits / 8)).map((bytes) => ({
        kind: "fixed",
        values: type.bits === 64 ? new Float32Array(bytes) : new Float64Array(bytes),
      }));
    case "text":
      return many(fc.string({ unit: "binary", maxLength: 5 }), count).map(textOf);
    case "bytes":
      return type.width === null
        ? many(fc.uint8Array({ maxLength: 5 }), count).map(variableOf)
        : raw(count * type.width).map((bytes) => ({ kind: "fixed", values: new Uint8Array(bytes) }));
    case "enum":
      return many(fc.constantFrom(...type.members.map(({ value }) => Number(value))), count).map((values) => ({
        kind: "fixed",
        values: Int8Array.from(values),
      }));
    case "datetime":
    case "timedelta":
      return many(fc.oneof(fc.bigInt({ min: -(10n ** 12n), max: 10n ** 12n }), fc.constant(-(2n ** 63n))), count).map(
        (ticks) => ({ kind: "fixed", values: BigInt64Array.from(ticks) }),
      );
    case "record":
      return fc
        .tuple(...type.fields.map((field) => storedValues(field.type, count * product(field.shape))))
        .map((fields) => ({ kind: "record", length: count, fields }));
    default:
      throw new TypeError(type.kind);
  }
}

function raw(bytes: number): fc.Arbitrary<ArrayBuffer> {
  const any = fc.constantFrom(0, 1, 0x7f, 0x80, 0xff, 0xf0, 0x3c);
  return many(any, bytes).map((values) => Uint8Array.from(values).buffer);
}

function intView(bits: number, signed: boolean, bytes: ArrayBuffer) {
  switch (bits) {
    case 8:
      return signed ? new Int8Array(bytes) : new Uint8Array(bytes);
    case 16:
      return signed ? new Int16Array(bytes) : new Uint16Array(bytes);
    case 32:
      return signed ? new Int32Array(bytes) : new Uint32Array(bytes);
    default:
      return signed ? new BigInt64Array(bytes) : new BigUint64Array(bytes);
  }
}

const SECONDS: Readonly<Record<string, bigint>> = { m: 60n, h: 3600n, D: 86_400n, W: 604_800n };

/** Value `i` as docs/mapping.md says it must come out. */
export function slowValue(type: StoredType, stored: StoredValues, i: number): Plain {
  if (stored.kind === "variable") {
    const bytes = stored.bytes.slice(stored.offsets[i], stored.offsets[i + 1]);
    return type.kind === "text" ? new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes) : hex(bytes);
  }
  if (stored.kind === "record") {
    if (type.kind !== "record") throw new TypeError("record expected");
    return Object.fromEntries(
      type.fields.map((field, k) => [field.name, slowNested(field.type, stored.fields[k], field.shape, i)]),
    );
  }
  if (stored.kind === "sequence") throw new TypeError("sequences are not drawn");
  const { values } = stored;
  switch (type.kind) {
    case "bool":
      return values[i] === 1;
    case "int":
      return values[i];
    case "float":
      return floatAt(values, i);
    case "complex":
      return { real: floatAt(values, 2 * i), imag: floatAt(values, 2 * i + 1) };
    case "bytes":
      return hex(Uint8Array.from(values.subarray(i * (type.width ?? 0), (i + 1) * (type.width ?? 0)), Number));
    case "enum": {
      const name = type.members.find((member) => member.value === values[i])?.name ?? "?";
      return type.members === MEMBERS ? name : name === "NA" ? null : name === "TRUE";
    }
    case "datetime":
    case "timedelta":
      return values[i] === -(2n ** 63n) ? null : BigInt(values[i]) * BigInt(type.step) * (SECONDS[type.unit] ?? 1n);
    default:
      throw new TypeError(type.kind);
  }
}

/** Row `i` of an array whose rows have this shape. */
export function slowNested(type: StoredType, stored: StoredValues, shape: readonly number[], i: number): Plain {
  const [size, ...rest] = shape;
  if (size === undefined) return slowValue(type, stored, i);
  return Array.from({ length: size }, (_, k) => slowNested(type, stored, rest, i * size + k));
}

function floatAt(values: ArrayBufferView, i: number): string {
  if (values instanceof Float32Array || values instanceof Float64Array || values instanceof Uint16Array) {
    return bitsOf(values, i);
  }
  throw new TypeError("floats expected");
}
