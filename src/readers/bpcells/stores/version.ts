import { UnsupportedError } from "../../../model/errors.js";

/** What a store is, as its version says. It decides which arrays are read: others may be left from an earlier write. */
export type StoreVersion = MatrixVersion | FragmentsVersion;

export interface MatrixVersion {
  readonly content: "matrix";
  readonly packed: boolean;
  readonly values: "uint" | "float" | "double";
  /** 9999 is an experiment of the Python package, whose pointers are packed too. */
  readonly number: 1 | 2 | 9999;
}

export interface FragmentsVersion {
  readonly content: "fragments";
  readonly packed: boolean;
  readonly number: 1 | 2;
}

/** @throws {UnsupportedError} for a version that is not known. */
export function parseVersion(text: string): StoreVersion {
  const unknown = () => new UnsupportedError(`BPCells version ${JSON.stringify(text)}, which is not known`);
  const found = /^(packed|unpacked)-(?:(uint|float|double)-matrix|fragments)-v(1|2|9999)$/.exec(text);
  if (found === null) throw unknown();
  const packed = found[1] === "packed";
  const number = found[3] === "1" ? 1 : found[3] === "2" ? 2 : 9999;
  const values = found[2];
  if (values === "uint" || values === "float" || values === "double") {
    if (number === 9999 && !(packed && values === "uint")) throw unknown();
    return { content: "matrix", packed, values, number };
  }
  if (number === 9999) throw unknown();
  return { content: "fragments", packed, number };
}
