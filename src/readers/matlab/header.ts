/** The 128 bytes at the begin of a MAT-file; in version 7.3 they stand in the user block of an HDF5 file. */

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
