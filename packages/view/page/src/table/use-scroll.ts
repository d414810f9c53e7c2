/** Scroll position of a grid, changed by wheel, scroll bar, and calls. */

import { useCallback, useLayoutEffect, useRef, useState } from "preact/hooks";
import { type Scrolled, scaleOf, scrollOfTop, topOfScroll, within } from "./scroll-scale.js";

export interface ScrollPlace {
  readonly element: { readonly current: HTMLDivElement | null };
  /** Pixels above the first visible pixel of the rows, and to its left. */
  readonly top: number;
  readonly left: number;
  /** Size of the element without scroll bars. */
  readonly width: number;
  readonly height: number;
  readonly scrolled: Scrolled;
  onScroll(): void;
  goTo(top: number): void;
  goLeft(left: number): void;
}

/** Height of a line in pixels, for wheels that report lines. */
const LINE = 18;

export function useScroll(rows: number, rowHeight: number, headHeight: number): ScrollPlace {
  const element = useRef<HTMLDivElement>(null);
  const [size, setSize] = useState({ width: 0, height: 0 });
  const [place, setPlace] = useState({ top: 0, left: 0 });
  const scrolled: Scrolled = { whole: rows * rowHeight, seen: Math.max(size.height - headHeight, 0) };
  const now = useRef({ top: 0, expected: 0, scrolled });
  now.current.scrolled = scrolled;

  const goTo = useCallback((target: number) => {
    const { current: scroller } = element;
    if (scroller === null) return;
    const top = within(now.current.scrolled, target);
    scroller.scrollTop = scrollOfTop(now.current.scrolled, top);
    // The browser rounds the scroll position: the following event must not move the position by the rounding error.
    now.current.expected = scroller.scrollTop;
    now.current.top = top;
    setPlace({ top, left: scroller.scrollLeft });
  }, []);

  const onScroll = useCallback(() => {
    const { current: scroller } = element;
    if (scroller === null) return;
    const { scrollTop, scrollLeft } = scroller;
    if (scrollTop !== now.current.expected) {
      now.current.expected = scrollTop;
      now.current.top = topOfScroll(now.current.scrolled, scrollTop);
    }
    setPlace({ top: now.current.top, left: scrollLeft });
  }, []);

  useLayoutEffect(() => {
    const { current: scroller } = element;
    if (scroller === null) return;
    const measure = () => setSize({ width: scroller.clientWidth, height: scroller.clientHeight });
    const observer = new ResizeObserver(measure);
    observer.observe(scroller);
    measure();
    // Even if the scroll bar represents more rows than pixels, the wheel scrolls by pixels.
    const wheel = (event: WheelEvent) => {
      if (scaleOf(now.current.scrolled) === 1 || event.ctrlKey || event.shiftKey || event.deltaY === 0) return;
      event.preventDefault();
      const unit = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? LINE : 1;
      scroller.scrollLeft += event.deltaX * unit;
      goTo(now.current.top + event.deltaY * unit);
    };
    scroller.addEventListener("wheel", wheel, { passive: false });
    return () => {
      observer.disconnect();
      scroller.removeEventListener("wheel", wheel);
    };
  }, [goTo]);

  const goLeft = useCallback((left: number) => {
    const { current: scroller } = element;
    if (scroller === null) return;
    scroller.scrollLeft = left;
    // A key pressed before the event of this scroll must see the new position.
    setPlace({ top: now.current.top, left: scroller.scrollLeft });
  }, []);
  return { element, ...place, top: within(scrolled, place.top), ...size, scrolled, onScroll, goTo, goLeft };
}
