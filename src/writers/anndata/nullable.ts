/**
 * Writes `nullable-integer`, `nullable-boolean`, `nullable-string-array`: values, and a mask in which 1 means missing.
 */

import type { Column } from "../../arrow/column.js";
import type { ArrowField } from "../../arrow/type.js";
import { toWrittenForm, type WrittenType } from "../../arrow/written-type.js";
import { splitNullableValues } from "../../arrow/written-values.js";
import type { GroupWriter, WrittenAttribute } from "../../containers/tree/container-writer.js";
import { createEncodingAttributes, createTextAttribute, type EncodingType } from "../attributes.js";
import type { ColumnSink } from "../column-sink.js";
import { ArraySink, type ElementDestination, getArrayEncoding, openGroup, type SizedDestination } from "./array.js";

export type NullableEncoding = Extract<EncodingType, `nullable-${string}`>;

/**
 * Returns the attribute `na-value` of the element from which a field was read; null if the element has no such
 * attribute.
 */
export function findMissingText({ metadata }: ArrowField): string | null {
  const missing = metadata?.["na-value"];
  return typeof missing === "string" ? missing : null;
}

const FLAGS: WrittenType = { type: { kind: "bool" }, shape: [] };

/** Returns the nullable encoding for a type; null if there is none. */
export function findNullableEncoding({ type }: ArrowField): NullableEncoding | null {
  switch (type.id) {
    case "Int":
      return "nullable-integer";
    case "Bool":
      return "nullable-boolean";
    case "Utf8":
      return "nullable-string-array";
    default:
      return null;
  }
}

/** Begins the element's group. @param missing the attribute `na-value` of a string array; null writes no attribute. */
export function openNullable(
  place: ElementDestination,
  encoding: NullableEncoding,
  missing: string | null,
): Promise<GroupWriter> {
  const own: Readonly<Record<string, WrittenAttribute>> =
    missing === null ? {} : { "na-value": createTextAttribute(missing) };
  return openGroup(place, createEncodingAttributes(encoding, own));
}

export class NullableSink implements ColumnSink {
  readonly #values: ArraySink;
  readonly #mask: ArraySink;
  readonly #form: WrittenType;

  private constructor(values: ArraySink, mask: ArraySink, form: WrittenType) {
    this.#values = values;
    this.#mask = mask;
    this.#form = form;
  }

  /** Opens the element. @param missing the attribute `na-value` of a string array; null writes no attribute. */
  static async open(
    place: SizedDestination,
    field: ArrowField,
    encoding: NullableEncoding,
    missing: string | null,
  ): Promise<NullableSink> {
    const parent = await openNullable(place, encoding, missing);
    const form = toWrittenForm(field);
    const tag = { attributes: createEncodingAttributes(getArrayEncoding(form.type)) };
    const values = await ArraySink.open({ ...place, parent, name: "values" }, form, tag);
    const flags = { attributes: createEncodingAttributes("array") };
    const mask = await ArraySink.open({ ...place, parent, name: "mask" }, FLAGS, flags);
    return new NullableSink(values, mask, form);
  }

  async write(column: Column): Promise<void> {
    const { values, mask } = splitNullableValues(this.#form, column);
    await this.#values.writeValues(values, column.length);
    await this.#mask.writeValues(mask, column.length);
  }

  async close(): Promise<void> {
    await this.#values.close();
    await this.#mask.close();
  }
}
