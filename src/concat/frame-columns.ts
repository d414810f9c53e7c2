/**
 * Plans the columns of concatenated dataframes: the type of each column, and how each dataframe's values are converted.
 */

import { type Column, emptyColumn } from "../arrow/column.js";
import { takeColumn } from "../arrow/take.js";
import { type ArrowField, type ArrowType, describeArrowType, UTF8 } from "../arrow/type.js";
import { decodeDictionary } from "../arrow/written-values.js";
import { InvalidInputError, isAnnarrowError } from "../model/errors.js";
import { castNumbers, createFilledColumn, type Rounding } from "./cast-numbers.js";
import { type CategoryUnion, indexTypeFor, Recoder, type UnitedCategories } from "./categories.js";
import { FLOAT64, getCommonNumericType, isNumericType, type NumericType } from "./common-type.js";
import type { Join } from "./joined-names.js";

/** How to handle integers if a dataframe does not have their column. */
export type MissingIntegers = "null" | "float";

/** Rules for combining columns of different types. */
export interface ColumnRules extends Rounding {
  readonly missingIntegers: MissingIntegers;
  /**
   * True if booleans mixed with numbers become numbers. False for `union`, because no reader combines separate files of
   * both types.
   */
  readonly mayMixBooleans: boolean;
}

/** The fields of one column in the dataframes that have it. */
export interface ColumnFields {
  readonly name: string;
  readonly fields: readonly { readonly source: string; readonly field: ArrowField }[];
  /** True if at least one dataframe has no such column. */
  readonly isMissing: boolean;
}

/** Converts the values of one dataframe to a column of the result. */
export interface ColumnConversion {
  changed(column: Column): Column;
  /** Returns the values for `length` rows of a dataframe without the column. */
  missing(length: number): Column;
}

export interface PlannedColumn extends ColumnConversion {
  readonly field: ArrowField;
  /** Describes the conversion, for a warning; null if the column stays unchanged. */
  readonly note: string | null;
}

/** A dataframe's columns by name, without its index. */
export interface NamedColumns {
  readonly source: string;
  readonly columns: Iterable<readonly [name: string, column: { readonly field: ArrowField }]>;
}

/** Returns the columns that all dataframes have (for an outer join, that any dataframe has), in dataframe order. */
export function joinColumnFields(frames: readonly NamedColumns[], join: Join): readonly ColumnFields[] {
  const all = new Map<string, ColumnFields["fields"][number][]>();
  for (const { source, columns } of frames) {
    for (const [name, { field }] of columns) {
      const known = all.get(name);
      if (known === undefined) all.set(name, [{ source, field }]);
      else known.push({ source, field });
    }
  }
  const joined = Array.from(all, ([name, fields]) => ({ name, fields, isMissing: fields.length < frames.length }));
  return join === "outer" ? joined : joined.filter(({ isMissing }) => !isMissing);
}

/**
 * Plans a column.
 * @param categories the categories of all dataframes, for a column that is categorical in all of them.
 * @throws {InvalidInputError} for types without a common type; the message names the first two and their datasets. With
 * `lossy`, booleans mixed with other numbers become 0 and 1.
 */
export function planColumn(column: ColumnFields, categories: CategoryUnion | null, rules: ColumnRules): PlannedColumn {
  const { name, fields, isMissing } = column;
  if (categories !== null) return categoricalColumn(column, united(categories, column, rules.element), rules);
  const types = fields.map(({ field }) => (field.type.id === "Dictionary" ? field.type.value : field.type));
  const numbers = types.filter(isNumericType);
  const isNumbers = numbers.length === types.length;
  if (isNumbers && areTogether(column, numbers, rules)) {
    return numberColumn(column, getCommonNumericType(numbers), rules);
  }
  const [first] = types;
  const other = types.findIndex((type) => describeArrowType(type) !== describeArrowType(first));
  if (other >= 0) throw differing(column, [0, other], isNumbers, rules);
  if (isNumbers) throw new TypeError("one type of numbers has a common type");
  const metadata = sharedMetadata(fields.map(({ field }) => field));
  const isDecoded = fields.some(({ field }) => field.type.id === "Dictionary");
  const nullable = isMissing || isDecoded || fields.some(({ field }) => field.nullable);
  const field = { name, type: first, nullable, metadata };
  return {
    field,
    changed: plainValues,
    missing: (length) => createNullColumn(first, length),
    note: isDecoded
      ? "becomes its values: not all datasets have it as categories that fit together"
      : filledNote(isMissing),
  };
}

/**
 * True if numpy has a common type for the numbers and booleans. pandas converts booleans mixed with integers to
 * integers. If they are mixed with floats or missing values, it makes Python objects, which no file can store.
 */
function areTogether(
  { fields, isMissing }: ColumnFields,
  numbers: readonly NumericType[],
  { mayMixBooleans, lossy }: ColumnRules,
): boolean {
  const bools = numbers.filter(({ id }) => id === "Bool").length;
  if (bools === 0 || bools === numbers.length) return true;
  if (!mayMixBooleans || lossy) return lossy;
  const isPlain = fields.every(({ field }) => field.type.id !== "Dictionary" && !isNullableKind(field));
  return isPlain && !isMissing && numbers.every(({ id }) => id !== "Float");
}

