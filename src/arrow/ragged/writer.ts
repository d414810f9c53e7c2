/** Columns -> the form and buffers of an awkward array, batch by batch: the way back of `column.ts`. */

import { InvalidInputError, isAnnarrowError } from "../../model/errors.js";
import type { Column } from "../column.js";
import { type ArrowField, typeText } from "../type.js";
import type { FieldMetadata } from "../written-type.js";
import { parseForm, type RaggedForm } from "./form.js";
import { formJson, pythonJson } from "./form-json.js";
import type { NodeWriter, RaggedPiece, Sink } from "./node-sink.js";
import { nodeWriter } from "./node-writer.js";
import { formOf } from "./rule-form.js";
import { raggedType } from "./type.js";

/**
 * Takes the batches of one column in order, and gives what each adds to the buffers. With the form that the metadata
 * remembers the array is written back as it was; where there is none, or of another type, the form follows from the type.
 */
export class RaggedWriter {
  readonly #root: NodeWriter;
  readonly #form: RaggedForm;
  /** The form as it was. */
  readonly #given: unknown;
  readonly #unmasked = new Set<string>();
  readonly #seen = new Set<string>();
  readonly #declared: RaggedPiece[] = [];
  #pieces: RaggedPiece[] = [];
  #length = 0;

  /**
   * @param metadata of the field, or of the table whose one column it is.
   * @throws {InvalidInputError} for a form that is none; {UnsupportedError} for types that awkward arrays do not have.
   */
  constructor(field: ArrowField, metadata: FieldMetadata = field.metadata ?? {}) {
    const given = givenForm(field, metadata);
    this.#form = given?.form ?? formOf(field);
    this.#given = given?.json;
    const sink: Sink = {
      auto: given === null,
      declare: (name, type, shape, empty) => {
        this.#declared.push({ name, type, shape, values: empty, rows: 0 });
      },
      emit: (piece) => {
        if (piece.rows === 0) return;
        this.#seen.add(piece.name);
        this.#pieces.push(piece);
      },
      unmask: (key) => this.#unmasked.add(key),
    };
    this.#root = nodeWriter(this.#form, sink);
  }

  /** Rows so far: the array's attribute `length`. */
  get length(): number {
    return this.#length;
  }

  /** @throws {InvalidInputError} where a value is missing that the form cannot miss, or offsets pass their type. */
  append(column: Column): readonly RaggedPiece[] {
    this.#root.append(column, null);
    this.#length += column.length;
    return this.#taken();
  }

  /** What is left over; every buffer that has got nothing until now is among it, without rows. */
  finish(): readonly RaggedPiece[] {
    this.#root.finish();
    const last = this.#taken();
    return [...last, ...this.#declared.filter(({ name }) => !this.#seen.has(name))];
  }

  /** The attribute `form`, known after `finish`. */
  get form(): string {
    return this.#given === undefined ? formJson(this.#form, this.#unmasked) : pythonJson(this.#given);
  }

  #taken(): readonly RaggedPiece[] {
    const pieces = this.#pieces;
    this.#pieces = [];
    return pieces;
  }
}

function givenForm(field: ArrowField, { form: json }: FieldMetadata): { form: RaggedForm; json: unknown } | null {
  if (json === undefined) return null;
  let form: RaggedForm;
  try {
    form = parseForm(JSON.stringify(json));
  } catch (error) {
    if (!isAnnarrowError(error, "InvalidDataError")) throw error;
    throw new InvalidInputError(`the metadata annarrow of ${field.name} has no form: ${error.problem}`);
  }
  return typeText(raggedType(form)) === typeText(field.type) ? { form, json } : null;
}
