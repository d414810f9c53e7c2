/** The user block of a file of version 7.3: text, no offset of a subsystem, the version, "IM" for little-endian. */

const TEXT = "MATLAB 7.3 MAT-file, Platform: annarrow, HDF5 schema 1.00 .";
const TEXT_BYTES = 116;
const BYTES = 512;

export function userBlock(): Uint8Array {
  const block = new Uint8Array(BYTES);
  block.fill(0x20, 0, TEXT_BYTES);
  block.set(new TextEncoder().encode(TEXT));
  block.set([0x00, 0x02, 0x49, 0x4d], 124);
  return block;
}

/** Of files of hdf5storage that are not for MATLAB. */
export function emptyUserBlock(): Uint8Array {
  return new Uint8Array(BYTES);
}
