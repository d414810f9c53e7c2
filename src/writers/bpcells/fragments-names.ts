/** `chr_names` and `cell_names`. */

import type { NameIds } from "../../arrow/name-ids.js";
import type { GroupWriter } from "../../containers/tree/container-writer.js";
import { RefusedError } from "../../model/errors.js";
import type { VariableValues } from "../../model/stored.js";
import { TEXT } from "./array-types.js";

const NEWLINE = 10;

/**
 * Writes the names in the order of their numbers.
 * @throws {InvalidInputError} for one with a newline or a NUL, at which BPCells would end it, whatever the container.
 */
export async function writeNames(group: GroupWriter, name: string, names: NameIds): Promise<void> {
  const array = await group.array(name, { type: TEXT, shape: [names.count] });
  for (const part of names.names()) {
    checkNames(part, name);
    const count = part.offsets.length - 1;
    if (count > 0) await array.write(part, count);
  }
  await array.close();
}

export function checkNames({ offsets, bytes }: VariableValues, name: string): void {
  for (const [byte, what] of [
    [NEWLINE, "newline"],
    [0, "NUL"],
  ] as const) {
    const at = bytes.indexOf(byte);
    if (at < 0) continue;
    const i = offsets.findIndex((offset) => offset > at) - 1;
    const text = JSON.stringify(new TextDecoder().decode(bytes.subarray(offsets[i], offsets[i + 1])));
    throw new RefusedError(`${text}, one of ${name}, has a ${what} in it, which BPCells cannot read`);
  }
}
