/**
 * Writes `nullable-integer`, `nullable-boolean`, `nullable-string-array`: values, and a mask in which 1 means missing.
 */

import type { Column } from "../../arrow/column.js";
import { nullableValues } from "../../arrow/nullable.js";
import type { ArrowField } from "../../arrow/type.js";
import { storedTypeOf, type WrittenForm } from "../../arrow/written-type.js";
import { type EncodingType, encodingAttributes, textAttribute } from "../attributes.js";
import { ArraySink, arrayEncoding, openGroup, type SizedPlace } from "./array.js";
import type { ColumnSink } from "./context.js";

export type NullableEncoding = Extract<EncodingType, `nullable-${string}`>;

const FLAGS: WrittenForm = { type: { kind: "bool" }, shape: [] };

/** The nullable encoding of a type; null where there is none. */
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
    const own = missing === null ? {} : { "na-value": textAttribute(missing) };
    const parent = await openGroup(place, encodingAttributes(encoding, own));
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
