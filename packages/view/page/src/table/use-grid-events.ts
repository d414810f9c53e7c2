/** Pointer and key events of a grid, with a single listener for all cells. */

import { useEffect, useRef } from "preact/hooks";

export interface GridEvents {
  /** Handles a press on a cell; column -1 is the row number. */
  press(row: number, column: number, event: MouseEvent): void;
  doublePress(row: number, column: number): void;
  key(event: KeyboardEvent): void;
}

export function useGridEvents(element: { readonly current: HTMLElement | null }, events: GridEvents): void {
  const now = useRef(events);
  now.current = events;
  useEffect(() => {
    const { current: grid } = element;
    if (grid === null) return;
    const stop = new AbortController();
    const { signal } = stop;
    const press = (event: MouseEvent) => {
      const cell = cellOf(event);
      if (cell === null || event.button !== 0) return;
      now.current.press(...cell, event);
      // Dragging extends the range until the button is released.
      const drag = new AbortController();
      const over = (moved: MouseEvent) => {
        const other = cellOf(moved);
        if (other !== null) now.current.press(...other, new MouseEvent("mousedown", { shiftKey: true }));
      };
      grid.addEventListener("mouseover", over, { signal: drag.signal });
      window.addEventListener("mouseup", () => drag.abort(), { signal: drag.signal });
    };
    grid.addEventListener("mousedown", press, { signal });
    grid.addEventListener(
      "dblclick",
      (event) => {
        const cell = cellOf(event);
        if (cell !== null && cell[1] >= 0) now.current.doublePress(...cell);
      },
      { signal },
    );
    grid.addEventListener("keydown", (event) => now.current.key(event), { signal });
    return () => stop.abort();
  }, [element]);
}

function cellOf({ target }: Event): readonly [row: number, column: number] | null {
  const cell = target instanceof Element ? target.closest<HTMLElement>("[data-row]") : null;
  return cell === null ? null : [Number(cell.dataset.row), Number(cell.dataset.column)];
}
