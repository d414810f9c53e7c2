/** A table with any number of rows and columns. Only the visible part is rendered as elements. */

import type { ComponentChildren } from "preact";
import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { wordsOf } from "../answers/in-words.js";
import { FailureNote } from "../answers/notes.js";
import { type GridColumn, usualWidth } from "./column-kind.js";
import { columnPlaces, columnsInSight } from "./column-places.js";
import { tsvOf } from "./copy.js";
import { boundsOf, type Cell, moved, type Range } from "./grid-range.js";
import { gridRoles, headRoles, rowRoles } from "./grid-roles.js";
import { GridRow } from "./grid-row.js";
import type { GridRows } from "./grid-rows.js";
import { scrolledHeight, topThatShows } from "./scroll-scale.js";
import { useGridEvents } from "./use-grid-events.js";
import { useScroll } from "./use-scroll.js";

/** Height of a row in pixels. */
const ROW = 25;
const NARROWEST = 40;

/** Methods of a grid for other components. */
export interface GridHandle {
  goTo(row: number): void;
  /** Copies the selected cells as text. */
  copy(): Promise<void>;
}

export interface GridProps {
  readonly rows: GridRows;
  readonly label: string;
  readonly headHeight: number;
  readonly handle?: { current: GridHandle | null };
  /** Returns the sort direction of a column, for screen readers. */
  sortOf?(column: GridColumn): "ascending" | "descending" | "none";
  head(column: GridColumn): ComponentChildren;
  colourOf?(column: GridColumn, label: string): string | null;
  openCell(row: number, column: GridColumn): void;
  /** Reports the result of copying. */
  told(message: string): void;
}

