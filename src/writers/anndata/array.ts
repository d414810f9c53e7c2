/** Writes the encodings `array`, `string-array`, `string`, `numeric-scalar`, `bytes`, and `null`. */

import type { Column } from "../../arrow/column.js";
import { cutTextsAtNul } from "../../arrow/text.js";
import type { WrittenType } from "../../arrow/written-type.js";
import type { ArrayWriter, GroupWriter, WrittenAttributes } from "../../containers/tree/container-writer.js";
import { runWithLocation, UnsupportedElementError } from "../../model/errors.js";
import type { StoredType, StoredValues } from "../../model/stored.js";
import { toArrayValues } from "../array-values.js";
import { createEncodingAttributes, type EncodingType } from "../attributes.js";
import type { ColumnSink } from "../column-sink.js";
import { reportLoss } from "../context.js";
import type { AnnDataWriterContext } from "./context.js";

/** Output location of an element: its group, its name, and the store's context. */
export interface ElementDestination {
  readonly cx: AnnDataWriterContext;
  readonly parent: GroupWriter;
  readonly name: string;
  /** Whether the container's compression applies; true by default. */
  readonly compressed?: boolean;
}

export interface SizedDestination extends ElementDestination {
  /** Number of rows; null if unknown before the last batch. */
  readonly rows: number | null;
}

export function getElementPath({ parent, name }: Pick<ElementDestination, "parent" | "name">): string {
  return parent.path === "" ? name : `${parent.path}/${name}`;
}

export function openGroup(place: ElementDestination, attributes: WrittenAttributes): Promise<GroupWriter> {
  return runWithLocation({ element: getElementPath(place) }, () => place.parent.group(place.name, attributes));
}

export interface ArrayOptions {
  /** Encoding attributes. The arrays in a sparse matrix have none. */
  readonly attributes?: WrittenAttributes;
  readonly extendable?: boolean;
}

/** Array writer that accepts its values as columns. */
export class ArraySink implements ColumnSink {
  readonly #array: ArrayWriter;
  readonly #form: WrittenType;
  readonly #element: string;
  readonly #cx: AnnDataWriterContext;

  private constructor(place: ElementDestination, array: ArrayWriter, form: WrittenType) {
    this.#array = array;
    this.#form = form;
    this.#element = getElementPath(place);
    this.#cx = place.cx;
  }

  static async open(place: SizedDestination, form: WrittenType, options: ArrayOptions): Promise<ArraySink> {
    const { type, shape } = form;
    const array = await runWithLocation({ element: getElementPath(place) }, () =>
      place.parent.array(place.name, { type, shape: [place.rows, ...shape], compressed: place.compressed, ...options }),
    );
    return new ArraySink(place, array, form);
  }

  async write(column: Column): Promise<void> {
    await runWithLocation({ element: this.#element }, () =>
      this.writeValues(toArrayValues(this.#form, column, this.#element, this.#cx), column.length),
    );
  }

  async writeValues(values: StoredValues, rows: number): Promise<void> {
    if (rows === 0) return;
    await runWithLocation({ element: this.#element }, () =>
      this.#array.write(toContainerValues(values, this.#form.type, this.#element, this.#cx), rows),
    );
  }

  close(): Promise<void> {
    return runWithLocation({ element: this.#element }, () => this.#array.close());
  }
}

export function getArrayEncoding(type: StoredType): EncodingType {
  return type.kind === "text" ? "string-array" : "array";
}

/** Returns the encoding of an array that is an element of its own. Fixed-width text keeps its original encoding. */
export function getElementEncoding(type: StoredType): EncodingType {
  return type.kind === "text" && type.storage.form === "fixed" ? "array" : getArrayEncoding(type);
}

/** Writes a single value with shape `[]`, or with shape `[1]` if it was stored that way. */
export async function writeScalar(
  place: ElementDestination & { readonly asArray?: boolean },
  form: WrittenType,
  encoding: EncodingType,
  column: Column,
): Promise<void> {
  const { cx } = place;
  const element = getElementPath(place);
  if (column.length !== 1 || form.shape.length > 0) {
    throw new UnsupportedElementError(`${column.length} rows for a scalar, which is one value`, { element });
  }
  await runWithLocation({ element }, async () => {
    const values = toContainerValues(toArrayValues(form, column, element, cx), form.type, element, cx);
    const attributes = createEncodingAttributes(encoding);
    const shape = place.asArray ? ([1] as const) : ([] as const);
    const array = await place.parent.array(place.name, { type: form.type, shape, attributes, compressed: false });
    await array.write(values, 1);
    await array.close();
  });
}

/** Writes a null: a null dataspace in HDF5, a single boolean `false` in Zarr. */
export async function writeNull({ cx, parent, name }: ElementDestination): Promise<void> {
  await runWithLocation({ element: getElementPath({ parent, name }) }, async () => {
    const attributes = createEncodingAttributes("null");
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
 * Converts values for the container. In HDF5, variable-length text ends at a NUL.
 * @throws {InvalidInputError} for text with a NUL, unless losses are allowed.
 */
function toContainerValues(
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
  return cutTextsAtNul(values);
}
