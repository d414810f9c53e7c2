/** Converts a column to the values of one array in Loom, which contains numbers, ENUMs, text, or compounds of these. */

import type { Column } from "../../arrow/column.js";
import { toIsoTextColumn } from "../../arrow/iso-time.js";
import { cutTextsAtNul } from "../../arrow/text.js";
import { type ArrowField, type ArrowType, describeArrowType, UTF8 } from "../../arrow/type.js";
import { toWrittenForm, type WrittenType } from "../../arrow/written-type.js";
import { decodeDictionary, toStoredValues } from "../../arrow/written-values.js";
import { encodeReferences } from "../../kernels/text/encode-references.js";
import { UnsupportedElementError, UnsupportedError } from "../../model/errors.js";
import type { StoredType, StoredValues, TextStorage, VariableValues } from "../../model/stored.js";
import { reportLoss } from "../context.js";
import type { LoomWriterContext } from "./context.js";
import {
  countUnstorableMissing,
  createAsciiStorage,
  fillMissingWithMinusOne,
  flattenFixedLists,
  UINT8,
  VARIABLE_TEXT,
  withMinusOne,
} from "./stored-types.js";

export class ColumnEncoding {
  /** Whether all values must be scanned (`survey`) before the first one is written. */
  readonly needsSurvey: boolean;
  readonly #element: string;
  readonly #cx: LoomWriterContext;
  readonly #prepared: Prepared;
  /** Type of the input values, with variable-length text throughout, and the shape of a row. */
  readonly #taken: WrittenType;
  /** For each text in the type, its original storage in the file from which the column was read. */
  readonly #storages: readonly TextStorage[];
  /**
   * Whether each text in the type has a fixed width. In 2.0.1 every text has a fixed width, except in compounds, for
   * which 2.0.1 has no rule. There, texts keep their width.
   */
  readonly #isFixed: readonly boolean[];
  /** For each text in the type, the maximum width in bytes. */
  readonly #widths: number[];
  #missing = 0;
  #rows = 0;
  #fillsMinusOne = false;
  #nulWithin = false;
  #nulNoted = false;
  #stored: StoredType;

  /**
   * @throws {UnsupportedError} for a type that Loom cannot represent.
   * @throws {InvalidInputError} for times, unless losses are allowed.
   */
  constructor(field: ArrowField, element: string, cx: LoomWriterContext) {
    this.#element = element;
    this.#cx = cx;
    this.#prepared = prepared(field, element, cx);
    const { type, shape } = toWrittenForm(this.#prepared.field);
    this.#storages = listTextStorages(type);
    this.#widths = this.#storages.map(() => 0);
    const isOld = cx.version === "2.0.1";
    this.#isFixed = this.#storages.map(({ form }) => isOld && (type.kind !== "record" || form === "fixed"));
    const taken = withTextStorages(
      type,
      this.#storages.map(() => VARIABLE_TEXT),
    );
    this.#taken = { type: taken, shape };
    this.#stored = this.#prepared.asNumbers ? UINT8 : taken;
    this.needsSurvey = mayBeMissing(field) || this.#isFixed.includes(true);
  }

  /** Collects the number of missing values and the text widths before the values are written. */
  survey(column: Column): void {
    const own = this.#flat(column);
    this.#rows += own.length;
    this.#missing += countUnstorableMissing(this.#taken.type, own);
    if (!this.#isFixed.includes(true)) return;
    this.#texts(toStoredValues({ type: this.#taken.type, shape: [] }, own, "fill"), ({ offsets }, text) => {
      let width = this.#widths[text];
      for (let i = 0; i + 1 < offsets.length; i++) width = Math.max(width, offsets[i + 1] - offsets[i]);
      this.#widths[text] = width;
    });
  }

