/** Lists that come page by page. */

import { InvalidDataError } from "../../model/errors.js";

/** A page, and the mark by which the next one is asked for; null behind the last one. */
export interface MarkedPage<T> {
  readonly page: T;
  readonly next: string | null;
}

/**
 * All pages of a list.
 * @param ask asks for the page at a mark; null for the first one.
 * @throws {InvalidDataError} where a mark comes a second time: the list would never end.
 */
export async function* pagesOf<T>(
  source: string,
  ask: (mark: string | null) => Promise<MarkedPage<T>>,
): AsyncGenerator<T> {
  const marks = new Set<string>();
  let mark: string | null = null;
  do {
    const { page, next }: MarkedPage<T> = await ask(mark);
    yield page;
    if (next !== null && marks.has(next))
      throw new InvalidDataError("the list of objects goes in a circle", { source });
    if (next !== null) marks.add(next);
    mark = next;
  } while (mark !== null);
}
