/** Selects the R vector type for a column. */

import { InvalidInputError } from "annarrow";
import type { Column } from "annarrow/core/arrow";
import {
  type ArrowField,
  type DictionaryType,
  decodeTextValues,
  describeArrowType,
  type TimestampUnit,
  toWrittenForm,
} from "annarrow/core/arrow";
import { isBitSet } from "annarrow/core/kernels";
import { UnsupportedElementError } from "annarrow/core/model";
import type { ColumnSink } from "annarrow/core/writers";
import { NA_INTEGER, type RValue } from "../../containers/rds/model/value.js";
import type { Section } from "../../containers/rds/write/spooled.js";
import { toNumberArray } from "../r-values.js";
import { createCharacterVector, createClassAttribute, type RWriterContext } from "./context.js";
import { createTextSink } from "./text.js";
import { createComplexSink, createLogicalSink, createRealSink, IntegerSink, refuseType } from "./vector.js";

// Categoricals as R's factors.

/** Writes a factor. Its levels are text, whatever the type of the categories. */
class FactorSink implements ColumnSink<RValue> {
  readonly #cx: RWriterContext;
  readonly #type: DictionaryType;
  readonly #section: Section;
  #dictionary: Column | null = null;
  #levels: Levels = { names: [], codes: new Int32Array() };
  #length = 0;

  constructor(cx: RWriterContext, type: DictionaryType) {
    this.#cx = cx;
    this.#type = type;
    this.#section = cx.document.section(4);
  }

  async write(column: Column): Promise<void> {
    if (column.layout !== "dictionary") throw new TypeError("categories expected");
    if (this.#dictionary !== column.dictionary) {
      const levels = levelsOf(column.dictionary);
      if (this.#dictionary !== null && !isSame(levels, this.#levels)) {
        throw new InvalidInputError("batches with other categories: all of a column have the same");
      }
      this.#dictionary = column.dictionary;
      this.#levels = levels;
    }
    const { codes } = this.#levels;
    const { indices, validity, length } = column;
    const values = new Int32Array(length);
    for (let i = 0; i < length; i++) {
      if (validity !== null && !isBitSet(validity.bitmap, i)) values[i] = NA_INTEGER;
      else {
        const code = codes[Number(indices[i])];
        if (code === undefined) throw new InvalidInputError(`code ${indices[i]} of ${codes.length} categories`);
        values[i] = code;
      }
    }
    this.#length += length;
    await this.#section.add(values);
  }

