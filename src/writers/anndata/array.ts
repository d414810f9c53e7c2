/** Writes the encodings `array`, `string-array`, `string`, `numeric-scalar`, `bytes`, and `null`. */

import type { Column } from "../../arrow/column.js";
import { upToNul } from "../../arrow/text.js";
import type { WrittenForm } from "../../arrow/written-type.js";
import { storedValues } from "../../arrow/written-values.js";
import type { ArrayWriter, GroupWriter, WrittenAttributes } from "../../containers/tree/container-writer.js";
import { located, RefusedError } from "../../model/errors.js";
import type { StoredType, StoredValues } from "../../model/stored.js";
import { type EncodingType, encodingAttributes } from "../attributes.js";
import { reportLoss } from "../context.js";
import type { AnnDataWriterContext, ColumnSink } from "./context.js";

/** Output location of an element: its group and name, and the context of the store. */
export interface ElementPlace {
  readonly cx: AnnDataWriterContext;
  readonly parent: GroupWriter;
  readonly name: string;
  /** True (default) if the container's compression applies. */
  readonly compressed?: boolean;
}

export interface SizedPlace extends ElementPlace {
  /** Number of rows; null if it is unknown before the last batch. */
  readonly rows: number | null;
}

export function pathOf({ parent, name }: Pick<ElementPlace, "parent" | "name">): string {
  return parent.path === "" ? name : `${parent.path}/${name}`;
}

export function openGroup(place: ElementPlace, attributes: WrittenAttributes): Promise<GroupWriter> {
  return located({ element: pathOf(place) }, () => place.parent.group(place.name, attributes));
}

export interface ArrayOptions {
  /** Encoding attributes; the arrays inside a sparse matrix have none. */
  readonly attributes?: WrittenAttributes;
  readonly extendable?: boolean;
}

/** Array writer that accepts its values as columns. */
export class ArraySink implements ColumnSink {
  readonly #array: ArrayWriter;
  readonly #form: WrittenForm;
  readonly #element: string;
  readonly #cx: AnnDataWriterContext;

  private constructor(place: ElementPlace, array: ArrayWriter, form: WrittenForm) {
    this.#array = array;
    this.#form = form;
    this.#element = pathOf(place);
    this.#cx = place.cx;
  }

  static async open(place: SizedPlace, form: WrittenForm, options: ArrayOptions): Promise<ArraySink> {
    const { type, shape } = form;
    const array = await located({ element: pathOf(place) }, () =>
      place.parent.array(place.name, { type, shape: [place.rows, ...shape], compressed: place.compressed, ...options }),
    );
    return new ArraySink(place, array, form);
  }

  async write(column: Column): Promise<void> {
    await located({ element: this.#element }, () =>
      this.writeValues(arrayValues(this.#form, column, this.#element, this.#cx), column.length),
    );
  }

  async writeValues(values: StoredValues, rows: number): Promise<void> {
    if (rows === 0) return;
    await located({ element: this.#element }, () =>
      this.#array.write(valuesForContainer(values, this.#form.type, this.#element, this.#cx), rows),
    );
  }

  close(): Promise<void> {
    return located({ element: this.#element }, () => this.#array.close());
  }
}

export function arrayEncoding(type: StoredType): EncodingType {
  return type.kind === "text" ? "string-array" : "array";
}

/** Returns the encoding of a separate array element. Fixed-width text keeps its original encoding. */
export function elementEncoding(type: StoredType): EncodingType {
  return type.kind === "text" && type.storage.form === "fixed" ? "array" : arrayEncoding(type);
}

/** Writes a single value of shape `[]`, or of shape `[1]` if it was stored so. */
export async function writeScalar(
  place: ElementPlace & { readonly asArray?: boolean },
  form: WrittenForm,
  encoding: EncodingType,
  column: Column,
): Promise<void> {
  const { cx } = place;
  const element = pathOf(place);
  if (column.length !== 1 || form.shape.length > 0) {
    throw new RefusedError(`${column.length} rows for a scalar, which is one value`, { element });
  }
  await located({ element }, async () => {
    const values = valuesForContainer(arrayValues(form, column, element, cx), form.type, element, cx);
    const attributes = encodingAttributes(encoding);
    const shape = place.asArray ? ([1] as const) : ([] as const);
    const array = await place.parent.array(place.name, { type: form.type, shape, attributes, compressed: false });
    await array.write(values, 1);
    await array.close();
  });
}

/** Writes a null: a null dataspace in HDF5, a single boolean `false` in Zarr. */
export async function writeNull({ cx, parent, name }: ElementPlace): Promise<void> {
  await located({ element: pathOf({ parent, name }) }, async () => {
    const attributes = encodingAttributes("null");
    if (cx.container === "hdf5") {
      await (await parent.array(name, { type: { kind: "float", bits: 32 }, shape: null, attributes })).close();
      return;
    }
    const array = await parent.array(name, { type: { kind: "bool" }, shape: [], attributes, compressed: false });
    await array.write({ kind: "fixed", values: Uint8Array.of(0) }, 1);
    await array.close();
  });
}

/**
 * Returns the values of a column; rows of fixed-size lists are concatenated.
 * @throws {InvalidInputError} for missing values, unless their type can represent them, or losses are allowed and
 * floats become NaN.
 */
export function arrayValues(
  form: WrittenForm,
  column: Column,
  element: string,
  cx: AnnDataWriterContext,
): StoredValues {
  if (form.type.kind !== "float" || !hasMissing(column)) return storedValues(form, column);
  reportLoss(cx, element, {
    problem: "missing values in floats, for which anndata has no form",
    instead: "they are written as NaN",
    remedy: "write NaN in their place",
  });
  return storedValues(form, column, "fill");
}

function hasMissing(column: Column): boolean {
  if (column.validity !== null && column.validity.nullCount > 0) return true;
  return column.layout === "fixed-size-list" && hasMissing(column.child);
}

/**
 * Converts values for the container: in HDF5, text of variable length ends at a NUL.
 * @throws {InvalidInputError} for text with a NUL, unless losses are allowed.
 */
export function valuesForContainer(
  values: StoredValues,
  type: StoredType,
  element: string,
  cx: AnnDataWriterContext,
): StoredValues {
  if (cx.container !== "hdf5" || type.kind !== "text" || type.storage.form === "fixed") return values;
  if (values.kind !== "variable" || values.bytes.indexOf(0) < 0) return values;
  reportLoss(cx, element, {
    problem: "text with a NUL, at which text ends in HDF5",
    instead: "it is written up to there",
    remedy: "take the NULs out, or write Zarr",
  });
  return upToNul(values);
}
