import { InvalidDataError, InvalidInputError } from "../../model/errors.js";
import { type Bp128Kind, type Bp128Page, CHUNK, PAGE_BEGIN, PAGE_CHUNKS, type PageOffsets } from "./page.js";

/**
 * Unpacks the chunks that were stored in a page to its `values`.
 * @param words the number of words of `data` that belong to the chunks.
 * @param first the number of the first chunk, for messages.
 * @param place position of the chunks in the page.
 * @throws {InvalidDataError} if a chunk has an impossible width, or the chunks together do not have `words` words.
 */
export function unpackPage(
  page: Bp128Page,
  kind: Bp128Kind,
  chunks: number,
  words: number,
  first = 0,
  place: PageOffsets = PAGE_BEGIN,
): void {
  if (!(chunks >= 0 && chunks <= PAGE_CHUNKS)) {
    throw new InvalidInputError(`a page has at most ${PAGE_CHUNKS} chunks, there are ${chunks}`);
  }
  const idx = page.idx.subarray(place.idx, place.idx + chunks + 1);
  const wrong = page.unpack(kind, chunks, place);
  if (wrong >= 0) {
    const size = (idx[wrong + 1] - idx[wrong]) >>> 0;
    throw new InvalidDataError(
      `chunk ${first + wrong} has ${size} words instead of a multiple of 4 up to ${CHUNK} (positions ${idx[wrong]} and ${idx[wrong + 1]})`,
    );
  }
  const total = (idx[chunks] - idx[0]) >>> 0;
  if (total !== words) {
    throw new InvalidDataError(`chunks ${first} to ${first + chunks} have ${total} words, ${words} were read`);
  }
}
