import { encodeFloat16 } from "../../../kernels/values/number-bits.js";
import { InvalidDataError } from "../../../model/errors.js";
import type { StoredType } from "../../../model/stored.js";
import { type DataType, type ItemLayout, listItemWords, swapWords } from "./data-type.js";
import type { Json } from "./json.js";
import { createUnexpectedError, isList, isObject, show, tryDecodeBase64 } from "./json-fields.js";

/**
 * The version of Zarr in which a fill value was written. v2 and v3 encode fill values of bytes and records differently.
 */
export type ZarrFormat = 2 | 3;

/**
 * Parses a fill value, which stands for every value in a missing chunk. Returns the bytes of one item, in native byte
 * order and in the layout of a decoded chunk. `null`, and v2's 0 for text, mean zero bytes.
 * @throws {InvalidDataError} if `value` does not fit `type`.
 */
export function parseFill(value: Json | undefined, type: DataType, format: ZarrFormat): Uint8Array {
  const { layout, stored } = type;
  switch (layout.kind) {
    case "unsupported":
      return new Uint8Array(0);
    case "variable":
      return variableFill(value, stored);
    case "record":
      return recordFill(value, layout, format);
    case "fixed": {
      const bytes = new Uint8Array(layout.size);
      if (value !== null && value !== undefined) write(bytes, value, stored, format);
      return bytes;
    }
    default:
      return layout satisfies never;
  }
}

/** Parses the fill value for items of variable size. zarr-python 2 writes 0 for objects, which means the empty item. */
function variableFill(value: Json | undefined, stored: StoredType): Uint8Array {
  if (value === null || value === undefined || value === 0) return new Uint8Array(0);
  if (stored.kind === "text" && typeof value === "string") return new TextEncoder().encode(value);
  return bytesOf(value, "a base64 text");
}

/**
 * Parses a record's fill value: base64 of the whole item in stored byte order, or for `struct` an object with a value
 * for each field.
 */
function recordFill(value: Json | undefined, layout: ItemLayout & { kind: "record" }, format: ZarrFormat): Uint8Array {
  const bytes = new Uint8Array(layout.size);
  if (value === null || value === undefined || value === 0) return bytes;
  if (isObject(value)) {
    for (const field of layout.fields) {
      if (!Object.hasOwn(value, field.name))
        throw createUnexpectedError(value, "fill_value", `a field ${show(field.name)}`);
      bytes.set(parseFill(value[field.name], field.type, format), field.offset);
    }
    return bytes;
  }
  const given = bytesOf(value, "base64 of a record");
  if (given.length !== layout.size) {
    throw new InvalidDataError(`fill_value has ${given.length} bytes, a record has ${layout.size}`);
  }
  bytes.set(given);
  swapWords(bytes, layout.size, listItemWords(layout, true));
  return bytes;
}

function write(bytes: Uint8Array, value: Json, stored: StoredType, format: ZarrFormat): void {
  const view = new DataView(bytes.buffer);
  switch (stored.kind) {
    case "bool":
      if (value !== true && value !== false && value !== 0 && value !== 1) throw wrong(value, "true or false");
      bytes[0] = Number(value);
      return;
    case "int":
      writeInteger(view, value, stored.bits, stored.signed);
      return;
    case "datetime":
    case "timedelta":
      // NaT is the smallest int64.
      if (value === "NaT") view.setBigInt64(0, -(2n ** 63n), true);
      else writeInteger(view, value, 64, true);
      return;
    case "float":
      writeFloat(view, 0, value, stored.bits);
      return;
    case "complex": {
      const [re, im] = isList(value) ? value : [value, 0];
      const bits = stored.bits === 64 ? 32 : 64;
      writeFloat(view, 0, re ?? null, bits);
      writeFloat(view, bits / 8, im ?? null, bits);
      return;
    }
    case "bytes":
      put(bytes, bytesOf(value, "base64"));
      return;
    case "text":
      if (value === 0) return;
      if (typeof value !== "string") throw wrong(value, "a text");
      // Old v2 stores contain the text itself instead of base64.
      if (stored.storage.encoding === "utf-32") writeUtf32(view, value);
      else
        put(
          bytes,
          tryDecodeBase64(value) ?? (format === 2 ? new TextEncoder().encode(value) : bytesOf(value, "base64")),
        );
      return;
    case "enum":
    case "record":
    case "sequence":
    case "reference":
    case "unsupported":
      throw wrong(value, `a value of a ${stored.kind}`);
    default:
      stored satisfies never;
  }
}