  /**
   * Returns the stored type. If all values must be scanned, this is called after the scan.
   * @throws {InvalidInputError} for missing values, unless losses are allowed.
   */
  decide(): WrittenType {
    if (this.#missing > 0) this.#fill();
    if (this.#isFixed.includes(true)) {
      const storages = this.#storages.map((storage, i) =>
        this.#isFixed[i] ? asciiStorage(this.#nulWithin ? VARIABLE_TEXT : storage, this.#widths[i]) : VARIABLE_TEXT,
      );
      this.#stored = withTextStorages(this.#stored, storages);
    }
    return { type: this.#stored, shape: this.#taken.shape };
  }

  /**
   * Returns a column's values. The rows of lists are concatenated.
   * @throws {InvalidInputError} for text with a NUL, unless losses are allowed.
   */
  values(column: Column): StoredValues {
    const own = this.#flat(column);
    const rule = this.#missing > 0 ? "fill" : "error";
    const stored = toStoredValues({ type: this.#taken.type, shape: [] }, own, rule);
    if (this.#fillsMinusOne && stored.kind === "fixed") {
      return { kind: "fixed", values: fillMissingWithMinusOne(stored.values, own, this.#stored) };
    }
    return this.#texts(stored);
  }

  #flat(column: Column): Column {
    return this.#prepared.change(flattenFixedLists(column));
  }

  #texts(values: StoredValues, see?: (values: VariableValues, text: number) => void): StoredValues {
    if (this.#widths.length === 0) return values;
    return mapStoredTexts(this.#taken.type, values, (texts, i) => {
      const isFixed = this.#isFixed[i];
      const whole = isFixed ? this.#withoutEnd(texts) : this.#withoutNul(texts);
      const written = isFixed ? encodeReferences(whole) : whole;
      see?.(written, i);
      return written;
    });
  }

  #withoutNul(texts: VariableValues): VariableValues {
    if (!hasNul(texts)) return texts;
    this.#cut("text with a NUL, at which text ends in HDF5", "take the NULs out, or write 2.0.1");
    return cutTextsAtNul(texts);
  }

  /**
   * Cuts off NULs at the end of texts. Fixed-width text is padded with NULs, so a text's own final NULs would be lost.
   */
  #withoutEnd(texts: VariableValues): VariableValues {
    const { offsets, bytes } = texts;
    if (!hasNul(texts)) return texts;
    this.#nulWithin = true;
    for (let i = 0; i + 1 < offsets.length; i++) {
      if (offsets[i + 1] === offsets[i] || bytes[offsets[i + 1] - 1] !== 0) continue;
      this.#cut("text that ends in a NUL, which fixed text is padded with", "take the NULs out");
      return cutTextsAtNul(texts);
    }
    return texts;
  }

  #cut(problem: string, remedy: string): void {
    if (!this.#nulNoted)
      reportLoss(this.#cx, this.#element, { problem, instead: "it is written up to the first one", remedy });
    this.#nulNoted = true;
  }

  #fill(): void {
    const { type } = this.#taken;
    const problem = `${this.#missing} of ${this.#rows} values are missing, for which Loom has no form`;
    const remedy = "put values in their place";
    if (type.kind === "int" || type.kind === "bool") {
      const wide = withMinusOne(type);
      if (wide === null) {
        throw new UnsupportedElementError(`${problem}, nor is there one for -1 beside Uint64: ${remedy}`, {
          element: this.#element,
        });
      }
      const instead =
        wide === type ? "they are written as -1" : `they are written as -1, all values as ${nameOf(wide)}`;
      reportLoss(this.#cx, this.#element, { problem, instead, remedy });
      this.#fillsMinusOne = true;
      this.#stored = wide;
      return;
    }
    const filler = type.kind === "float" ? "NaN" : type.kind === "text" ? "empty text" : "what is empty, NaN or zero";
    reportLoss(this.#cx, this.#element, { problem, instead: `they are written as ${filler}`, remedy });
  }
}

interface Prepared {
  /** Field that is written instead of the given one. */
  readonly field: ArrowField;
  /** Converts the given column, without its fixed-size lists, to the type of `field`. */
  readonly change: (column: Column) => Column;
  /** Whether booleans are written as 0 and 1. */
  readonly asNumbers: boolean;
}

/** Whether the metadata comes from the Loom reader. If so, the element is written back in its original form. */
export function isFromLoom(metadata: Readonly<Record<string, unknown>> | null | undefined): boolean {
  return typeof metadata?.kind === "string" && metadata.encoding === undefined;
}

function prepared(given: ArrowField, element: string, cx: LoomWriterContext): Prepared {
  const inner = innerType(given.type);
  const own = isFromLoom(given.metadata);
  switch (inner.id) {
    case "Bool":
      if (own) return unchanged(given);
      cx.notes.add("booleans", element);
      return { ...unchanged(plain(given)), asNumbers: true };
    case "Int":
    case "Float":
    case "Utf8":
    case "FixedSizeBinary":
      return unchanged(given);
    case "Date32":
    case "Timestamp":
    case "Duration":
      reportLoss(cx, element, {
        problem: `Loom has no ${describeArrowType(inner)}`,
        instead: "it is written as ISO 8601 text",
        remedy: "cast it to text, or to a number",
      });
      return {
        field: { ...plain(given), type: withInner(given.type, UTF8) },
        change: toIsoTextColumn,
        asNumbers: false,
      };
    case "Dictionary": {
      if (own && given.metadata !== undefined && "members" in given.metadata) return unchanged(given);
      cx.notes.add("categories", element);
      const field = { ...plain(given), type: withInner(given.type, inner.value) };
      const value = prepared(field, element, cx);
      return { ...value, change: (column) => value.change(decoded(column)) };
    }
    case "Struct":
      checkRecord(toWrittenForm(given).type, inner, element);
      return unchanged(given);
    case "Null":
    case "Binary":
    case "List":
    case "DenseUnion":
      throw refused(inner, element);
    case "FixedSizeList":
      throw new TypeError("lists of fixed size have an inner type");
    default:
      return inner satisfies never;
  }
}

function unchanged(field: ArrowField): Prepared {
  return { field, change: (column) => column, asNumbers: false };
}

/** Returns the field without storage metadata. */
function plain({ name, type, nullable }: ArrowField): ArrowField {
  return { name, type, nullable };
}

function decoded(column: Column): Column {
  return column.layout === "dictionary" ? decodeDictionary(column) : column;
}

function innerType(type: ArrowType): ArrowType {
  return type.id === "FixedSizeList" ? innerType(type.item.type) : type;
}

function withInner(type: ArrowType, inner: ArrowType): ArrowType {
  if (type.id !== "FixedSizeList") return inner;
  return { ...type, item: { ...type.item, type: withInner(type.item.type, inner) } };
}

function mayBeMissing({ nullable, type }: ArrowField): boolean {
  if (nullable) return true;
  if (type.id === "FixedSizeList") return mayBeMissing(type.item);
  return type.id === "Struct" ? type.fields.some(mayBeMissing) : type.id === "Dictionary";
}

/**
 * Checks the fields of a record.
 * @throws {UnsupportedError} if a field contains values that HDF5 compounds do not support.
 */
function checkRecord(type: StoredType, whole: ArrowType, element: string): void {
  if (type.kind === "record") for (const field of type.fields) checkRecord(field.type, whole, element);
  const isHeld =
    type.kind !== "datetime" && type.kind !== "timedelta" && !(type.kind === "bytes" && type.width === null);
  if (!isHeld) throw refused(whole, element);
}

function refused(type: ArrowType, element: string): UnsupportedError {
  return new UnsupportedError(
    `values of type ${describeArrowType(type)}; Loom holds numbers and text: cast them, split them into columns, or leave them out`,
    { element },
  );
}

function hasNul({ offsets, bytes }: VariableValues): boolean {
  return bytes.subarray(0, offsets[offsets.length - 1]).indexOf(0, offsets[0]) >= 0;
}

/** Returns a text's original storage if the texts fit into it; otherwise ASCII with the maximum width. */
function asciiStorage(storage: TextStorage, width: number): TextStorage {
  const isFixed = storage.form === "fixed" && storage.encoding === "ascii" && storage.padding !== "spacepad";
  return isFixed && storage.width >= width && storage.width > 0 ? storage : createAsciiStorage(width);
}

function nameOf(type: StoredType): string {
  return type.kind === "int" ? `${type.signed ? "int" : "uint"}${type.bits}` : type.kind;
}

function listTextStorages(type: StoredType): readonly TextStorage[] {
  if (type.kind === "record") return type.fields.flatMap((field) => listTextStorages(field.type));
  return type.kind === "text" ? [type.storage] : [];
}

function withTextStorages(type: StoredType, storages: readonly TextStorage[]): StoredType {
  let next = 0;
  const changed = (one: StoredType): StoredType => {
    if (one.kind === "text") return { ...one, storage: storages[next++] };
    if (one.kind !== "record") return one;
    return { ...one, fields: one.fields.map((field) => ({ ...field, type: changed(field.type) })) };
  };
  return changed(type);
}

/** Changes each text in the values. `text` is the text's position in the type. */
function mapStoredTexts(
  type: StoredType,
  values: StoredValues,
  change: (values: VariableValues, text: number) => VariableValues,
): StoredValues {
  let next = 0;
  const changed = (one: StoredType, own: StoredValues): StoredValues => {
    if (one.kind === "text" && own.kind === "variable") return change(own, next++);
    if (one.kind !== "record" || own.kind !== "record") return own;
    return { ...own, fields: one.fields.map((field, i) => changed(field.type, own.fields[i])) };
  };
  return changed(type, values);
}
