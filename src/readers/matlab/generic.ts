/** Makes tables for datasets without a MATLAB class, which hdf5storage and other writers create. */

import { encodeStoredTexts } from "../../arrow/text.js";
import type { StoredArray } from "../../containers/tree/container.js";
import { findInvalidText } from "../../kernels/text/utf8.js";
import { InvalidDataError } from "../../model/errors.js";
import { countElements } from "../../model/stored.js";
import { createArrayTable, createNullTable, type TableElement } from "../element.js";
import { getMatlabText } from "./values/attributes.js";
import { decodeCodeUnits } from "./values/chars.js";
import type { MatlabContext } from "./values/context.js";
import { createMatlabTextArray, readFixedValues } from "./values/memory-array.js";
import type { GenericValue } from "./values/value.js";

export async function createGenericElement(value: GenericValue, cx: MatlabContext): Promise<TableElement> {
  const { metadata, class: name } = value;
  const array = await withBytes(value.array, cx);
  const own = { ...(name === "" ? {} : { class: name }), ...metadata, ...storageOf(value.array, array) };
  if (array.shape === null) return createNullTable(own);
  const text = isPythonText(name, array);
  const shape = array.shape;
  const width = characters(name, array);
  if (width !== null) {
    const texts = textsOf(array, shape, width);
    return createArrayTable(texts, { kind: "string-array", shape: texts.shape ?? [], size: shape, ...own });
  }
  const kind = array.type.kind === "record" ? "rec-array" : kindOf(array, text);
  if (text) return createArrayTable(codePoints(array, cx), { kind, shape: [], size: shape, ...own });
  return createArrayTable(array, { kind, shape, size: shape, ...own });
}

/** Maximum length of a text that is checked to find out whether it consists of bytes. */
const LOOKED_THROUGH = 2 ** 24;

/** Converts text that is not valid UTF-8 to bytes, because Python's bytes are stored as text. */
async function withBytes(array: StoredArray, cx: MatlabContext): Promise<StoredArray> {
  const { type, shape } = array;
  if (type.kind !== "text" || type.storage.form !== "fixed" || shape === null || cx.text !== "error") return array;
  if (countElements(shape) * type.storage.width > LOOKED_THROUGH) return array;
  const read = await cx.concurrency.run(() => array.read(0, shape[0] ?? 1, cx.options));
  if (read.kind !== "variable" || findInvalidText(read.offsets, read.bytes) < 0) return array;
  const { kind, path, id, attributes, chunks } = array;
  return {
    ...{ kind, path, id, attributes, shape, chunks, type: { kind: "bytes", width: null } },
    read: (start, end, options) => array.read(start, end, options),
  };
}

/** Returns metadata for bytes that are stored as text. */
function storageOf({ type }: StoredArray, array: StoredArray): Readonly<Record<string, unknown>> {
  return type.kind === "text" && array.type.kind === "bytes" ? { storage: type.storage } : {};
}

function kindOf({ type, shape }: StoredArray, isText: boolean): string {
  if (isText) return "string";
  const text = type.kind === "text" || type.kind === "bytes";
  if (shape?.length === 0) return text ? "string" : "numeric-scalar";
  return text ? "string-array" : "array";
}

/** Whether an array is a Python text, which is stored as 32-bit code points. */
function isPythonText(name: string, { type, shape, attributes }: StoredArray): boolean {
  if (name !== "str" && name !== "numpy.str_") return false;
  if (attributes.has("Python.Empty") || (shape?.length ?? 0) > 1) return false;
  return type.kind === "int" && !type.signed && type.bits === 32;
}

/**
 * Returns the number of code points per text if numpy stored an array of texts, whose last dimension joins all texts in
 * a row; null for other arrays.
 */
function characters(name: string, { type, shape, attributes }: StoredArray): number | null {
  if (!/^numpy\.(ndarray|matrix|chararray)$/.test(name) || attributes.has("Python.Empty")) return null;
  if (type.kind !== "int" || type.signed || type.bits !== 32) return null;
  const bits = /^str([1-9]\d*)$/.exec(getMatlabText({ attributes }, "Python.numpy.UnderlyingType") ?? "")?.[1];
  const width = Number(bits) / 32;
  const last = shape?.at(-1) ?? 0;
  return Number.isInteger(width) && last > 0 && last % width === 0 ? width : null;
}

function textsOf(array: StoredArray, stored: readonly number[], width: number): StoredArray {
  const { path } = array;
  const last = stored.length - 1;
  const shape = stored.map((length, d) => (d === last ? length / width : length));
  const per = last === 0 ? width : 1;
  return {
    ...createMatlabTextArray(path, [], shape),
    read: async (start, end, options) => {
      const read = await array.read(start * per, end * per, options);
      if (read.kind !== "fixed") throw new TypeError("characters are integers");
      const units = Uint32Array.from(read.values, Number);
      const texts: string[] = [];
      for (let at = 0; at < units.length; at += width) {
        let end = at + width;
        while (end > at && units[end - 1] === 0) end--;
        const text = decodeCodeUnits(units.subarray(at, end));
        if (text === null) throw new InvalidDataError("code points that are no text", { element: path });
        texts.push(text);
      }
      return encodeStoredTexts(texts);
    },
  };
}

const MAX_TEXT = 2 ** 26;

function codePoints(array: StoredArray, cx: MatlabContext): StoredArray {
  return {
    ...createMatlabTextArray(array.path, [""], []),
    read: async () => {
      const { values } = await readFixedValues(array, MAX_TEXT);
      const text = decodeCodeUnits(Uint32Array.from(values, Number));
      if (text === null) throw new InvalidDataError("code points that are no text", { element: array.path });
      cx.options.signal?.throwIfAborted();
      return encodeStoredTexts([text]);
    },
  };
}
