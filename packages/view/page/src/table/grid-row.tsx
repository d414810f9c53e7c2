/** A grid row with its visible cells. */

import { cellText } from "./cell-text.js";
import type { GridColumn } from "./column-kind.js";
import { boundsOf, isWithin, type Range } from "./grid-range.js";
import { cellRoles, ROW_HEAD, rowRoles } from "./grid-roles.js";
import type { Block, GridRows } from "./grid-rows.js";

export interface GridRowProps {
  readonly row: number;
  /** Pixels below the head. */
  readonly top: number;
  readonly source: GridRows;
  readonly columns: readonly GridColumn[];
  readonly firstColumn: number;
  readonly edges: Float64Array;
  readonly numberWidth: number;
  readonly indent: number;
  readonly range: Range | null;
  readonly colourOf: ((column: GridColumn, label: string) => string | null) | undefined;
}

export function GridRow(props: GridRowProps) {
  const { row, top, source, columns, firstColumn, edges, numberWidth, indent, range } = props;
  const bounds = range === null ? null : boundsOf(range);
  return (
    <div class="grid-row" {...rowRoles(row + 1)} style={{ transform: `translateY(${top}px)` }}>
      <div class="grid-number" {...ROW_HEAD} style={{ width: `${numberWidth}px` }} data-row={row} data-column={-1}>
        {source.positionOf(row)}
      </div>
      <div style={{ width: `${indent}px` }} />
      {columns.map((column, index) => {
        const number = firstColumn + index;
        const found = source.at(row, column.group);
        const isChosen = bounds !== null && isWithin(bounds, { row, column: number });
        const isActive = range !== null && range.active.row === row && range.active.column === number;
        return (
          <div
            key={column.key}
            id={`cell-${row}-${number}`}
            class={`grid-cell kind-${column.kind}${isChosen ? " chosen" : ""}${isActive ? " active" : ""}`}
            {...cellRoles(number, isChosen)}
            style={{ width: `${edges[number + 1] - edges[number]}px` }}
            data-row={row}
            data-column={number}
          >
            {found === null ? (
              <span class="cell-waits" />
            ) : (
              <CellValue column={column} block={found.block} offset={found.offset} colourOf={props.colourOf} />
            )}
          </div>
        );
      })}
    </div>
  );
}

interface CellValueProps {
  readonly column: GridColumn;
  readonly block: Block;
  readonly offset: number;
  readonly colourOf: GridRowProps["colourOf"];
}

function CellValue({ column, block, offset, colourOf }: CellValueProps) {
  const vector = block.get(column.field);
  const text = vector === undefined ? null : cellText(vector, offset, column.item);
  if (text === null) return <span class="null">null</span>;
  // Most values of a matrix are zeros, so non-zero values must stand out.
  if (column.item !== null && text === "0") return <span class="zero">0</span>;
  if (column.kind !== "category") return <>{text === "" ? <span class="null">empty</span> : text}</>;
  const colour = colourOf?.(column, text) ?? null;
  return (
    <span class="chip">
      {colour !== null && <span class="chip-dot" style={{ backgroundColor: colour }} />}
      <span class="chip-text">{text}</span>
    </span>
  );
}
