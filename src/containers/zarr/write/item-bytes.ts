import { firstInvalidText } from "../../../kernels/text/utf8.js";
import { InvalidDataError } from "../../../model/errors.js";
import {
  allocate,
  bytesOf,
  decodedSize,
  product,
  type RecordValues,
  type StoredField,
  type StoredType,
  type StoredValues,
  type VariableValues,
} from "../../../model/stored.js";

/**
 * Returns items of fixed size in the layout of a chunk, little-endian and one after another. Numbers stay in their
 * memory.
 * @throws {TypeError} where `values` are not `count` values of `type`.
 * @throws {InvalidDataError} for text that is not UTF-8.
 */
export function itemBytes(type: StoredType, values: StoredValues, count: number): Uint8Array {
  if (type.kind === "record") {
    if (values.kind === "record") return recordBytes(type.fields, values, count);
  } else if (type.kind === "text") {
    if (values.kind === "variable" && type.storage.form === "fixed") {
      checkCount(values.offsets.length - 1, count);
      const { encoding, width } = type.storage;
      return encoding === "utf-32" ? utf32Bytes(values, Math.max(4, width)) : paddedBytes(values, Math.max(1, width));
    }
  } else if (values.kind === "fixed") {
    const like = allocate(type, 0);
    // Array types are compared by name, since typed arrays may come from another realm.
    if (values.values[Symbol.toStringTag] === like[Symbol.toStringTag]) {
      const bytes = bytesOf(values.values);
      checkCount(bytes.length / (decodedSize(type) ?? 1), count);
      return bytes;
    }
  }
  const found = values.kind === "fixed" ? values.values[Symbol.toStringTag] : values.kind;
  throw new TypeError(`${found} values, the array has the type ${JSON.stringify(type)}`);
}

/** @throws {TypeError} where the numbers differ. */
export function checkCount(found: number, expected: number): void {
  if (found !== expected) throw new TypeError(`${found} values, expected ${expected}`);
}

/** Encodes texts in `width` bytes each, filled up with NUL. */
function paddedBytes({ offsets, bytes }: VariableValues, width: number): Uint8Array {
  const count = offsets.length - 1;
  const out = new Uint8Array(width * count);
  for (let i = 0; i < count; i++) {
    const length = offsets[i + 1] - offsets[i];
    if (length > width) throw new TypeError(`text ${i} has ${length} bytes, its type ${width}`);
    out.set(bytes.subarray(offsets[i], offsets[i + 1]), i * width);
  }
  return out;
}

function recordBytes(fields: readonly StoredField[], values: RecordValues, count: number): Uint8Array {
  checkCount(values.length, count);
  if (values.fields.length !== fields.length) {
    throw new TypeError(`records of ${values.fields.length} fields, the type has ${fields.length}`);
  }
  const columns = fields.map(({ type, shape }, i) => itemBytes(type, values.fields[i], count * product(shape)));
  if (count === 0) return new Uint8Array(0);
  const sizes = columns.map((column) => column.length / count);
  const size = sizes.reduce((a, b) => a + b, 0);
  const out = new Uint8Array(size * count);
  let offset = 0;
  columns.forEach((column, field) => {
    const width = sizes[field];
    for (let i = 0, from = 0, to = offset; i < count; i++, to += size) {
      for (let byte = 0; byte < width; byte++) out[to + byte] = column[from++];
    }
    offset += width;
  });
  return out;
}

/**
 * Encodes UTF-8 texts as UTF-32 (little-endian) of `width` bytes each, filled up with NUL.
 * @throws {InvalidDataError} for a text that is not UTF-8.
 * @throws {TypeError} for a text that is longer.
 */
export function utf32Bytes({ offsets, bytes }: VariableValues, width: number): Uint8Array {
  checkText(offsets, bytes);
  const count = offsets.length - 1;
  const out = new Uint8Array(width * count);
  const view = new DataView(out.buffer);
  for (let i = 0; i < count; i++) {
    let to = i * width;
    const end = to + width;
    for (let at = offsets[i]; at < offsets[i + 1]; ) {
      const lead = bytes[at++];
      // A lead byte has as many ones as the character has bytes; the other bytes carry six bits each.
      const more = lead < 0x80 ? 0 : lead < 0xe0 ? 1 : lead < 0xf0 ? 2 : 3;
      let code = more === 0 ? lead : lead & (0x3f >> more);
      for (let k = 0; k < more; k++) code = (code << 6) | (bytes[at++] & 0x3f);
      if (to === end) throw new TypeError(`text ${i} has more than the ${width / 4} characters of its type`);
      view.setUint32(to, code, true);
      to += 4;
    }
  }
  return out;
}

/** @throws {InvalidDataError} for a text that is not UTF-8. */
export function checkText(offsets: Int32Array, bytes: Uint8Array): void {
  const invalid = firstInvalidText(offsets, bytes);
  if (invalid >= 0) throw new InvalidDataError(`text ${invalid} is not UTF-8`);
}
