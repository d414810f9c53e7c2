/**
 * Writes a column as the buffers of awkward's nodes, with one writer per node class. This is the inverse of `gather` in
 * `column.ts`.
 */

import { PageBuffer } from "../../kernels/parquet/page-buffer.js";
import { InvalidInputError, UnsupportedElementError } from "../../model/errors.js";
import { allocate, type StoredType } from "../../model/stored.js";
import { UnifiedDictionary } from "../categorical.js";
import type { Column } from "../column.js";
import { sliceColumn, takeColumn } from "../take.js";
import { toVariableValues } from "../text.js";
import { toStoredValues } from "../written-values.js";
import type { RaggedForm } from "./form.js";
import {
  checkPresent,
  computeHiddenItems,
  computeHiddenListItems,
  createFormMismatchError,
  findMissingRows,
  type Hidden,
  IntBuffer,
  mergeHiddenRows,
  type NodeWriter,
  type Sink,
} from "./node-sink.js";

/** Creates the writer for a node and all nodes below it. */
export function createNodeWriter(form: RaggedForm, sink: Sink): NodeWriter {
  switch (form.class) {
    case "NumpyArray":
      return numpyWriter(form, sink);
    case "EmptyArray":
      return { append: (column, hidden) => checkPresent(form.key, column, hidden), finish: () => undefined };
    case "ListOffsetArray":
    case "ListArray":
      return listWriter(form, sink);
    case "RegularArray":
      return regularWriter(form, sink);
    case "RecordArray":
      return recordWriter(form, sink);
    case "IndexedArray":
    case "IndexedOptionArray":
      return form.categorical ? new CategoricalWriter(form, sink, createNodeWriter) : indexedWriter(form, sink);
    case "ByteMaskedArray": {
      const mask = new IntBuffer(sink, `${form.key}-mask`, { kind: "int", bits: 8, signed: true });
      const content = createNodeWriter(form.content, sink);
      return {
        append: (column, hidden) => {
          const missing = findMissingRows(column);
          mask.write(column.length, (i) => ((missing?.[i] !== 1) === form.validWhen ? 1 : 0));
          content.append(column, mergeHiddenRows(missing, hidden));
        },
        finish: () => content.finish(),
      };
    }
    case "BitMaskedArray": {
      const mask = new BitMaskWriter(form, sink);
      const content = createNodeWriter(form.content, sink);
      return {
        append: (column, hidden) => {
          const missing = findMissingRows(column);
          mask.append(missing, column.length);
          content.append(column, mergeHiddenRows(missing, hidden));
        },
        finish: () => {
          mask.finish();
          content.finish();
        },
      };
    }
    case "UnmaskedArray":
      return createNodeWriter(form.content, sink);
    case "UnionArray":
      return unionWriter(form, sink);
    default:
      return form satisfies never;
  }
}

type Node<C extends RaggedForm["class"]> = Extract<RaggedForm, { readonly class: C }>;

function numpyWriter(form: Node<"NumpyArray">, sink: Sink): NodeWriter {
  const { type, innerShape: shape } = form;
  const name = `${form.key}-data`;
  const temporal = type.kind === "datetime" || type.kind === "timedelta";
  sink.declare(name, type, shape, { kind: "fixed", values: allocate(type, 0) });
  return {
    append: (column, hidden) => {
      let [inner, below] = [column, hidden];
      for (const size of shape) {
        checkPresent(form.key, inner, below);
        if (inner.layout !== "fixed-size-list") throw createFormMismatchError(form, inner);
        below = computeHiddenItems(below, size);
        inner = sliceColumn(inner.child, 0, inner.length * size);
      }
      // Missing times are stored as NaT.
      if (!temporal) checkPresent(form.key, inner, below);
      sink.emit({ name, type, shape, values: toStoredValues({ type, shape }, column, "fill"), rows: column.length });
    },
    finish: () => undefined,
  };
}

function listWriter(form: Node<"ListOffsetArray" | "ListArray">, sink: Sink): NodeWriter {
  const pointers = form.class === "ListOffsetArray" ? ["offsets"] : ["starts", "stops"];
  const [starts, stops] = pointers.map((name) => new IntBuffer(sink, `${form.key}-${name}`, form.index));
  const content = listContent(form, sink);
  let total = 0;
  let begun = false;
  const begin = () => {
    if (!begun && stops === undefined) starts.write(1, () => 0);
    begun = true;
  };
  return {
    append: (column, hidden) => {
      checkPresent(form.key, column, hidden);
      begin();
      const { offsets } = content.append(column, hidden);
      const base = total - offsets[0];
      if (stops === undefined) starts.write(column.length, (i) => base + offsets[i + 1]);
      else {
        starts.write(column.length, (i) => base + offsets[i]);
        stops.write(column.length, (i) => base + offsets[i + 1]);
      }
      total = base + offsets[column.length];
    },
    finish: () => {
      begin();
      content.finish();
    },
  };
}

