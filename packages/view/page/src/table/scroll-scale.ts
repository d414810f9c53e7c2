/**
 * Scrolling over more rows than an element can be high: browsers limit heights to about 16 million pixels. The scrolled
 * element is then lower than all rows together, and its scroll position represents a proportional position among them.
 */

/** Maximum height of the scrolled element in pixels, which all browsers support. */
export const HIGHEST = 8_000_000;

export interface Scrolled {
  /** Total height of all rows, in pixels. */
  readonly whole: number;
  /** Visible height, in pixels. */
  readonly seen: number;
}

export function scrolledHeight({ whole }: Scrolled): number {
  return Math.min(whole, HIGHEST);
}

/** Returns the maximum offset of the first visible pixel. */
export function lastTop({ whole, seen }: Scrolled): number {
  return Math.max(whole - seen, 0);
}

/** Returns the row offset (in pixels) of the first visible pixel for a scroll position of the element. */
export function topOfScroll(scrolled: Scrolled, scrollTop: number): number {
  return within(scrolled, scrollTop * scaleOf(scrolled));
}

/** The inverse of `topOfScroll`. */
export function scrollOfTop(scrolled: Scrolled, top: number): number {
  return within(scrolled, top) / scaleOf(scrolled);
}

/** Returns the row pixels per pixel of scrolling; 1 if the element is as high as its rows. */
export function scaleOf(scrolled: Scrolled): number {
  const range = scrolledHeight(scrolled) - scrolled.seen;
  return range <= 0 ? 1 : lastTop(scrolled) / range;
}

/** Clamps an offset to the range of the rows. */
export function within(scrolled: Scrolled, top: number): number {
  return Math.min(Math.max(top, 0), lastTop(scrolled));
}

/** Returns the offset at which a row is completely visible; unchanged if it already is. */
export function topThatShows(scrolled: Scrolled, top: number, row: number, rowHeight: number): number {
  const start = row * rowHeight;
  if (start < top) return within(scrolled, start);
  const end = start + rowHeight;
  return end > top + scrolled.seen ? within(scrolled, end - scrolled.seen) : top;
}
