/** Moves the entries of whole lists to new positions in one pass, for unions and parts that keep most positions. */

/** Lists of entries, whose values are words of 32 bits. */
export interface WordLists {
  /** The ends of the lists; the first one is the start of the first list. */
  readonly pointers: Float64Array;
  readonly minor: Int32Array;
  /** The words of the values: as numbers, the bits of a signalling NaN would change. */
  readonly words: Int32Array;
  readonly wordsPerValue: 1 | 2;
}

/** Memory for as many entries as come in. */
export type PlacedMemory = Pick<WordLists, "minor" | "words">;

/** Least entries of a list, on average, for each word of the bits that are read for it. */
const ENTRIES_PER_WORD = 1 / 8;

/**
 * Moves each entry to the position `one` of its own, leaves it out where that is -1, and sorts each list by the new
 * positions. A bit for each position tells which have an entry: reading the bits in order sorts a list.
 * @param rises whether the new positions rise with the stored ones, so that lists are sorted already.
 * @returns the lists; null where they have few entries, or one has two entries of one position: then others sort them.
 */
export function placedLists(
  one: Int32Array,
  kept: number,
  rises: boolean,
  lists: WordLists,
  memory: PlacedMemory,
): WordLists | null {
  const { pointers, minor, wordsPerValue } = lists;
  if (rises) return keptInOrder(one, lists, memory);
  const work = new Work(kept, wordsPerValue);
  if (minor.length < (pointers.length - 1) * work.bits.length * ENTRIES_PER_WORD) return null;
  const ends = new Float64Array(pointers.length);
  let found = 0;
  for (let list = 1; list < pointers.length; list++) {
    const range = [pointers[list - 1] - pointers[0], pointers[list] - pointers[0]] as const;
    if (!work.collect(one, lists, range)) return null;
    found = work.read(memory, found);
    ends[list] = found;
  }
  return partOf(memory, ends, wordsPerValue);
}

function keptInOrder(one: Int32Array, { pointers, minor, words, wordsPerValue }: WordLists, out: PlacedMemory) {
  const ends = new Float64Array(pointers.length);
  let found = 0;
  for (let list = 1; list < pointers.length; list++) {
    const end = pointers[list] - pointers[0];
    // Without a branch: the next entry takes the place of one that is left out.
    for (let i = pointers[list - 1] - pointers[0]; i < end; i++) {
      const position = one[minor[i]];
      out.minor[found] = position;
      if (wordsPerValue === 1) out.words[found] = words[i];
      else {
        out.words[2 * found] = words[2 * i];
        out.words[2 * found + 1] = words[2 * i + 1];
      }
      found += position >= 0 ? 1 : 0;
    }
    ends[list] = found;
  }
  return partOf(out, ends, wordsPerValue);
}

function partOf({ minor, words }: PlacedMemory, pointers: Float64Array, wordsPerValue: 1 | 2): WordLists {
  const found = pointers[pointers.length - 1];
  return {
    pointers,
    minor: minor.subarray(0, found),
    words: words.subarray(0, found * wordsPerValue),
    wordsPerValue,
  };
}

/** The entries of one list: a bit for each new position, and the value of its entry. */
class Work {
  readonly bits: Int32Array;
  readonly #first: Int32Array;
  readonly #second: Int32Array;
  readonly #isPair: boolean;
  /** The words of bits that may differ from 0. */
  #from = 0;
  #to = 0;

  constructor(positions: number, wordsPerValue: 1 | 2) {
    this.bits = new Int32Array((positions + 31) >>> 5);
    this.#first = new Int32Array(positions);
    this.#isPair = wordsPerValue === 2;
    this.#second = new Int32Array(this.#isPair ? positions : 0);
  }

  /** Takes the entries of a list; false where a position has two. */
  collect(one: Int32Array, { minor, words }: WordLists, [start, end]: readonly [number, number]): boolean {
    const { bits } = this;
    const [first, second, isPair] = [this.#first, this.#second, this.#isPair];
    let [from, to, twice] = [bits.length, 0, 0];
    for (let i = start; i < end; i++) {
      const position = one[minor[i]];
      if (position < 0) continue;
      const word = position >>> 5;
      const bit = 1 << (position & 31);
      twice |= bits[word] & bit;
      bits[word] |= bit;
      if (isPair) {
        first[position] = words[2 * i];
        second[position] = words[2 * i + 1];
      } else first[position] = words[i];
      if (word < from) from = word;
      if (word >= to) to = word + 1;
    }
    [this.#from, this.#to] = [from, to];
    return twice === 0;
  }

  /** Writes the list in the order of its positions from the entry `at` on, and empties it. @returns its end. */
  read(out: PlacedMemory, at: number): number {
    const { bits } = this;
    const [first, second, isPair] = [this.#first, this.#second, this.#isPair];
    const { minor, words } = out;
    let found = at;
    for (let word = this.#from; word < this.#to; word++) {
      let left = bits[word];
      bits[word] = 0;
      while (left !== 0) {
        const position = (word << 5) + 31 - Math.clz32(left & -left);
        minor[found] = position;
        if (isPair) {
          words[2 * found] = first[position];
          words[2 * found + 1] = second[position];
        } else words[found] = first[position];
        found++;
        left &= left - 1;
      }
    }
    return found;
  }
}