export function Grid(props: GridProps) {
  const { rows: source, label, headHeight, handle, openCell, told } = props;
  const { columns, rows } = source;
  // Reading the signal renders the grid again when rows arrive.
  source.version.value;
  const scroll = useScroll(rows, ROW, headHeight);
  const [widths, setWidths] = useState<ReadonlyMap<string, number>>(new Map());
  const [range, setRange] = useState<Range | null>(null);
  const numberWidth = Math.max(String(source.positions).length * 8 + 18, 44);
  const places = useMemo(
    () =>
      columnPlaces(
        columns.map((column) => widths.get(column.key) ?? usualWidth(column)),
        numberWidth,
      ),
    [columns, widths, numberWidth],
  );
  const firstRow = Math.floor(scroll.top / ROW);
  const endRow = Math.min(Math.ceil((scroll.top + scroll.scrolled.seen) / ROW), rows);
  const [firstColumn, endColumn] = columnsInSight(places, scroll.left + numberWidth, scroll.left + scroll.width);
  const firstGroup = columns[firstColumn]?.group ?? 0;
  const endGroup = (columns[Math.max(endColumn - 1, 0)]?.group ?? 0) + 1;
  // Layout effect, because it runs before the first paint, which has no rows yet: a normal effect would request them a
  // frame or two later.
  useLayoutEffect(() => {
    if (endRow > firstRow) source.see({ rows: [firstRow, endRow], groups: [firstGroup, endGroup] });
  }, [source, firstRow, endRow, firstGroup, endGroup]);

  const show = ({ row, column }: Cell) => {
    scroll.goTo(topThatShows(scroll.scrolled, scroll.top, row, ROW));
    const start = places.edges[column] - numberWidth;
    const end = places.edges[column + 1];
    if (start < scroll.left) scroll.goLeft(start);
    else if (end > scroll.left + scroll.width) scroll.goLeft(end - scroll.width);
  };
  const resize = (column: GridColumn, width: number) =>
    setWidths(new Map(widths).set(column.key, Math.max(width, NARROWEST)));
  const copy = async () => {
    if (range === null) return;
    const bounds = boundsOf(range);
    const count = (bounds.rows[1] - bounds.rows[0]) * (bounds.columns[1] - bounds.columns[0]);
    try {
      await navigator.clipboard.writeText(await tsvOf(source, bounds, count > 1, new AbortController().signal));
      told(`Copied ${count.toLocaleString("en")} ${count === 1 ? "cell" : "cells"}.`);
    } catch (error) {
      told(`Nothing was copied: ${wordsOf(error)}`);
    }
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.target !== event.currentTarget || rows === 0) return;
    const present = range ?? { anchor: { row: firstRow, column: 0 }, active: { row: firstRow, column: 0 } };
    const column = columns[present.active.column];
    if (event.altKey && (event.key === "ArrowLeft" || event.key === "ArrowRight")) {
      resize(column, (widths.get(column.key) ?? usualWidth(column)) + (event.key === "ArrowLeft" ? -12 : 12));
    } else if (event.key === "c" && (event.ctrlKey || event.metaKey)) void copy();
    else if (event.key === "a" && (event.ctrlKey || event.metaKey)) {
      setRange({ anchor: { row: 0, column: 0 }, active: { row: rows - 1, column: columns.length - 1 } });
    } else if (event.key === "Enter") openCell(present.active.row, column);
    else {
      const page = Math.max(Math.floor(scroll.scrolled.seen / ROW) - 1, 1);
      const next = moved(present, event, { rows, columns: columns.length, page });
      if (next === null) return;
      setRange(next);
      show(next.active);
    }
    event.preventDefault();
  };
  if (handle !== undefined) {
    handle.current = {
      copy,
      goTo: (row) => {
        const column = range?.active.column ?? 0;
        setRange({ anchor: { row, column }, active: { row, column } });
        scroll.goTo(Math.max(row * ROW - scroll.scrolled.seen / 3, 0));
      },
    };
  }
  const choose = (row: number, column: number, isLonger: boolean) => {
    const isWholeRow = column < 0;
    const active = { row, column: isWholeRow ? columns.length - 1 : column };
    const start = isLonger && range !== null ? range.anchor : { row, column: isWholeRow ? 0 : column };
    setRange({ anchor: isWholeRow ? { ...start, column: 0 } : start, active });
  };

  useGridEvents(scroll.element, {
    press: (row, column, event) => choose(row, column, event.shiftKey),
    doublePress: (row, column) => openCell(row, columns[column]),
    key: onKeyDown,
  });

  const failure = source.failure();
  const seenColumns = columns.slice(firstColumn, endColumn);
  const indent = places.edges[firstColumn] - numberWidth;
  return (
    <>
      {failure !== null && <FailureNote message={wordsOf(failure)} retry={() => source.retry()} />}
      <div
        class="grid"
        {...gridRoles(
          label,
          rows,
          columns.length,
          range === null ? null : `cell-${range.active.row}-${range.active.column}`,
        )}
        ref={scroll.element}
        onScroll={scroll.onScroll}
      >
        <div
          class="grid-space"
          style={{
            height: `${headHeight + scrolledHeight(scroll.scrolled)}px`,
            width: `${places.edges[columns.length]}px`,
          }}
        >
          <div class="grid-window" style={{ height: `${scroll.height}px` }}>
            <div class="grid-head" {...rowRoles(0)} style={{ height: `${headHeight}px` }}>
              <div class="grid-number" style={{ width: `${numberWidth}px` }} />
              <div style={{ width: `${indent}px` }} />
              {seenColumns.map((column, index) => (
                <HeadCell
                  key={column.key}
                  column={column}
                  index={firstColumn + index}
                  width={places.edges[firstColumn + index + 1] - places.edges[firstColumn + index]}
                  sort={props.sortOf?.(column) ?? "none"}
                  resize={(width) => resize(column, width)}
                >
                  {props.head(column)}
                </HeadCell>
              ))}
            </div>
            <div class="grid-rows">
              {Array.from({ length: Math.max(endRow - firstRow, 0) }, (_, index) => firstRow + index).map((row) => (
                <GridRow
                  key={row}
                  row={row}
                  top={row * ROW - scroll.top}
                  source={source}
                  columns={seenColumns}
                  firstColumn={firstColumn}
                  edges={places.edges}
                  numberWidth={numberWidth}
                  indent={indent}
                  range={range}
                  colourOf={props.colourOf}
                />
              ))}
            </div>
          </div>
        </div>
      </div>
    </>
  );
}

interface HeadCellProps {
  readonly column: GridColumn;
  readonly index: number;
  readonly width: number;
  readonly sort: "ascending" | "descending" | "none";
  readonly children: ComponentChildren;
  resize(width: number): void;
}

function HeadCell({ column, index, width, sort, resize, children }: HeadCellProps) {
  const start = useRef<{ x: number; width: number } | null>(null);
  return (
    <div class={`grid-head-cell kind-${column.kind}`} {...headRoles(index, sort)} style={{ width: `${width}px` }}>
      {children}
      <div
        class="grid-resize"
        aria-hidden="true"
        onPointerDown={(event) => {
          start.current = { x: event.clientX, width };
          event.currentTarget.setPointerCapture(event.pointerId);
        }}
        onPointerMove={(event) => {
          if (start.current !== null) resize(start.current.width + event.clientX - start.current.x);
        }}
        onLostPointerCapture={() => {
          start.current = null;
        }}
      />
    </div>
  );
}
