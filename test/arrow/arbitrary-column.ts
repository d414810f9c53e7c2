/** Random types, and columns of them, of every layout. */

import fc from "fast-check";
import type { Column, PrimitiveColumn } from "../../src/arrow/column.js";
import {
  type ArrowField,
  type ArrowIndex,
  type ArrowInt,
  type ArrowType,
  BINARY,
  BOOL,
  createField,
  DATE,
  NULL,
  UTF8,
} from "../../src/arrow/type.js";
import { computeValidity, type Validity } from "../../src/kernels/values/bitmap.js";
import type { NumberArray } from "../../src/model/stored.js";

const INTEGERS: readonly ArrowInt[] = ([8, 16, 32, 64] as const).flatMap((bits) =>
  [true, false].map((signed): ArrowInt => ({ id: "Int", bits, signed })),
);

const FLAT: readonly ArrowType[] = [
  ...INTEGERS,
  ...[16, 32, 64].map((bits): ArrowType => ({ id: "Float", bits: bits === 16 ? 16 : bits === 32 ? 32 : 64 })),
  ...[BOOL, UTF8, BINARY, DATE, { id: "FixedSizeBinary", width: 3 } as const],
  ...(["s", "ms", "us", "ns"] as const).flatMap((unit): ArrowType[] => [
    { id: "Timestamp", unit },
    { id: "Duration", unit },
  ]),
];

const INDICES: readonly ArrowIndex[] = ([8, 16, 32] as const).flatMap((bits) =>
  [true, false].map((signed): ArrowIndex => ({ id: "Int", bits, signed })),
);

/** Types of columns, nested at most `depth` deep; dictionaries may stand anywhere, also within the values of others. */
export function arbitraryType(depth = 2): fc.Arbitrary<ArrowType> {
  const flat = fc.constantFrom(NULL, ...FLAT);
  if (depth === 0) return flat;
  const inner = arbitraryType(depth - 1);
  return fc.oneof({ arbitrary: flat, weight: 2 }, ...nestedTypes(inner), dictionaries(inner));
}

function nestedTypes(inner: fc.Arbitrary<ArrowType>): fc.Arbitrary<ArrowType>[] {
  const fields = fc.array(inner, { minLength: 1, maxLength: 3 }).map(fieldsOf);
  return [
    inner.map((type): ArrowType => ({ id: "List", item: createField("item", type) })),
    fc
      .tuple(inner, fc.nat(3))
      .map(([type, size]): ArrowType => ({ id: "FixedSizeList", size, item: createField("item", type) })),
    fields.map((all): ArrowType => ({ id: "Struct", fields: all })),
    fields.map((all): ArrowType => ({ id: "DenseUnion", fields: all })),
  ];
}

function dictionaries(inner: fc.Arbitrary<ArrowType>): fc.Arbitrary<ArrowType> {
  const value = inner.filter(({ id }) => id !== "Dictionary" && id !== "Null");
  return fc
    .tuple(value, fc.constantFrom(...INDICES), fc.boolean())
    .map(([type, index, ordered]): ArrowType => ({ id: "Dictionary", index, value: type, ordered }));
}

export function fieldsOf(types: readonly ArrowType[]): ArrowField[] {
  return types.map((type, i) => createField(`f${i}`, type));
}

/** A column of `length` values; its buffers may be longer than they need be. */
export function arbitraryColumn(type: ArrowType, length: number): fc.Arbitrary<Column> {
  if (type.id === "Null") return fc.constant({ layout: "null", type, length, validity: null });
  if (type.id === "DenseUnion") return unionColumn(type, length);
  const values = valuesOf(type, length);
  return fc.tuple(values, validity(length)).map(([column, valid]) => ({ ...column, validity: valid }));
}

type Valued = Exclude<Column, { layout: "null" | "union" }>;