function united(categories: CategoryUnion, { name }: ColumnFields, element: string): UnitedCategories {
  try {
    return categories.united();
  } catch (error) {
    throw isAnnarrowError(error)
      ? new InvalidInputError(`column ${JSON.stringify(name)}: ${error.problem}`, { element })
      : error;
  }
}

function categoricalColumn(
  { name, fields, isMissing }: ColumnFields,
  all: UnitedCategories,
  rules: ColumnRules,
): PlannedColumn {
  const { dictionary, value, ordered } = all;
  if (dictionary === null) {
    return {
      field: { name, type: value, nullable: true },
      changed(column) {
        if (column.layout === "dictionary" && column.dictionary.length === 0)
          return createNullColumn(value, column.length);
        const own = plainValues(column);
        return isNumericType(value) ? castNumbers(own, value, rules) : own;
      },
      missing: (length) => createNullColumn(value, length),
      note: `becomes ${describeArrowType(value)}: it has ordered categories that differ`,
    };
  }
  const type: ArrowType = { id: "Dictionary", index: indexTypeFor(dictionary.length), value, ordered };
  const recoder = new Recoder(all);
  const nullable = isMissing || fields.some(({ field }) => field.nullable);
  return {
    field: { name, type, nullable, metadata: { kind: "categorical" } },
    changed(column) {
      if (column.layout !== "dictionary") throw new TypeError("a dictionary column expected");
      return recoder.recoded(column);
    },
    missing: (length) => recoder.column(new Int32Array(length).fill(-1)),
    note: filledNote(isMissing),
  };
}

function numberColumn(
  { name, fields, isMissing }: ColumnFields,
  common: NumericType,
  rules: ColumnRules,
): PlannedColumn {
  const isDecoded = fields.some(({ field }) => field.type.id === "Dictionary");
  const isNullable = fields.some(({ field }) => isNullableKind(field));
  const becomesFloat = isMissing && !isNullable && common.id === "Int" && rules.missingIntegers === "float";
  const type = becomesFloat ? FLOAT64 : common;
  // Missing floats become NaN; missing integers and booleans become null.
  const withNulls = isNullable || isDecoded || (isMissing && type.id !== "Float");
  const from = [...new Set(fields.map(({ field }) => describeArrowType(field.type)))];
  const kind = !withNulls ? "array" : type.id === "Bool" ? "nullable-boolean" : "nullable-integer";
  const at = { ...rules, element: `${rules.element}/${name}` };
  const isChanged = from.length > 1 || becomesFloat;
  return {
    field: { name, type, nullable: withNulls, metadata: type.id === "Float" && withNulls ? undefined : { kind } },
    changed: (column) => castNumbers(plainValues(column), type, at),
    missing: (length) =>
      withNulls ? createNullColumn(type, length) : createFilledColumn(length, { type, fill: Number.NaN }),
    note: isChanged ? `becomes ${describeArrowType(type)}, from ${from.join(" and ")}` : filledNote(isMissing),
  };
}

function isNullableKind({ metadata, nullable, type }: ArrowField): boolean {
  const kind = metadata?.kind;
  if (typeof kind === "string") return kind.startsWith("nullable-");
  return nullable && type.id !== "Dictionary";
}

function filledNote(isMissing: boolean): string | null {
  return isMissing ? "is missing in some datasets, whose rows have no value" : null;
}

function plainValues(column: Column): Column {
  return column.layout === "dictionary" ? decodeDictionary(column) : column;
}

/** Returns a column of `length` nulls. */
export function createNullColumn(type: ArrowType, length: number): Column {
  return takeColumn(emptyColumn(type), new Int32Array(length).fill(-1));
}

/**
 * Returns the metadata of a non-numeric column: nullable text if any field is nullable text, otherwise the metadata
 * common to all fields.
 */
function sharedMetadata(fields: readonly ArrowField[]): ArrowField["metadata"] {
  const plain = fields.filter(({ type }) => type.id !== "Dictionary");
  if (plain.every(({ type }) => type.id === UTF8.id)) {
    return plain.find(({ metadata }) => metadata?.kind === "nullable-string-array")?.metadata;
  }
  const texts = new Set(plain.map(({ metadata }) => JSON.stringify(metadata)));
  return texts.size === 1 ? plain[0].metadata : undefined;
}

function differing(
  { name, fields }: ColumnFields,
  [one, other]: readonly [number, number],
  isNumbers: boolean,
  { element, mayMixBooleans }: ColumnRules,
): InvalidInputError {
  const [a, b] = [fields[one], fields[other]];
  const result = isNumbers ? "have booleans as 0 and 1" : "leave it out";
  const remedy = mayMixBooleans ? `allow losses (--lossy) to ${result}` : "leave it out";
  return new InvalidInputError(
    `column ${JSON.stringify(name)} is ${describeArrowType(b.field.type)}, in ${a.source} ${describeArrowType(a.field.type)}, which have no type together: cast it, or ${remedy}`,
    { source: b.source, element },
  );
}
