/**
 * Scrolling over more rows than an element can be high: browsers cut heights at some 16 million pixels. The scrolled
 * element is then lower than the rows together, and its scroll position stands for a place among them.
 */

/** Pixels of the highest scrolled element: all browsers allow it. */
export const HIGHEST = 8_000_000;

export interface Scrolled {
  /** Pixels of all rows together. */
  readonly whole: number;
  /** Pixels that are seen. */
  readonly seen: number;
}

/** Pixels of the scrolled element. */
export function scrolledHeight({ whole }: Scrolled): number {
  return Math.min(whole, HIGHEST);
}

/** Largest distance of the first seen pixel from the first of all. */
export function lastTop({ whole, seen }: Scrolled): number {
  return Math.max(whole - seen, 0);
}

/** Where the first seen pixel lies among those of all rows, for a scroll position of the element. */
export function topOfScroll(scrolled: Scrolled, scrollTop: number): number {
  return within(scrolled, scrollTop * scaleOf(scrolled));
}

/** The inverse of `topOfScroll`. */
export function scrollOfTop(scrolled: Scrolled, top: number): number {
  return within(scrolled, top) / scaleOf(scrolled);
}

/** Pixels of rows that one pixel of scrolling means: 1 where the element is as high as its rows. */
export function scaleOf(scrolled: Scrolled): number {
  const range = scrolledHeight(scrolled) - scrolled.seen;
  return range <= 0 ? 1 : lastTop(scrolled) / range;
}

/** A place that lies among the rows. */
export function within(scrolled: Scrolled, top: number): number {
  return Math.min(Math.max(top, 0), lastTop(scrolled));
}

/** The place from which a row is seen whole; the present one where it already is. */
export function topThatShows(scrolled: Scrolled, top: number, row: number, rowHeight: number): number {
  const start = row * rowHeight;
  if (start < top) return within(scrolled, start);
  const end = start + rowHeight;
  return end > top + scrolled.seen ? within(scrolled, end - scrolled.seen) : top;
}
