/** Finds common columns for the dataframes of many datasets, and converts a dataset's columns to the common types. */

import type { DictionaryColumn } from "annarrow/core/arrow";
import { type ArrowField, describeArrowType, INT32, UTF8 } from "annarrow/core/arrow";
import {
  type ColumnConversion,
  type ColumnFields,
  createNullColumn,
  joinColumnFields,
  planColumn,
} from "annarrow/core/concat";
import { makeDistinctNames } from "annarrow/core/kernels";
import { getOriginalName } from "annarrow/core/tables";
import { type FlatField, toFlatField } from "./json-types.js";

/** Columns of a dataset's dataframe, except its index. */
export interface FrameFields {
  readonly source: string;
  readonly fields: readonly ArrowField[];
  /** Categories of ordered categorical columns, by column name. */
  readonly categories: ReadonlyMap<string, readonly string[]>;
}

/** Rules for finding a column's common type. */
const RULES = { lossy: false, missingIntegers: "null", mayMixBooleans: false } as const;

interface United {
  readonly columns: readonly FlatField[];
  readonly notes: readonly string[];
}

/**
 * Unites columns by name, in order of first appearance. Categories remain categories if all datasets have them. Numeric
 * types are widened as in anndata.
 * @param element `obs` or `var`. In `var`, categories become text, because its files are written before later
 * categories are known.
 * @param taken reserved names, which the union uses for its own columns. A column with such a name gets a number as
 * suffix, and its original name is stored in its field's metadata.
 * @throws {InvalidInputError} for types that cannot be united; the message names the files, the column and both types.
 */
export function uniteColumns(frames: readonly FrameFields[], element: "obs" | "var", taken: readonly string[]): United {
  /** Original column names, keyed by their names in the union. */
  const given = new Map<string, string>();
  const named = frames.map(({ source, fields }) => ({
    source,
    columns: fields.map((field) => {
      const own = getOriginalName(field.name, field.metadata);
      if (own !== field.name) given.set(own, field.name);
      return [own, { field }] as const;
    }),
  }));
  const joined = joinColumnFields(named, "outer");
  const reserved = [...taken, ...given.values()];
  const free = makeDistinctNames([...reserved, ...joined.map(({ name }) => name)]).slice(reserved.length);
  const columns: FlatField[] = [];
  const notes: string[] = [];
  for (const [i, column] of joined.entries()) {
    const { name } = column;
    const shown = `${element}: column ${JSON.stringify(name)}`;
    const isTaken = reserved.some((one) => one.toLowerCase() === name.toLowerCase());
    const called = given.get(name) ?? (isTaken ? free[i] : name);
    const united = unitedColumn(column, frames, element);
    const { metadata, ...rest } = united.field;
    const flat = toFlatField(
      called === name ? united.field : { ...rest, name: called, metadata: { ...metadata, name } },
    );
    if (called !== name && flat !== null) {
      notes.push(`${shown} is ${JSON.stringify(called)} in the union, which has a column of this name`);
    }
    if (flat === null)
      notes.push(`${shown} is left out: it is ${describeArrowType(united.field.type)}, which is no flat type`);
    else columns.push(flat);
    if (flat !== null && united.note !== null) notes.push(`${shown} ${united.note}`);
  }
  return { columns, notes };
}

function unitedColumn(
  column: ColumnFields,
  frames: readonly FrameFields[],
  element: string,
): { readonly field: ArrowField; readonly note: string | null } {
  const { name, fields, isMissing } = column;
  const coded = fields.flatMap(({ field }) => (field.type.id === "Dictionary" ? [field.type] : []));
  if (coded.length < fields.length || coded.some(({ value }) => value.id !== "Utf8")) {
    return planColumn(column, null, { ...RULES, element });
  }
  if (element === "var") {
    return { field: { name, type: UTF8, nullable: true }, note: "has categories, which become text" };
  }
  const lists = frames.flatMap(({ categories }) => {
    const own = categories.get(name);
    return own === undefined ? [] : [JSON.stringify(own)];
  });
  const ordered = lists.length === fields.length && new Set(lists).size === 1;
  return {
    field: {
      name,
      type: { id: "Dictionary", index: INT32, value: UTF8, ordered },
      nullable: true,
      metadata: { kind: "categorical" },
    },
    note:
      coded.some((type) => type.ordered) && !ordered
        ? "has ordered categories that differ: their order is not kept"
        : isMissing
          ? "is missing in some datasets, whose rows have no value"
          : null,
  };
}

/**
 * Plans the conversion of one dataset's values to a column of the union.
 * @param own the dataset's column; null if it does not have the column.
 */
export function planConversion(united: FlatField, own: ArrowField | null): ColumnConversion {
  const { type, name, nullable } = united;
  if (type.id === "Dictionary") {
    return {
      changed(column) {
        if (column.layout !== "dictionary") throw new TypeError(`${name} has no categories`);
        return wideCodes(column, type);
      },
      missing: (length) => createNullColumn(type, length),
    };
  }
  // Missing floats are NaN, unless one of the datasets has nulls.
  const fields = (own === null ? [united] : [united, own]).map((field) => ({ source: "", field }));
  return planColumn({ name, fields, isMissing: nullable }, null, { ...RULES, element: name });
}

function wideCodes(column: DictionaryColumn, type: DictionaryColumn["type"]): DictionaryColumn {
  const { indices } = column;
  if (indices instanceof Int32Array) return { ...column, type };
  const wide = new Int32Array(indices.length);
  for (let i = 0; i < wide.length; i++) wide[i] = Number(indices[i]);
  return { ...column, type, indices: wide };
}