  async close(): Promise<RValue> {
    const attributes = new Map<string, RValue>([
      ["levels", createCharacterVector(this.#levels.names)],
      createClassAttribute(...(this.#type.ordered ? ["ordered", "factor"] : ["factor"])),
    ]);
    return this.#cx.document.vector("integer", this.#length, [this.#section], attributes);
  }
}

interface Levels {
  readonly names: readonly string[];
  /** R's code for each category; NA for a null category. */
  readonly codes: Int32Array;
}

function isSame(a: Levels, b: Levels): boolean {
  return a.names.length === b.names.length && a.names.every((name, i) => name === b.names[i]);
}

function levelsOf(dictionary: Column): Levels {
  const texts = toCategoryTexts(dictionary);
  const names: string[] = [];
  const codes = Int32Array.from(texts, (text) => (text === null ? NA_INTEGER : names.push(text)));
  if (new Set(names).size < names.length)
    throw new UnsupportedElementError("two equal categories: the levels of a factor differ");
  return { names, codes };
}

/** Returns the categories as text; null for a null category. */
function toCategoryTexts(dictionary: Column): readonly (string | null)[] {
  if (dictionary.layout === "variable" && dictionary.type.id === "Utf8") return decodeTextValues(dictionary);
  if (dictionary.layout === "null") return Array.from({ length: dictionary.length }, () => null);
  if (dictionary.layout !== "primitive" || !["Bool", "Int", "Float"].includes(dictionary.type.id)) {
    throw new UnsupportedElementError(
      `categories of ${describeArrowType(dictionary.type)}; the levels of a factor are text`,
    );
  }
  const { validity, type } = dictionary;
  const isBool = type.id === "Bool";
  const values = toNumberArray(dictionary);
  return Array.from({ length: values.length }, (_, i) => {
    if (validity !== null && !isBitSet(validity.bitmap, i)) return null;
    return isBool ? (Number(values[i]) === 1 ? "TRUE" : "FALSE") : String(values[i]);
  });
}

/** @throws {UnsupportedElementError} for a type for which R has no vector. */
export function createVectorSink(cx: RWriterContext, field: ArrowField): ColumnSink<RValue> {
  const { type } = field;
  switch (type.id) {
    case "Null":
    case "Bool":
      return createLogicalSink(cx);
    case "Int":
      return new IntegerSink(cx, type.bits < 32);
    case "Float":
      return createRealSink(cx);
    case "Utf8":
      return createTextSink(cx);
    case "Dictionary":
      return new FactorSink(cx, type);
    case "Date32":
    case "Timestamp":
    case "Duration":
      return createTimeSink(cx, field) ?? refuseType(field);
    case "Struct":
      if (toWrittenForm(field).type.kind === "complex") return createComplexSink(cx);
      return refuseType(field);
    case "Binary":
    case "FixedSizeBinary":
    case "List":
    case "FixedSizeList":
    case "DenseUnion":
      return refuseType(field);
    default:
      return type satisfies never;
  }
}

// Times become R's dates, points in time and durations, all of which are doubles.

const PER_SECOND: Readonly<Record<TimestampUnit, bigint>> = { s: 1n, ms: 1000n, us: 1_000_000n, ns: 1_000_000_000n };
const MICROSECONDS = 1_000_000n;
const SECONDS_PER_DAY = 86_400n;

/** Returns the sink for a column of times; null for other columns. */
function createTimeSink(cx: RWriterContext, { type, metadata }: ArrowField): ColumnSink<RValue> | null {
  if (type.id === "Duration") {
    const attributes = new Map([createClassAttribute("difftime"), ["units", createCharacterVector(["secs"])]]);
    return createRealSink(cx, (column) => secondsOf(column, PER_SECOND[type.unit]), attributes);
  }
  if (type.id === "Date32") return createRealSink(cx, undefined, new Map([createClassAttribute("Date")]));
  if (type.id !== "Timestamp") return null;
  if (metadata?.unit === "D" && type.timezone === undefined) {
    return createRealSink(
      cx,
      (column) => daysOf(column, PER_SECOND[type.unit]),
      new Map([createClassAttribute("Date")]),
    );
  }
  const attributes = new Map([
    createClassAttribute("POSIXct", "POSIXt"),
    // A time without a zone is shown as it is stored, and not converted to the session's zone.
    ["tzone", createCharacterVector([type.timezone ?? "UTC"])],
  ]);
  return createRealSink(cx, (column) => secondsOf(column, PER_SECOND[type.unit]), attributes);
}

/**
 * Converts times to seconds.
 * @throws {UnsupportedElementError} for a time that is not in whole microseconds, or that a double cannot represent
 * exactly.
 */
function secondsOf(column: Column, perSecond: bigint): Float64Array {
  return converted(column, (ticks) => {
    const seconds = Number(ticks / perSecond) + Number(ticks % perSecond) / Number(perSecond);
    const micros = (ticks * MICROSECONDS) / perSecond;
    const isWhole = (ticks * MICROSECONDS) % perSecond === 0n;
    if (isWhole && BigInt(Math.round(seconds * Number(MICROSECONDS))) === micros) return seconds;
    throw new UnsupportedElementError(
      `a time of ${ticks} / ${perSecond} s, which R's seconds as doubles do not hold: round it to microseconds`,
    );
  });
}

function daysOf(column: Column, perSecond: bigint): Float64Array {
  return converted(column, (ticks) => {
    const day = perSecond * SECONDS_PER_DAY;
    if (ticks % day !== 0n)
      throw new UnsupportedElementError(`a date with a time of the day (${ticks} / ${perSecond} s)`);
    return Number(ticks / day);
  });
}

function converted(column: Column, convert: (ticks: bigint) => number): Float64Array {
  if (column.layout !== "primitive" || !(column.values instanceof BigInt64Array)) throw new TypeError("times expected");
  const { values, validity, length } = column;
  const out = new Float64Array(length);
  for (let i = 0; i < length; i++) {
    if (validity === null || isBitSet(validity.bitmap, i)) out[i] = convert(values[i]);
  }
  return out;
}
