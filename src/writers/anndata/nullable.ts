/**
 * Writes `nullable-integer`, `nullable-boolean`, `nullable-string-array`: values, and a mask in which 1 means missing.
 */

import type { Column } from "../../arrow/column.js";
import type { ArrowField } from "../../arrow/type.js";
import { storedTypeOf, type WrittenForm } from "../../arrow/written-type.js";
import { nullableValues } from "../../arrow/written-values.js";
import type { GroupWriter, WrittenAttribute } from "../../containers/tree/container-writer.js";
import { type EncodingType, encodingAttributes, textAttribute } from "../attributes.js";
import { ArraySink, arrayEncoding, type ElementPlace, openGroup, type SizedPlace } from "./array.js";
import type { ColumnSink } from "./context.js";

export type NullableEncoding = Extract<EncodingType, `nullable-${string}`>;

/** Returns the attribute `na-value` of the element from which a field was read; null if it has none. */
export function missingText({ metadata }: ArrowField): string | null {
  const missing = metadata?.["na-value"];
  return typeof missing === "string" ? missing : null;
}

const FLAGS: WrittenForm = { type: { kind: "bool" }, shape: [] };

/** Returns the nullable encoding of a type; null if there is none. */
export function nullableEncoding({ type }: ArrowField): NullableEncoding | null {
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

/** Begins the group of the element. @param missing the attribute `na-value` of a string array; null writes none. */
export function openNullable(
  place: ElementPlace,
  encoding: NullableEncoding,
  missing: string | null,
): Promise<GroupWriter> {
  const own: Readonly<Record<string, WrittenAttribute>> =
    missing === null ? {} : { "na-value": textAttribute(missing) };
  return openGroup(place, encodingAttributes(encoding, own));
}

export class NullableSink implements ColumnSink {
  readonly #values: ArraySink;
  readonly #mask: ArraySink;
  readonly #form: WrittenForm;

  private constructor(values: ArraySink, mask: ArraySink, form: WrittenForm) {
    this.#values = values;
    this.#mask = mask;
    this.#form = form;
  }

  /** Opens the element. @param missing the attribute `na-value` of a string array; null writes none. */
  static async open(
    place: SizedPlace,
    field: ArrowField,
    encoding: NullableEncoding,
    missing: string | null,
  ): Promise<NullableSink> {
    const parent = await openNullable(place, encoding, missing);
    const form = storedTypeOf(field);
    const tag = { attributes: encodingAttributes(arrayEncoding(form.type)) };
    const values = await ArraySink.open({ ...place, parent, name: "values" }, form, tag);
    const flags = { attributes: encodingAttributes("array") };
    const mask = await ArraySink.open({ ...place, parent, name: "mask" }, FLAGS, flags);
    return new NullableSink(values, mask, form);
  }

  async write(column: Column): Promise<void> {
    const { values, mask } = nullableValues(this.#form, column);
    await this.#values.writeValues(values, column.length);
    await this.#mask.writeValues(mask, column.length);
  }

  async close(): Promise<void> {
    await this.#values.close();
    await this.#mask.close();
  }
}
