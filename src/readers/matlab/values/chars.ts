/** Text: code units of UTF-16 in a matrix of characters, of which each row is a text. */

import type { RaggedForm } from "../../../arrow/ragged/form.js";
import { storedTexts } from "../../../arrow/text.js";
import type { StoredArray } from "../../../containers/tree/container.js";
import type { ColumnPlan } from "../../../jobs/plan/plan.js";
import { columnMajor } from "../../../kernels/dense/column-major.js";
import { InvalidDataError, UnsupportedError } from "../../../model/errors.js";
import { type NumberArray, product, type StoredValues } from "../../../model/stored.js";
import { LongWork } from "../../../sources/event-loop.js";
import { type OnUnwritten, type ReadOptions, unwrittenLimit } from "../../../sources/source.js";
import { attributeMetadata } from "./attributes.js";
import type { MatlabContext } from "./context.js";
import { memoryArray, textArray } from "./memory-array.js";
import type { CharValue } from "./value.js";

/** Longer ones are read when they are asked for. */
const MAX_HELD = 2 ** 22;

/** @throws {InvalidDataError} where the characters are not stored as unsigned integers of at most 32 bits. */
export async function charValue(dataset: StoredArray, cx: MatlabContext): Promise<CharValue> {
  const described = describe(dataset);
  return lazyChars(dataset, described, cx) ?? charsOf(dataset, described, await unitsOf(dataset));
}

/** As `charValue`, where the characters are in memory already; else null. */
export function charsInMemory(dataset: StoredArray, cx: MatlabContext): CharValue | null {
  const { inMemory } = dataset.capabilities ?? {};
  if (inMemory === undefined) return null;
  const described = describe(dataset);
  return lazyChars(dataset, described, cx) ?? charsOf(dataset, described, fixed(inMemory()));
}

/** Of a dataset of characters, before these are read. */
interface Described extends Omit<CharValue, "column" | "texts"> {
  readonly bits: 8 | 16 | 32;
}

function describe(dataset: StoredArray): Described {
  const { type, path } = dataset;
  if (type.kind !== "int" || type.signed || type.bits === 64) {
    throw new InvalidDataError("class char, not stored as unsigned integers of at most 32 bits", { element: path });
  }
  const metadata = { ...attributeMetadata(dataset), ...unitMetadata(type.bits) };
  return { kind: "char", class: "char", size: [...(dataset.shape ?? [])].reverse(), metadata, bits: type.bits };
}

/** Characters that are too many to be read before they are asked for; else null. */
function lazyChars(dataset: StoredArray, { bits: _, ...base }: Described, cx: MatlabContext): CharValue | null {
  const count = product(base.size);
  if (count <= MAX_HELD && cx.limits.hold(count)) return null;
  return { ...base, column: { kind: "array", array: lazyTexts(dataset, base.size) }, texts: null };
}

function charsOf({ path }: StoredArray, { bits, ...base }: Described, units: NumberArray): CharValue {
  const { size } = base;
  const line = size[0] === 1 && size.length === 2 && units instanceof Uint16Array ? lineOf(units) : null;
  if (line !== null) return { ...base, column: { kind: "array", array: textArray(path, [line]) }, texts: [line] };
  const lines = rowsOfUnits(units, size);
  const texts = lines.map(textOf);
  const isText = (text: string | null): text is string => text !== null;
  const shape = rowShape(size);
  if (texts.every(isText)) return { ...base, column: { kind: "array", array: textArray(path, texts, shape) }, texts };
  return { ...base, column: unitLists(path, lines, bits), texts: null };
}

/** No characters: `size` says how many texts of none there are. @throws {InvalidDataError} for too many. */
export function emptyChars(path: string, size: readonly number[], metadata: CharValue["metadata"]): CharValue {
  const shape = rowShape(size);
  const count = product(shape);
  if (count > MAX_HELD) throw new InvalidDataError(`${count} texts without characters`, { element: path });
  const texts = Array.from({ length: count }, () => "");
  return {
    kind: "char",
    class: "char",
    size,
    metadata,
    column: { kind: "array", array: textArray(path, texts, shape) },
    texts,
  };
}

/** How characters are stored, where not as MATLAB does. */
function unitMetadata(bits: number): Readonly<Record<string, unknown>> {
  return bits === 16 ? {} : { units: `uint${bits}` };
}

/** Texts run along the second dimension. */
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

