/**
 * A file of lines, one text each. A blank line is an empty text; a file of no bytes has none. Files that went through
 * Windows have a carriage return before each newline, and some writers leave out the last newline.
 */

import { checkTextBytes } from "../../kernels/values/join-values.js";
import { InvalidInputError, NotFoundError } from "../../model/errors.js";
import type { KeyValueSource, ReadOptions } from "../../sources/source.js";
import type { StoredArray } from "../tree/container.js";

const NEWLINE = 10;
const RETURN = 13;

/**
 * Reads a file of lines: their number is known only then.
 * @throws {NotFoundError} where it is not there.
 */
export async function textFile(source: KeyValueSource, key: string, options?: ReadOptions): Promise<StoredArray> {
  const file = await source.get(key, options);
  if (file === undefined) throw new NotFoundError("no such file");
  checkTextBytes(file.length);
  const { offsets, bytes } = linesOf(file);
  const count = offsets.length - 1;
  return {
    ...(source.plan === undefined
      ? {}
      : { plan: { container: "directory", source: source.plan, array: { form: "text", key } } }),
    kind: "array",
    path: key,
    id: key,
    attributes: new Map(),
    type: { kind: "text", storage: { form: "variable", encoding: "utf-8" } },
    shape: [count],
    chunks: null,
    async read(start, end, read) {
      read?.signal?.throwIfAborted();
      if (!(start >= 0 && start <= end && end <= count)) {
        throw new InvalidInputError(`lines ${start} to ${end} of ${count}`, { element: key });
      }
      const base = offsets[start];
      return {
        kind: "variable",
        offsets: offsets.slice(start, end + 1).map((offset) => offset - base),
        bytes: bytes.subarray(base, offsets[end]),
      };
    },
  };
}

/** The texts of all lines, without what ends them. */
function linesOf(file: Uint8Array): { readonly offsets: Int32Array; readonly bytes: Uint8Array } {
  let count = 0;
  for (const byte of file) if (byte === NEWLINE) count++;
  if (file.length > 0 && file[file.length - 1] !== NEWLINE) count++;
  const offsets = new Int32Array(count + 1);
  const bytes = new Uint8Array(file.length);
  let from = 0;
  let to = 0;
  for (let line = 0; line < count; line++) {
    const newline = file.indexOf(NEWLINE, from);
    const next = newline < 0 ? file.length : newline;
    const end = next > from && file[next - 1] === RETURN ? next - 1 : next;
    bytes.set(file.subarray(from, end), to);
    to += end - from;
    offsets[line + 1] = to;
    from = next + 1;
  }
  return { offsets, bytes: bytes.subarray(0, to) };
}
