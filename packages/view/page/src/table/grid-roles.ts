/**
 * ARIA roles of the grid for screen readers. Rows and cells are positioned by script and are no HTML table elements, so
 * they need explicit roles.
 */

export function gridRoles(label: string, rows: number, columns: number, active: string | null) {
  return {
    role: "grid",
    tabIndex: 0,
    "aria-label": label,
    "aria-rowcount": rows + 1,
    "aria-colcount": columns,
    "aria-multiselectable": true,
    "aria-activedescendant": active ?? undefined,
  } as const;
}

/** Returns the ARIA roles of a row; row 0 is the header. */
export function rowRoles(row: number) {
  return { role: "row", "aria-rowindex": row + 1 } as const;
}

export function headRoles(column: number, sort: "ascending" | "descending" | "none") {
  return { role: "columnheader", "aria-colindex": column + 1, "aria-sort": sort } as const;
}

export function cellRoles(column: number, isChosen: boolean) {
  return { role: "gridcell", "aria-colindex": column + 1, "aria-selected": isChosen } as const;
}

export const ROW_HEAD = { role: "rowheader" } as const;
