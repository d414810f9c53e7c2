/** Writes the encoding `categorical`: the codes, followed by the categories that all batches share. */

import { toCategoricalCodes, UnifiedDictionary } from "../../arrow/categorical.js";
import type { Column, DictionaryColumn } from "../../arrow/column.js";
import { createTextColumn, decodeTextValues } from "../../arrow/text.js";
import { type ArrowField, type DictionaryType, INT32, UTF8 } from "../../arrow/type.js";
import { getCodesType } from "../../arrow/written-type.js";
import type { GroupWriter } from "../../containers/tree/container-writer.js";
import { runWithLocation } from "../../model/errors.js";
import { isJsonObject } from "../../model/json-object.js";
import type { IntType } from "../../model/stored.js";
import { createEncodingAttributes, createFlagAttribute } from "../attributes.js";
import { type ColumnSink, writeColumnParts } from "../column-sink.js";
import { ArraySink, type ElementDestination, getElementPath, openGroup, type SizedDestination } from "./array.js";

/** Opens the element for the categories, which may be any kind of column. */
export type OpenColumn = (place: SizedDestination, field: ArrowField) => Promise<ColumnSink>;

interface Parts {
  readonly place: SizedDestination;
  readonly group: GroupWriter;
  readonly codes: ArraySink;
  readonly codesType: IntType;
  readonly field: ArrowField;
  readonly categories: UnifiedDictionary;
  readonly open: OpenColumn;
}

export class CategoricalSink implements ColumnSink {
  readonly #parts: Parts;

  private constructor(parts: Parts) {
    this.#parts = parts;
  }

  /**
   * Opens the element. @param held all columns that will be written, if they are known. The codes are then as narrow as
   * possible.
   */
  static async open(
    place: SizedDestination,
    field: ArrowField,
    held: readonly DictionaryColumn[] | null,
    open: OpenColumn,
  ): Promise<CategoricalSink> {
    const { type } = field;
    if (type.id !== "Dictionary") throw new TypeError(`${field.name} is no dictionary`);
    const categories = new UnifiedDictionary();
    for (const { dictionary } of held ?? []) categories.codes(dictionary);
    const group = await openCategorical(place, type);
    const codesType = getCodesType(field, held === null ? null : categories.length);
    const tag = { attributes: createEncodingAttributes("array") };
    const codes = await ArraySink.open({ ...place, parent: group, name: "codes" }, { type: codesType, shape: [] }, tag);
    return new CategoricalSink({ place, group, codes, codesType, field, categories, open });
  }

  async write(column: Column): Promise<void> {
    if (column.layout !== "dictionary") throw new TypeError("a categorical is a dictionary");
    const { codes, codesType, categories, place } = this.#parts;
    const values = await runWithLocation({ element: getElementPath(place) }, () =>
      toCategoricalCodes(column, categories, codesType),
    );
    await codes.writeValues(values, column.length);
  }

  async close(): Promise<void> {
    const { place, group, codes, field, categories, open } = this.#parts;
    await codes.close();
    await writeCategories({ ...place, parent: group }, field, categories.parts, open);
  }
}

export function openCategorical(place: ElementDestination, { ordered }: DictionaryType): Promise<GroupWriter> {
  return openGroup(place, createEncodingAttributes("categorical", { ordered: createFlagAttribute(ordered) }));
}

/**
 * Writes a field's categories into the group of its element.
 * @param parts the categories, in consecutive parts.
 */
export async function writeCategories(
  { cx, parent }: Pick<ElementDestination, "cx" | "parent">,
  { type, metadata }: ArrowField,
  parts: readonly Column[],
  open: OpenColumn,
): Promise<void> {
  if (type.id !== "Dictionary") throw new TypeError("a categorical is a dictionary");
  const field: ArrowField = {
    name: "categories",
    type: type.value,
    nullable: false,
    metadata: isJsonObject(metadata?.categories) ? metadata.categories : undefined,
  };
  const rows = parts.reduce((sum, { length }) => sum + length, 0);
  await writeColumnParts(await open({ cx, parent, name: "categories", rows }, field), parts);
}

/** Writes text as a categorical, which is how the portable profile stores text with missing values. */
export class TextCategoricalSink implements ColumnSink {
  readonly #inner: CategoricalSink;

  constructor(inner: CategoricalSink) {
    this.#inner = inner;
  }

  write(column: Column): Promise<void> {
    return this.#inner.write(encodeTextDictionary(column));
  }

  close(): Promise<void> {
    return this.#inner.close();
  }
}

/** Converts texts to a dictionary of the distinct texts, in the order of their first appearance. */
function encodeTextDictionary(column: Column): DictionaryColumn {
  if (column.layout !== "variable") throw new TypeError("text expected");
  const { length, validity } = column;
  const indices = new Int32Array(length);
  const places = new Map<string, number>();
  for (const [i, text] of decodeTextValues(column).entries()) {
    if (text === null) continue;
    let place = places.get(text);
    if (place === undefined) {
      place = places.size;
      places.set(text, place);
    }
    indices[i] = place;
  }
  const dictionary = createTextColumn([...places.keys()]);
  return { layout: "dictionary", type: TEXT_DICTIONARY, length, validity, indices, dictionary };
}

export const TEXT_DICTIONARY: DictionaryType = { id: "Dictionary", index: INT32, value: UTF8, ordered: false };
