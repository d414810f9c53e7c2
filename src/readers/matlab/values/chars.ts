/** Text: matrices of UTF-16 code units. Each row is a text. */

import type { RaggedForm } from "../../../arrow/ragged/form.js";
import { encodeStoredTexts } from "../../../arrow/text.js";
import { createMemoryArray } from "../../../containers/picked/memory-array.js";
import type { StoredArray } from "../../../containers/tree/container.js";
import { LongWork } from "../../../io/sources/event-loop.js";
import { createUnwrittenLimit, type OnUnwritten, type ReadOptions } from "../../../io/sources/source.js";
import type { ColumnPlan } from "../../../jobs/plan/plan.js";
import { toColumnMajorIndex } from "../../../kernels/dense/column-major.js";
import { InvalidDataError, UnsupportedError } from "../../../model/errors.js";
import { countElements, type NumberArray, type StoredValues } from "../../../model/stored.js";
import { getAttributeMetadata } from "./attributes.js";
import type { MatlabContext } from "./context.js";
import { createMatlabTextArray } from "./memory-array.js";
import type { CharValue } from "./value.js";

/**
 * Maximum number of characters in a text that is read when the file is opened. Longer texts are read with their table.
 */
const MAX_HELD = 2 ** 22;

/** Reads characters. @throws {InvalidDataError} if they are not stored as unsigned integers of at most 32 bits. */
export async function readCharValue(dataset: StoredArray, cx: MatlabContext): Promise<CharValue> {
  const described = describe(dataset);
  return lazyChars(dataset, described, cx) ?? charsOf(dataset, described, await unitsOf(dataset));
}

/**
 * Reads characters that are stored as UTF-8 bytes, as in Octave.
 * @throws {InvalidDataError} if the bytes are not UTF-8, {UnsupportedError} if they do not fit in memory.
 */
export async function readByteChars(dataset: StoredArray, cx: MatlabContext): Promise<CharValue> {
  const size = [...(dataset.shape ?? [])].reverse();
  const count = countElements(size);
  if (count > MAX_HELD || !cx.limits.hold(count)) {
    throw new UnsupportedError(`${count} characters in bytes`, { element: dataset.path });
  }
  const texts = rowsOfUnits(await unitsOf(dataset), size).map((line) => {
    try {
      return UTF8.decode(Uint8Array.from(line));
    } catch (cause) {
      throw new InvalidDataError("text is not UTF-8", { element: dataset.path, cause });
    }
  });
  const column = { kind: "array", array: createMatlabTextArray(dataset.path, texts, rowShape(size)) } as const;
  return { kind: "char", class: "char", size, metadata: {}, column, texts };
}

const UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Returns characters that are already in memory; null for other datasets. */
export function getCharsInMemory(dataset: StoredArray, cx: MatlabContext): CharValue | null {
  const { inMemory } = dataset.capabilities ?? {};
  if (inMemory === undefined) return null;
  const described = describe(dataset);
  return lazyChars(dataset, described, cx) ?? charsOf(dataset, described, fixed(inMemory()));
}

/** A dataset of characters, but without its texts. */
interface Described extends Omit<CharValue, "column" | "texts"> {
  readonly bits: 8 | 16 | 32;
}

function describe(dataset: StoredArray): Described {
  const { type, path } = dataset;
  if (type.kind !== "int" || type.signed || type.bits === 64) {
    throw new InvalidDataError("class char, not stored as unsigned integers of at most 32 bits", { element: path });
  }
  const metadata = { ...getAttributeMetadata(dataset), ...unitMetadata(type.bits) };
  return { kind: "char", class: "char", size: [...(dataset.shape ?? [])].reverse(), metadata, bits: type.bits };
}

/** Makes a value whose texts are read later; null if the dataset is small enough to be read now. */
function lazyChars(dataset: StoredArray, { bits: _, ...base }: Described, cx: MatlabContext): CharValue | null {
  const count = countElements(base.size);
  if (count <= MAX_HELD && cx.limits.hold(count)) return null;
  return { ...base, column: { kind: "array", array: lazyTexts(dataset, base.size) }, texts: null };
}