/** Writes the items of lists, with text stored as lists of bytes. Returns the offsets of the lists. */
function listContent(form: Node<"ListOffsetArray" | "ListArray">, sink: Sink) {
  if (form.text === null) {
    const content = createNodeWriter(form.content, sink);
    return {
      append: (column: Column, hidden: Hidden): { readonly offsets: Int32Array } => {
        if (column.layout !== "list") throw createFormMismatchError(form, column);
        const { offsets, length } = column;
        const below = computeHiddenListItems(mergeHiddenRows(hidden, findMissingRows(column)), column);
        content.append(sliceColumn(column.child, offsets[0], offsets[length]), below);
        return { offsets };
      },
      finish: () => content.finish(),
    };
  }
  const bytes = bytesWriter(form.content, sink);
  return {
    append: (column: Column): { readonly offsets: Int32Array } => {
      if (column.layout !== "variable") throw createFormMismatchError(form, column);
      const values = toVariableValues(column);
      bytes(values.bytes);
      return values;
    },
    finish: () => undefined,
  };
}

const BYTE: StoredType = { kind: "int", bits: 8, signed: false };

function bytesWriter(content: RaggedForm, sink: Sink): (bytes: Uint8Array) => void {
  const name = `${content.key}-data`;
  sink.declare(name, BYTE, [], { kind: "fixed", values: new Uint8Array(0) });
  return (values) => sink.emit({ name, type: BYTE, shape: [], values: { kind: "fixed", values }, rows: values.length });
}

function regularWriter(form: Node<"RegularArray">, sink: Sink): NodeWriter {
  const { size, text } = form;
  if (text === null) {
    const content = createNodeWriter(form.content, sink);
    return {
      append: (column, hidden) => {
        checkPresent(form.key, column, hidden);
        if (column.layout !== "fixed-size-list") throw createFormMismatchError(form, column);
        content.append(sliceColumn(column.child, 0, column.length * size), computeHiddenItems(hidden, size));
      },
      finish: () => content.finish(),
    };
  }
  const bytes = bytesWriter(form.content, sink);
  return {
    append: (column, hidden) => {
      checkPresent(form.key, column, hidden);
      bytes(text === "bytestring" ? fixedBytes(form, column) : sameLengthTexts(form, column, hidden));
    },
    finish: () => undefined,
  };
}

function fixedBytes(form: Node<"RegularArray">, column: Column): Uint8Array {
  const values = toStoredValues({ type: { kind: "bytes", width: form.size }, shape: [] }, column, "fill");
  if (values.kind !== "fixed" || !(values.values instanceof Uint8Array)) throw createFormMismatchError(form, column);
  return values.values;
}

function sameLengthTexts(form: Node<"RegularArray">, column: Column, hidden: Hidden): Uint8Array {
  if (column.layout !== "variable") throw createFormMismatchError(form, column);
  const { offsets, bytes } = toVariableValues(column);
  const out = new Uint8Array(column.length * form.size);
  for (let i = 0; i < column.length; i++) {
    if (hidden?.[i] === 1) continue;
    const length = offsets[i + 1] - offsets[i];
    if (length !== form.size) {
      throw new UnsupportedElementError(
        `${form.key}: text ${i} has ${length} bytes, the form says ${form.size} for all`,
      );
    }
    out.set(bytes.subarray(offsets[i], offsets[i + 1]), i * form.size);
  }
  return out;
}

function recordWriter(form: Node<"RecordArray">, sink: Sink): NodeWriter {
  const contents = form.contents.map((content) => createNodeWriter(content, sink));
  return {
    append: (column, hidden) => {
      checkPresent(form.key, column, hidden);
      if (column.layout !== "struct") throw createFormMismatchError(form, column);
      for (const [i, content] of contents.entries()) content.append(column.children[i], hidden);
    },
    finish: () => {
      for (const content of contents) content.finish();
    },
  };
}

/**
 * Writes an index that counts upwards, because the rows were put in order when they were read. Nulls take no position
 * in the content.
 */
