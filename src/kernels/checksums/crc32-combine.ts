/** CRC-32 of joined bytes, from the checksums of the parts. */

const POLYNOMIAL = 0xedb88320;

/** A linear map over GF(2): the image of each checksum bit. */
type Matrix = Uint32Array;

/**
 * Returns the CRC-32 of two concatenated byte sequences.
 * @param first checksum of the first sequence.
 * @param second checksum of the second sequence.
 * @param length number of bytes of the second sequence.
 */
export function combineCrc32(first: number, second: number, length: number): number {
  let crc = first;
  // The map that appends one zero byte, then two, four and so on. Appending zero bytes shifts the first checksum.
  let zeros = squared(squared(squared(oneZeroBit())));
  for (let rest = length; rest > 0 && crc !== 0; rest = Math.floor(rest / 2)) {
    if (rest % 2 === 1) crc = image(zeros, crc);
    zeros = squared(zeros);
  }
  return (crc ^ second) >>> 0;
}

function oneZeroBit(): Matrix {
  const matrix = new Uint32Array(32);
  matrix[0] = POLYNOMIAL;
  for (let bit = 1; bit < 32; bit++) matrix[bit] = 2 ** (bit - 1);
  return matrix;
}

function squared(matrix: Matrix): Matrix {
  return matrix.map((column) => image(matrix, column));
}

function image(matrix: Matrix, bits: number): number {
  let sum = 0;
  for (let bit = 0; bit < 32; bit++) if ((bits >>> bit) & 1) sum ^= matrix[bit];
  return sum >>> 0;
}
