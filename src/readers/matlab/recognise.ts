/** Whether an HDF5 file is MATLAB's or hdf5storage's. */

import type { Container, Group } from "../../containers/tree/container.js";
import { isAnnarrowError } from "../../model/errors.js";
import type { ReadOptions } from "../../sources/source.js";

/** Variables that are looked at. */
const LOOKED_AT = 16;

/** By its header, or by what only these files have. */
export function hasMatlabHeader({ kind, userBlock }: Container, keys: readonly string[]): boolean {
  if (kind !== "hdf5") return false;
  return (
    (userBlock !== undefined && isMatlabHeader(userBlock)) || keys.includes("#refs#") || keys.includes("#subsystem#")
  );
}

/** By the attributes of the first variables. */
export async function hasMatlabVariables(
  { kind }: Container,
  root: Group,
  keys: readonly string[],
  options: ReadOptions,
): Promise<boolean> {
  if (kind !== "hdf5") return false;
  for (const key of keys.slice(0, LOOKED_AT)) {
    try {
      const { attributes } = await root.open(key, options);
      if (["MATLAB_class", "Python.Type"].some((name) => attributes.has(name))) return true;
    } catch (error) {
      if (!isAnnarrowError(error)) throw error;
    }
  }
  return false;
}

/** Whether a file that is of no other format bears the name, or has the user block that hdf5storage leaves empty. */
export function isPlainMat({ kind, userBlock, name }: Container, keys: readonly string[]): boolean {
  return kind === "hdf5" && keys.length > 0 && (userBlock !== undefined || /\.mat$/i.test(name));
}

/** Text of 116 bytes, then 8 of no meaning here. */
const TEXT_BYTES = 116;
const VERSION = 124;

/** Whether the user block is that of a file of version 7.3: the text before says all kinds of things. */
export function isMatlabHeader(userBlock: Uint8Array): boolean {
  const [a, b, c, d] = userBlock.subarray(VERSION, VERSION + 4);
  const little = a === 0 && b === 2 && c === 0x49 && d === 0x4d;
  return little || (a === 2 && b === 0 && c === 0x4d && d === 0x49);
}

/** The text of the header, without the spaces that fill it up. */
export function headerText(userBlock: Uint8Array): string {
  return new TextDecoder("latin1").decode(userBlock.subarray(0, TEXT_BYTES)).trimEnd();
}
