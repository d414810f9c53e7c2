import { InvalidDataError } from "../../../model/errors.js";
import type { BitReader } from "./bits.js";

/** A canonical code: for every length the first code, how many there are, and where their symbols begin. */
export interface SymbolTable {
  readonly first: Uint32Array;
  readonly count: Uint32Array;
  readonly index: Uint32Array;
  readonly symbols: Uint16Array;
}

const MAX_LENGTH = 20;

export function huffmanTable(lengths: Uint8Array): SymbolTable {
  const count = new Uint32Array(MAX_LENGTH + 1);
  for (const length of lengths) count[length]++;
  const first = new Uint32Array(MAX_LENGTH + 1);
  const index = new Uint32Array(MAX_LENGTH + 1);
  const symbols = new Uint16Array(lengths.length);
  let code = 0;
  let at = 0;
  for (let length = 1; length <= MAX_LENGTH; length++) {
    code *= 2;
    first[length] = code;
    index[length] = at;
    for (let symbol = 0; symbol < lengths.length; symbol++) if (lengths[symbol] === length) symbols[at++] = symbol;
    code += count[length];
  }
  return { first, count, index, symbols };
}

/** The next symbol; a table that is over-full or not full gives an error or wrong symbols, which the CRC finds. */
export function readSymbol(bits: BitReader, table: SymbolTable): number {
  let code = 0;
  for (let length = 1; length <= MAX_LENGTH; length++) {
    code = (code << 1) | bits.read(1);
    const offset = code - table.first[length];
    if (offset >= 0 && offset < table.count[length]) return table.symbols[table.index[length] + offset];
  }
  throw new InvalidDataError("bzip2: a code that no symbol has");
}