function indexedWriter(form: Node<"IndexedArray" | "IndexedOptionArray">, sink: Sink): NodeWriter {
  const index = new IntBuffer(sink, `${form.key}-index`, form.index);
  const content = createNodeWriter(form.content, sink);
  let next = 0;
  return {
    append: (column, hidden) => {
      const missing = form.class === "IndexedOptionArray" ? mergeHiddenRows(findMissingRows(column), hidden) : null;
      if (missing === null) {
        index.write(column.length, () => next++);
        content.append(column, hidden);
        return;
      }
      index.write(column.length, (i) => (missing[i] === 1 ? -1 : next++));
      const there = Int32Array.from(missing.keys()).filter((i) => missing[i] === 0);
      content.append(takeColumn(column, there), null);
    },
    finish: () => content.finish(),
  };
}

function unionWriter(form: Node<"UnionArray">, sink: Sink): NodeWriter {
  const tags = new IntBuffer(sink, `${form.key}-tags`, { kind: "int", bits: 8, signed: true });
  const index = new IntBuffer(sink, `${form.key}-index`, form.index);
  const contents = form.contents.map((content) => createNodeWriter(content, sink));
  const counts = form.contents.map(() => 0);
  return {
    append: (column, hidden) => {
      if (column.layout !== "union") throw createFormMismatchError(form, column);
      const { typeIds } = column;
      tags.write(column.length, (i) => typeIds[i]);
      index.write(column.length, (i) => counts[typeIds[i]]++);
      for (const [id, content] of contents.entries()) {
        const rows = Int32Array.from({ length: column.length }, (_, i) => i).filter((i) => typeIds[i] === id);
        const places = rows.map((i) => column.offsets[i]);
        const below = hidden === null ? null : Uint8Array.from(rows, (i) => hidden[i]);
        content.append(takeColumn(column.children[id], places), below);
      }
    },
    finish: () => {
      for (const content of contents) content.finish();
    },
  };
}

type CategoricalForm = Extract<RaggedForm, { class: "IndexedArray" | "IndexedOptionArray" }>;

class CategoricalWriter implements NodeWriter {
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
    if (column.layout !== "dictionary") throw createFormMismatchError(this.#form, column);
    const option = this.#form.class === "IndexedOptionArray";
    if (!option) checkPresent(this.#form.key, column, hidden);
    const missing = mergeHiddenRows(findMissingRows(column), hidden);
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
      if (code < 0 && !option)
        throw new UnsupportedElementError(`${this.#form.key}: category ${index} at ${i} is missing`);
      return code;
    });
  }

  finish(): void {
    for (const part of this.#categories.parts) this.#content.append(part, null);
    this.#content.finish();
  }
}

/** Size in bytes of the mask blocks created for the rows before the first null. */
const BLOCK = 2 ** 20;

class BitMaskWriter {
  readonly #form: Extract<RaggedForm, { class: "BitMaskedArray" }>;
  readonly #sink: Sink;
  readonly #name: string;
  /**
   * Number of rows before the first null, for which no mask has been written yet; null once a mask has been started.
   */
  #waiting: number | null;
  #byte = 0;
  #used = 0;

  constructor(form: Extract<RaggedForm, { class: "BitMaskedArray" }>, sink: Sink) {
    this.#form = form;
    this.#sink = sink;
    this.#name = `${form.key}-mask`;
    this.#waiting = sink.auto ? 0 : null;
    if (!sink.auto) this.#declare();
  }

  append(missing: Hidden, rows: number): void {
    if (this.#waiting !== null) {
      if (missing === null) {
        this.#waiting += rows;
        return;
      }
      this.#declare();
      let before = this.#waiting;
      this.#waiting = null;
      for (; before > 8 * BLOCK; before -= 8 * BLOCK) this.#write(null, 8 * BLOCK);
      this.#write(null, before);
    }
    this.#write(missing, rows);
  }

  finish(): void {
    if (this.#waiting !== null) this.#sink.unmask(this.#form.key);
    else if (this.#used > 0) this.#emit(Uint8Array.of(this.#byte));
  }

  #write(missing: Hidden, rows: number): void {
    const { validWhen, lsbOrder } = this.#form;
    const out = new PageBuffer((rows >> 3) + 1);
    for (let i = 0; i < rows; i++) {
      const bit = (missing?.[i] !== 1) === validWhen ? 1 : 0;
      this.#byte |= bit << (lsbOrder ? this.#used : 7 - this.#used);
      if (++this.#used < 8) continue;
      out.byte(this.#byte);
      this.#byte = 0;
      this.#used = 0;
    }
    this.#emit(out.written());
  }

  #emit(values: Uint8Array): void {
    const piece = { name: this.#name, type: BYTE, shape: [], values: { kind: "fixed", values } as const };
    this.#sink.emit({ ...piece, rows: values.length });
  }

  #declare(): void {
    this.#sink.declare(this.#name, BYTE, [], { kind: "fixed", values: new Uint8Array(0) });
  }
}
