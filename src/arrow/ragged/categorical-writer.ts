/** Categorical nodes: places in categories that all batches share, which are written at the end. */

import { InvalidInputError, RefusedError } from "../../model/errors.js";
import type { Column } from "../column.js";
import { UnifiedDictionary } from "../unified-dictionary.js";
import type { RaggedForm } from "./form.js";
import { either, type Hidden, missingRows } from "./hidden-rows.js";
import { checkPresent, IntBuffer, mismatch, type NodeWriter, type Sink } from "./node-sink.js";

type CategoricalForm = Extract<RaggedForm, { class: "IndexedArray" | "IndexedOptionArray" }>;

export class CategoricalWriter implements NodeWriter {
  readonly #form: CategoricalForm;
  readonly #index: IntBuffer;
  readonly #content: NodeWriter;
  readonly #categories = new UnifiedDictionary();

  /** @param nodeWriter the writer of the categories. */
  constructor(form: CategoricalForm, sink: Sink, nodeWriter: (form: RaggedForm, sink: Sink) => NodeWriter) {
    this.#form = form;
    this.#index = new IntBuffer(sink, `${form.key}-index`, form.index);
    this.#content = nodeWriter(form.content, sink);
  }

  append(column: Column, hidden: Hidden): void {
    if (column.layout !== "dictionary") throw mismatch(this.#form, column);
    const option = this.#form.class === "IndexedOptionArray";
    if (!option) checkPresent(this.#form.key, column, hidden);
    const missing = either(missingRows(column), hidden);
    const { indices, dictionary } = column;
    const codes = this.#categories.codes(dictionary);
    this.#index.write(column.length, (i) => {
      if (missing?.[i] === 1) return option ? -1 : 0;
      const index = Number(indices[i]);
      if (!(index >= 0 && index < dictionary.length)) {
        throw new InvalidInputError(
          `${this.#form.key}: index ${index} at ${i} lies outside a dictionary of ${dictionary.length}`,
        );
      }
      const code = codes === null ? index : codes[index];
      if (code < 0 && !option) throw new RefusedError(`${this.#form.key}: category ${index} at ${i} is missing`);
      return code;
    });
  }

  finish(): void {
    for (const part of this.#categories.parts) this.#content.append(part, null);
    this.#content.finish();
  }
}