function charsOf({ path }: StoredArray, { bits, ...base }: Described, units: NumberArray): CharValue {
  const { size } = base;
  const line = size[0] === 1 && size.length === 2 && units instanceof Uint16Array ? lineOf(units) : null;
  if (line !== null)
    return { ...base, column: { kind: "array", array: createMatlabTextArray(path, [line]) }, texts: [line] };
  const lines = rowsOfUnits(units, size);
  const texts = lines.map(decodeCodeUnits);
  const isText = (text: string | null): text is string => text !== null;
  const shape = rowShape(size);
  if (texts.every(isText))
    return { ...base, column: { kind: "array", array: createMatlabTextArray(path, texts, shape) }, texts };
  return { ...base, column: unitLists(path, lines, bits), texts: null };
}

/** Makes a value of empty texts, whose number is given by `size`. @throws {InvalidDataError} if there are too many. */
export function emptyChars(path: string, size: readonly number[], metadata: CharValue["metadata"]): CharValue {
  const shape = rowShape(size);
  const count = countElements(shape);
  if (count > MAX_HELD) throw new InvalidDataError(`${count} texts without characters`, { element: path });
  const texts = Array.from({ length: count }, () => "");
  return {
    kind: "char",
    class: "char",
    size,
    metadata,
    column: { kind: "array", array: createMatlabTextArray(path, texts, shape) },
    texts,
  };
}

/** Returns metadata for characters whose width differs from MATLAB's 16 bits. */
function unitMetadata(bits: number): Readonly<Record<string, unknown>> {
  return bits === 16 ? {} : { units: `uint${bits}` };
}

/** Returns the shape of an array of texts. The characters of each text run along the second dimension. */
function rowShape(size: readonly number[]): readonly number[] {
  return size.length < 2 ? [1] : [size[0], ...size.slice(2)];
}

async function unitsOf(dataset: StoredArray): Promise<NumberArray> {
  return fixed(await dataset.read(0, dataset.shape?.[0] ?? 1));
}

function fixed(read: StoredValues): NumberArray {
  if (read.kind !== "fixed") throw new TypeError("characters are integers");
  return read.values;
}

/** Splits characters into the code units of each text. The texts are in row-major order. */
function rowsOfUnits(units: NumberArray, size: readonly number[]): Uint32Array[] {
  const [rows, width] = size.length < 2 ? [1, countElements(size)] : size;
  const beyond = size.slice(2);
  const pages = countElements(beyond);
  const lines: Uint32Array[] = [];
  for (let row = 0; row < rows; row++) {
    for (let page = 0; page < pages; page++) {
      const line = new Uint32Array(width);
      // Pages are in row-major order, like the rows of lists.
      let at = row + rows * width * toColumnMajorIndex(page, beyond);
      for (let i = 0; i < width; i++, at += rows) line[i] = Number(units[at]);
      lines.push(line);
    }
  }
  return lines;
}

const PART = 8192;

/** Decodes a short text; null for a long or ill-formed text. */
function lineOf(units: Uint16Array): string | null {
  if (units.length > PART) return null;
  const text = String.fromCharCode(...units);
  return isWellFormed(text) ? text : null;
}

/** Decodes code units; null for ill-formed text. */
export function decodeCodeUnits(units: ArrayLike<number> & Iterable<number>): string | null {
  if (units instanceof Uint16Array && units.length > PART) return decodedText(units);
  let text = "";
  for (let at = 0; at < units.length; at += PART) {
    const part: number[] = [];
    for (let i = at; i < Math.min(units.length, at + PART); i++) {
      if (units[i] > 0x10ffff) return null;
      part.push(units[i]);
    }
    // This joins the halves of a surrogate pair that is split between two parts.
    text += String.fromCodePoint(...part);
  }
  return isWellFormed(text) ? text : null;
}

/** Decodes a long text with the platform's decoder, which rejects unpaired surrogates. */
function decodedText(units: Uint16Array): string | null {
  try {
    return UTF16.decode(units);
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}

const UTF16 = new TextDecoder("utf-16le", { fatal: true, ignoreBOM: true });

function isWellFormed(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0xd800 || unit > 0xdfff) continue;
    const next = text.charCodeAt(i + 1);
    if (unit > 0xdbff || !(next >= 0xdc00 && next <= 0xdfff)) return false;
    i++;
  }
  return true;
}