function writeInteger(view: DataView, value: Json, bits: 8 | 16 | 32 | 64, signed: boolean): void {
  const isInteger = typeof value === "bigint" || (typeof value === "number" && Number.isInteger(value));
  if (!isInteger) throw wrong(value, "an integer");
  const whole = BigInt(value);
  if ((signed ? BigInt.asIntN(bits, whole) : BigInt.asUintN(bits, whole)) !== whole) {
    throw wrong(value, `an integer of ${bits} bits${signed ? "" : " without sign"}`);
  }
  if (bits === 64) view.setBigUint64(0, BigInt.asUintN(64, whole), true);
  else if (bits === 32) view.setUint32(0, Number(BigInt.asUintN(32, whole)), true);
  else if (bits === 16) view.setUint16(0, Number(BigInt.asUintN(16, whole)), true);
  else view.setUint8(0, Number(BigInt.asUintN(8, whole)));
}

/**
 * Writes a float, given as a number, as `"NaN"`, `"Infinity"` or `"-Infinity"`, or as its bits in hexadecimal
 * (`"0x7fc00001"`).
 */
function writeFloat(view: DataView, at: number, value: Json, bits: 16 | 32 | 64): void {
  if (typeof value === "string" && value.startsWith("0x")) {
    if (!new RegExp(`^0x[0-9a-fA-F]{${bits / 4}}$`).test(value)) throw wrong(value, `${bits / 4} hexadecimal digits`);
    for (let i = 0; i < bits / 8; i++) {
      view.setUint8(at + i, Number.parseInt(value.slice(value.length - 2 * i - 2, value.length - 2 * i), 16));
    }
    return;
  }
  const number = floatOf(value);
  if (bits === 64) view.setFloat64(at, number, true);
  else if (bits === 32) view.setFloat32(at, number, true);
  else view.setUint16(at, encodeFloat16(number), true);
}

function floatOf(value: Json): number {
  switch (value) {
    case "NaN":
      return Number.NaN;
    case "Infinity":
      return Number.POSITIVE_INFINITY;
    case "-Infinity":
      return Number.NEGATIVE_INFINITY;
    case null:
      return 0;
    default:
      if (typeof value !== "number" && typeof value !== "bigint") throw wrong(value, "a number");
      return Number(value);
  }
}

function writeUtf32(view: DataView, text: string): void {
  const characters = Array.from(text);
  if (4 * characters.length > view.byteLength) throw wrong(text, `a text of at most ${view.byteLength / 4} characters`);
  characters.forEach((character, i) => {
    view.setUint32(4 * i, character.codePointAt(0) ?? 0, true);
  });
}

/** Parses base64, or the list of byte values used for v3's `r*` types. In v2, 0 means no bytes. */
function bytesOf(value: Json, expected: string): Uint8Array {
  if (value === 0) return new Uint8Array(0);
  if (isList(value)) {
    return Uint8Array.from(value, (byte) => {
      if (typeof byte !== "number" || byte !== (byte & 0xff)) throw wrong(value, "a list of bytes");
      return byte;
    });
  }
  const bytes = typeof value === "string" ? tryDecodeBase64(value) : undefined;
  if (bytes === undefined) throw wrong(value, expected);
  return bytes;
}

function put(item: Uint8Array, given: Uint8Array): void {
  if (given.length > item.length) {
    throw new InvalidDataError(`fill_value has ${given.length} bytes, a value has ${item.length}`);
  }
  item.set(given);
}

function wrong(value: Json, expected: string): InvalidDataError {
  return createUnexpectedError(value, "fill_value", expected);
}
