/** Concatenates columns of one type. */

import { appendBits } from "../kernels/parquet/bit-ranges.js";
import { PageBuffer } from "../kernels/parquet/page-buffer.js";
import { getBitmapByteLength, type Validity } from "../kernels/values/bitmap.js";
import { UnsupportedError } from "../model/errors.js";
import { createZeros, type NumberArray, viewAsBytes } from "../model/stored.js";
import type { Column } from "./column.js";
import { sliceColumn } from "./take.js";
import { toVariableValues } from "./text.js";
import { describeArrowType } from "./type.js";

/**
 * Joins the rows of at least one column.
 * @throws {UnsupportedError} for more than 2^31 - 1 bytes of text or list values, and for nested dictionaries.
 */
export function joinColumns(columns: readonly Column[]): Column {
  const [first] = columns;
  if (columns.length === 1) return first;
  const length = columns.reduce((sum, column) => sum + column.length, 0);
  const validity = joinedValidity(columns, length);
  switch (first.layout) {
    case "null":
      return { ...first, length };
    case "primitive": {
      const parts = columns.filter((column) => column.layout === "primitive");
      if (first.type.id === "Bool") return { ...first, length, validity, values: joinedBits(parts) };
      const per = first.type.id === "FixedSizeBinary" ? first.type.width : 1;
      return {
        ...first,
        length,
        validity,
        values: joinedNumbers(parts.map(({ values, length }) => values.subarray(0, length * per))),
      };
    }
    case "variable": {
      const parts = columns.filter((column) => column.layout === "variable").map(toVariableValues);
      const bytes = joinedNumbers(parts.map((part) => part.bytes));
      return { ...first, length, validity, offsets: joinedOffsets(parts, length), bytes: viewAsBytes(bytes) };
    }
    case "list": {
      const parts = columns.filter((column) => column.layout === "list");
      const children = parts.map(({ child, offsets, length }) => sliceColumn(child, offsets[0], offsets[length]));
      const offsets = joinedOffsets(
        parts.map((part) => ({ offsets: part.offsets.subarray(0, part.length + 1) })),
        length,
      );
      return { ...first, length, validity, offsets, child: joinColumns(children) };
    }
    case "fixed-size-list": {
      const { size } = first.type;
      const parts = columns.filter((column) => column.layout === "fixed-size-list");
      const children = parts.map(({ child, length }) => sliceColumn(child, 0, length * size));
      return { ...first, length, validity, child: joinColumns(children) };
    }
    case "struct": {
      const parts = columns.filter((column) => column.layout === "struct");
      const children = first.children.map((_, i) => joinColumns(parts.map((part) => part.children[i])));
      return { ...first, length, validity, children };
    }
    case "dictionary":
    case "union":
      throw new UnsupportedError(`pieces of a dictionary of ${describeArrowType(first.type)} are not joined`);
    default:
      return first satisfies never;
  }
}

function joinedValidity(parts: readonly Column[], length: number): Validity | null {
  const nullCount = parts.reduce((sum, { validity }) => sum + (validity?.nullCount ?? 0), 0);
  if (nullCount === 0) return null;
  const out = new PageBuffer(getBitmapByteLength(length));
  appendBits(
    parts.map((part) => ({ bits: part.validity?.bitmap ?? null, offset: 0, length: part.length })),
    out,
  );
  return { bitmap: out.written(), nullCount };
}

function joinedBits(parts: readonly { readonly values: NumberArray; readonly length: number }[]): Uint8Array {
  const out = new PageBuffer(16);
  appendBits(
    parts.map(({ values, length }) => ({ bits: viewAsBytes(values), offset: 0, length })),
    out,
  );
  return out.written();
}

function joinedNumbers(parts: readonly NumberArray[]): NumberArray {
  const count = parts.reduce((sum, { length }) => sum + length, 0);
  const out = createZeros(parts[0], count);
  const bytes = viewAsBytes(out);
  let at = 0;
  for (const part of parts) {
    bytes.set(viewAsBytes(part), at);
    at += part.byteLength;
  }
  return out;
}

function joinedOffsets(parts: readonly { readonly offsets: Int32Array }[], length: number): Int32Array {
  const out = new Int32Array(length + 1);
  let at = 0;
  let total = 0;
  for (const { offsets } of parts) {
    const base = total - offsets[0];
    for (let i = 1; i < offsets.length; i++) out[++at] = base + offsets[i];
    total = base + offsets[offsets.length - 1];
    if (total > 2 ** 31 - 1) throw new UnsupportedError(`${total} values in a dictionary, at most 2^31 - 1 are taken`);
  }
  return out;
}
