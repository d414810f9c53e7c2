/** Detects HDF5 files that were written by MATLAB, hdf5storage or Octave, and reads the header of a MAT-file. */

import type { Container, Group } from "../../containers/tree/container.js";
import type { ReadOptions } from "../../io/sources/source.js";
import { isAnnarrowError } from "../../model/errors.js";

/** Maximum number of variables whose attributes are read. */
const LOOKED_AT = 16;

/** Whether a file has MATLAB's header, or contains groups that only MATLAB writes. */
export function hasMatlabHeader({ kind, userBlock }: Container, keys: readonly string[]): boolean {
  if (kind !== "hdf5") return false;
  return (
    (userBlock !== undefined && isMatlabHeader(userBlock)) || keys.includes("#refs#") || keys.includes("#subsystem#")
  );
}

/** Whether the first variables have attributes from MATLAB, hdf5storage or Octave. */
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

/**
 * Whether a file that belongs to no other detected format is named .mat or has a user block. hdf5storage leaves this
 * block empty.
 */
export function isOtherMat({ kind, userBlock, name }: Container, keys: readonly string[]): boolean {
  return kind === "hdf5" && keys.length > 0 && (userBlock !== undefined || /\.mat$/i.test(name));
}

/**
 * Number of text bytes in the header. The header is in the user block of HDF5 and has 128 bytes: 116 for text, 8 for
 * other data, 4 for the version and the byte order.
 */
const TEXT_BYTES = 116;
const VERSION = 124;

/** Whether a user block contains the version of MATLAB 7.3. The text in front of the version can be anything. */
export function isMatlabHeader(userBlock: Uint8Array): boolean {
  const [a, b, c, d] = userBlock.subarray(VERSION, VERSION + 4);
  const little = a === 0 && b === 2 && c === 0x49 && d === 0x4d;
  return little || (a === 2 && b === 0 && c === 0x4d && d === 0x49);
}

/** Returns the header's text without the padding. */
export function parseHeaderText(userBlock: Uint8Array): string {
  return new TextDecoder("latin1").decode(userBlock.subarray(0, TEXT_BYTES)).trimEnd();
}
