/** Listings that arrive page by page. */

import { InvalidDataError } from "annarrow";

/** A page, and the marker with which the next page is requested; the marker is null on the last page. */
export interface MarkedPage<T> {
  readonly page: T;
  readonly next: string | null;
}

/**
 * Yields all pages of a list.
 * @param ask requests the page at a marker; null for the first page.
 * @throws {InvalidDataError} if a marker is repeated, because the list would never end.
 */
export async function* readListPages<T>(
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