function valuesOf(type: Exclude<ArrowType, { id: "Null" | "DenseUnion" }>, length: number): fc.Arbitrary<Valued> {
  const base = { length, validity: null };
  switch (type.id) {
    case "Bool":
      return bytes((length + 7) >> 3).map((values) => primitive(type, length, values));
    case "FixedSizeBinary":
      return bytes(type.width * length).map((values) => primitive(type, length, values));
    case "Int":
    case "Float":
      return bytes((type.bits / 8) * length).map((from) => primitive(type, length, numbersOf(type, from)));
    case "Date32":
      return bytes(4 * length).map((from) => primitive(type, length, new Int32Array(from.buffer)));
    case "Timestamp":
    case "Duration":
      return bytes(8 * length).map((from) => primitive(type, length, new BigInt64Array(from.buffer)));
    case "Utf8":
      return fc
        .array(fc.string({ unit: "binary", maxLength: 5 }), { minLength: length, maxLength: length })
        .map((texts) => {
          const parts = texts.map((text) => new TextEncoder().encode(text));
          const offsets = offsetsOf(parts.map((part) => part.length));
          return { ...base, layout: "variable", type, offsets, bytes: Uint8Array.from(Buffer.concat(parts)) };
        });
    case "Binary":
      return lengths(length).chain((all) => {
        const offsets = offsetsOf(all, 2);
        return bytes(offsets[length] + 1).map((content) => ({
          ...base,
          layout: "variable",
          type,
          offsets,
          bytes: content,
        }));
      });
    case "List":
      return lengths(length).chain((all) => {
        const offsets = offsetsOf(all);
        const child = arbitraryColumn(type.item.type, offsets[length]);
        return child.map((content) => ({ ...base, layout: "list", type, offsets, child: content }));
      });
    case "FixedSizeList":
      return arbitraryColumn(type.item.type, type.size * length).map((child) => ({
        ...base,
        layout: "fixed-size-list",
        type,
        child,
      }));
    case "Struct":
      return columnsOf(type.fields, length).map((children) => ({ ...base, layout: "struct", type, children }));
    case "Dictionary":
      return fc.integer({ min: 1, max: 5 }).chain((count) =>
        fc
          .tuple(
            arbitraryColumn(type.value, count),
            fc.array(fc.nat(count - 1), { minLength: length, maxLength: length }),
          )
          .map(([dictionary, places]) => {
            const indices = numbersOf(type.index, new Uint8Array((type.index.bits / 8) * length));
            for (const [i, place] of places.entries()) if (!isWide(indices)) indices[i] = place;
            return { ...base, layout: "dictionary", type, indices, dictionary };
          }),
      );
    default:
      return type satisfies never;
  }
}

export function columnsOf(fields: readonly ArrowField[], length: number): fc.Arbitrary<Column[]> {
  return fc.tuple(...fields.map((one) => arbitraryColumn(one.type, length)));
}

function unionColumn(type: Extract<ArrowType, { id: "DenseUnion" }>, length: number): fc.Arbitrary<Column> {
  const ids = fc.array(fc.nat(type.fields.length - 1), { minLength: length, maxLength: length });
  return ids.chain((tags) => {
    const counts = type.fields.map(() => 0);
    const offsets = Int32Array.from(tags, (tag) => counts[tag]++);
    const children = fc.tuple(...type.fields.map((one, i) => arbitraryColumn(one.type, counts[i])));
    const base = { layout: "union", type, length, validity: null, typeIds: Int8Array.from(tags), offsets } as const;
    return children.map((content): Column => ({ ...base, children: content }));
  });
}

function primitive(type: PrimitiveColumn["type"], length: number, values: NumberArray): PrimitiveColumn {
  return { layout: "primitive", type, length, validity: null, values };
}

function numbersOf(
  type: Extract<ArrowType, { id: "Int" | "Float" }>,
  { buffer }: Uint8Array<ArrayBuffer>,
): NumberArray {
  if (type.id === "Float") {
    return type.bits === 16
      ? new Uint16Array(buffer)
      : type.bits === 32
        ? new Float32Array(buffer)
        : new Float64Array(buffer);
  }
  switch (type.bits) {
    case 8:
      return type.signed ? new Int8Array(buffer) : new Uint8Array(buffer);
    case 16:
      return type.signed ? new Int16Array(buffer) : new Uint16Array(buffer);
    case 32:
      return type.signed ? new Int32Array(buffer) : new Uint32Array(buffer);
    case 64:
      return type.signed ? new BigInt64Array(buffer) : new BigUint64Array(buffer);
    default:
      return type satisfies never;
  }
}

function isWide(values: NumberArray): values is BigInt64Array | BigUint64Array {
  return values instanceof BigInt64Array || values instanceof BigUint64Array;
}

function bytes(length: number): fc.Arbitrary<Uint8Array<ArrayBuffer>> {
  return fc.uint8Array({ minLength: length, maxLength: length }).map((from) => Uint8Array.from(from));
}

function lengths(count: number): fc.Arbitrary<number[]> {
  return fc.array(fc.nat(3), { minLength: count, maxLength: count });
}

function offsetsOf(all: readonly number[], start = 0): Int32Array {
  const offsets = new Int32Array(all.length + 1).fill(start);
  for (const [i, length] of all.entries()) offsets[i + 1] = offsets[i] + length;
  return offsets;
}

/** null, or a bitmap in which nothing, some or all is missing. */
function validity(length: number): fc.Arbitrary<Validity | null> {
  const some = fc
    .array(fc.boolean(), { minLength: length, maxLength: length })
    .map((there) => computeValidity(length, (i) => there[i]));
  return fc.oneof(fc.constant(null), fc.constant(computeValidity(length, () => false)), some);
}
