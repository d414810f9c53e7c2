/** Computes the number of rows in the buffers of a ragged array, before reading any buffer. */

import type { RaggedForm } from "./form.js";

export interface BufferLengths {
  /** Number of values of a buffer such as `node0-offsets`. */
  length(name: string): number;
}

/**
 * Returns the number of rows that a node's buffers hold.
 * @throws {InvalidDataError} if a buffer is missing.
 */
export function countContentRows(form: RaggedForm, buffers: BufferLengths): number {
  switch (form.class) {
    case "NumpyArray":
      return buffers.length(`${form.key}-data`);
    case "EmptyArray":
      return 0;
    case "ListOffsetArray":
      return Math.max(0, buffers.length(`${form.key}-offsets`) - 1);
    case "ListArray":
      return buffers.length(`${form.key}-starts`);
    case "RegularArray":
      // The content does not determine the number of lists of size 0; only the parent knows it.
      return form.size === 0
        ? Number.POSITIVE_INFINITY
        : Math.floor(countContentRows(form.content, buffers) / form.size);
    case "RecordArray":
      return form.contents.reduce(
        (least, content) => Math.min(least, countContentRows(content, buffers)),
        Number.POSITIVE_INFINITY,
      );
    case "IndexedArray":
    case "IndexedOptionArray":
      return buffers.length(`${form.key}-index`);
    case "ByteMaskedArray":
      return buffers.length(`${form.key}-mask`);
    case "BitMaskedArray":
      return 8 * buffers.length(`${form.key}-mask`);
    case "UnmaskedArray":
      return countContentRows(form.content, buffers);
    case "UnionArray":
      return buffers.length(`${form.key}-tags`);
    default:
      return form satisfies never;
  }
}
