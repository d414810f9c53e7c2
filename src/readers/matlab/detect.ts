/** Detects HDF5 files of MATLAB, of hdf5storage and of Octave; reads the header of a MAT-file. */

import type { Container, Group } from "../../containers/tree/container.js";
import type { ReadOptions } from "../../io/sources/source.js";
import { isAnnarrowError } from "../../model/errors.js";

/** Number of variables whose attributes are read. */
const LOOKED_AT = 16;

/** Whether a file has MATLAB's header, or groups that only MATLAB writes. */
export function hasMatlabHeader({ kind, userBlock }: Container, keys: readonly string[]): boolean {
  if (kind !== "hdf5") return false;
  return (
    (userBlock !== undefined && isMatlabHeader(userBlock)) || keys.includes("#refs#") || keys.includes("#subsystem#")
  );
}

/** Whether the first variables have the attributes of MATLAB, hdf5storage or Octave. */
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
      if (["MATLAB_class", "Python.Type", "OCTAVE_NEW_FORMAT"].some((name) => attributes.has(name))) return true;
    } catch (error) {
      if (!isAnnarrowError(error)) throw error;
    }
  }
  return false;
}

/** Whether a file of no other detected format is named .mat, or has a user block, which hdf5storage leaves empty. */
export function isOtherMat({ kind, userBlock, name }: Container, keys: readonly string[]): boolean {
  return kind === "hdf5" && keys.length > 0 && (userBlock !== undefined || /\.mat$/i.test(name));
}

/**
 * Bytes of text in the header. The header has 128 bytes, in the user block of HDF5: 116 of text, 8 of other data, 4 of
 * version and byte order.
 */
const TEXT_BYTES = 116;
const VERSION = 124;

/** Whether a user block has the version of 7.3. The text in front of the version may be anything. */
export function isMatlabHeader(userBlock: Uint8Array): boolean {
  const [a, b, c, d] = userBlock.subarray(VERSION, VERSION + 4);
  const little = a === 0 && b === 2 && c === 0x49 && d === 0x4d;
  return little || (a === 2 && b === 0 && c === 0x4d && d === 0x49);
}

/** The text of the header without the padding. */
export function parseHeaderText(userBlock: Uint8Array): string {
  return new TextDecoder("latin1").decode(userBlock.subarray(0, TEXT_BYTES)).trimEnd();
}