/** The code units of each row: first dimension first, then those beyond the second. */
function rowsOfUnits(units: NumberArray, size: readonly number[]): Uint32Array[] {
  const [rows, width] = size.length < 2 ? [1, product(size)] : size;
  const beyond = size.slice(2);
  const pages = product(beyond);
  const lines: Uint32Array[] = [];
  for (let row = 0; row < rows; row++) {
    for (let page = 0; page < pages; page++) {
      const line = new Uint32Array(width);
      // Pages in the order of their indices, the first of them slowest, as the rows of lists are.
      let at = row + rows * width * columnMajor(page, beyond);
      for (let i = 0; i < width; i++, at += rows) line[i] = Number(units[at]);
      lines.push(line);
    }
  }
  return lines;
}

const PART = 8192;

/** A short text at once; null where it is long, or no well-formed text. */
function lineOf(units: Uint16Array): string | null {
  if (units.length > PART) return null;
  const text = String.fromCharCode(...units);
  return isWellFormed(text) ? text : null;
}

/** null where the units are no well-formed text. */
export function textOf(units: ArrayLike<number> & Iterable<number>): string | null {
  if (units instanceof Uint16Array && units.length > PART) return decodedText(units);
  let text = "";
  for (let at = 0; at < units.length; at += PART) {
    const part: number[] = [];
    for (let i = at; i < Math.min(units.length, at + PART); i++) {
      if (units[i] > 0x10ffff) return null;
      part.push(units[i]);
    }
    // Halves of a pair become one character where they meet.
    text += String.fromCodePoint(...part);
  }
  return isWellFormed(text) ? text : null;
}

/** A long text, by the platform's decoder, which refuses halves of surrogate pairs. */
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

/** Lists of code units, for what is no text. */
function unitLists(path: string, lines: readonly Uint32Array[], bits: 8 | 16 | 32): ColumnPlan {
  const offsets = new BigInt64Array(lines.length + 1);
  for (const [i, line] of lines.entries()) offsets[i + 1] = offsets[i] + BigInt(line.length);
  const total = Number(offsets[lines.length]);
  const units = bits === 32 ? new Uint32Array(total) : new Uint16Array(total);
  for (const [i, line] of lines.entries()) units.set(line, Number(offsets[i]));
  const type = { kind: "int", bits: bits === 32 ? 32 : 16, signed: false } as const;
  return listPlan(
    lines.length,
    memoryArray(`${path}/offsets`, OFFSETS, [offsets.length], { kind: "fixed", values: offsets }),
    memoryArray(path, type, [total], { kind: "fixed", values: units }),
  );
}

const OFFSETS = { kind: "int", bits: 64, signed: true } as const;

/** Lists of the values of `content`; `offsets` has one more than there are lists. */
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

/** Code units that are read at once: rows are spread over all of a dataset, so that many cost little more than one. */
const UNITS_AT_ONCE = 2 ** 21;

/** A code unit takes so much on its way: as it is stored, turned, as text, and in UTF-8. */
const UNIT_BYTES = 16;

/** Texts that are decoded when they are read. */
function lazyTexts(dataset: StoredArray, size: readonly number[]): StoredArray {
  const { path, id } = dataset;
  const shape = rowShape(size);
  const per = product(shape.slice(1));
  const width = size.length < 2 ? product(size) : size[1];
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
          // The values of one row in row-major order: each text's units are `per` apart.
          for (let page = 0; page < per; page++) {
            const text = textOf(unitsApart(units, first + page, width, per));
            if (text === null)
              throw new InvalidDataError(`text ${row} has halves of surrogate pairs`, { element: path });
            texts.push(text);
          }
        }
        await work.pause();
      }
      return storedTexts(texts);
    },
  };
}

/** Bytes of one text that may be stored nowhere: it takes many times as much memory before it is known to say nothing. */
const MOST_UNWRITTEN = 2 ** 24;

/** The caller's own limit, and that of one piece of a dataset. */
function limitedText(element: string, options: ReadOptions | undefined): OnUnwritten {
  const problem = `more than ${MOST_UNWRITTEN} bytes of a text are stored nowhere in the file`;
  const limit = unwrittenLimit(MOST_UNWRITTEN, () => new UnsupportedError(problem, { element }));
  return (bytes) => {
    options?.onUnwritten?.(bytes);
    limit(bytes);
  };
}

/** `count` units from the one at `first`, each `step` behind the one before. */
function unitsApart(units: NumberArray, first: number, count: number, step: number): Uint16Array | Uint32Array {
  if (step === 1 && units instanceof Uint16Array) return units.subarray(first, first + count);
  const apart = new Uint32Array(count);
  for (let i = 0, at = first; i < count; i++, at += step) apart[i] = Number(units[at]);
  return apart;
}