/** Makes lists of code units, for ill-formed text. */
function unitLists(path: string, lines: readonly Uint32Array[], bits: 8 | 16 | 32): ColumnPlan {
  const offsets = new BigInt64Array(lines.length + 1);
  for (const [i, line] of lines.entries()) offsets[i + 1] = offsets[i] + BigInt(line.length);
  const total = Number(offsets[lines.length]);
  const units = bits === 32 ? new Uint32Array(total) : new Uint16Array(total);
  for (const [i, line] of lines.entries()) units.set(line, Number(offsets[i]));
  const type = { kind: "int", bits: bits === 32 ? 32 : 16, signed: false } as const;
  return listPlan(
    lines.length,
    createMemoryArray(`${path}/offsets`, OFFSETS, [offsets.length], { kind: "fixed", values: offsets }),
    createMemoryArray(path, type, [total], { kind: "fixed", values: units }),
  );
}

const OFFSETS = { kind: "int", bits: 64, signed: true } as const;

/** Makes lists of the values in `content`. @param offsets has one element more than there are lists. */
export function listPlan(length: number, offsets: StoredArray, content: StoredArray): ColumnPlan {
  const form: RaggedForm = {
    ...{ class: "ListOffsetArray", key: "lists", index: OFFSETS, text: null },
    content: { class: "NumpyArray", key: "values", type: content.type, innerShape: [] },
  };
  const buffers = new Map([
    ["lists-offsets", offsets],
    ["values-data", content],
  ]);
  return { kind: "ragged", form, length, buffers };
}

/**
 * Number of code units per read. The units of a row are spread over the whole dataset, so reading many rows costs
 * little more than reading one.
 */
const UNITS_AT_ONCE = 2 ** 21;

/**
 * Bytes of memory per code unit while a text is decoded. The text exists as stored, transposed, as text, and as UTF-8.
 */
const UNIT_BYTES = 16;

function lazyTexts(dataset: StoredArray, size: readonly number[]): StoredArray {
  const { path, id } = dataset;
  const shape = rowShape(size);
  const per = countElements(shape.slice(1));
  const width = size.length < 2 ? countElements(size) : size[1];
  const rowsAtOnce = Math.max(1, Math.floor(UNITS_AT_ONCE / Math.max(1, per * width)));
  return {
    ...{ kind: "array", path, id, attributes: new Map(), shape, chunks: null },
    capabilities: { rowBytes: UNIT_BYTES * per * width },
    type: { kind: "text", storage: { form: "variable", encoding: "utf-8" } },
    read: async (start, end, options) => {
      const texts: string[] = [];
      const rows = dataset.capabilities?.view?.({ form: "reversed", bool: false });
      if (rows === undefined) throw new TypeError("characters are integers");
      const work = new LongWork(options?.signal);
      for (let from = start; from < end; from += rowsAtOnce) {
        const to = Math.min(end, from + rowsAtOnce);
        const units = fixed(await rows.read(from, to, { ...options, onUnwritten: limitedText(path, options) }));
        for (let row = from; row < to; row++) {
          const first = (row - from) * width * per;
          // A row is in row-major order, so the units of one text have a stride of `per`.
          for (let page = 0; page < per; page++) {
            const text = decodeCodeUnits(unitsApart(units, first + page, width, per));
            if (text === null)
              throw new InvalidDataError(`text ${row} has halves of surrogate pairs`, { element: path });
            texts.push(text);
          }
        }
        await work.pause();
      }
      return encodeStoredTexts(texts);
    },
  };
}

/**
 * Maximum number of bytes in a text that are declared but not stored. Decoding them takes many times as much memory.
 */
const MAX_UNWRITTEN = 2 ** 24;

/** Combines the caller's limit with the limit for one read. */
function limitedText(element: string, options: ReadOptions | undefined): OnUnwritten {
  const problem = `more than ${MAX_UNWRITTEN} bytes of a text are stored nowhere in the file`;
  const limit = createUnwrittenLimit(MAX_UNWRITTEN, () => new UnsupportedError(problem, { element }));
  return (bytes) => {
    options?.onUnwritten?.(bytes);
    limit(bytes);
  };
}

/** Takes `count` units, starting at `first`, with a stride of `step`. */
function unitsApart(units: NumberArray, first: number, count: number, step: number): Uint16Array | Uint32Array {
  if (step === 1 && units instanceof Uint16Array) return units.subarray(first, first + count);
  const apart = new Uint32Array(count);
  for (let i = 0, at = first; i < count; i++, at += step) apart[i] = Number(units[at]);
  return apart;
}
