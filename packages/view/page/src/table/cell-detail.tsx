/** Shows a single value in full. */

import { useEffect, useRef } from "preact/hooks";
import { FailureNote, PendingNote } from "../answers/notes.js";
import { useAnswer } from "../answers/use-answer.js";
import { visible, wholeText } from "./cell-text.js";
import type { GridColumn } from "./column-kind.js";
import type { GridRows } from "./grid-rows.js";

export interface DetailedCell {
  readonly row: number;
  readonly column: GridColumn;
}

/** Maximum number of characters shown; more would freeze the page. */
const LONGEST = 200_000;

export function CellDetail({ cell, rows, close }: { cell: DetailedCell; rows: GridRows; close: () => void }) {
  const { row, column } = cell;
  const element = useRef<HTMLDialogElement>(null);
  useEffect(() => element.current?.showModal(), []);
  const value = useAnswer(`${row} ${column.key}`, async (signal) => {
    const block = await rows.read({ start: row, end: row + 1, group: column.group }, signal);
    const vector = block.get(column.field);
    return vector === undefined ? null : wholeText(vector, 0, column.item);
  });
  const text = value.state === "ready" ? value.value : null;
  return (
    <dialog ref={element} class="cell-detail" onClose={close} aria-label={`Value of ${column.label}`}>
      <header>
        <strong>{visible(column.label)}</strong>
        <span class="quiet-text">
          row {rows.positionOf(row).toLocaleString("en")} · {column.type}
        </span>
        <span class="spring" />
        <button type="button" onClick={() => void navigator.clipboard.writeText(text ?? "")} disabled={text === null}>
          Copy
        </button>
        <button type="button" onClick={() => element.current?.close()}>
          Close
        </button>
      </header>
      {value.state === "pending" && <PendingNote />}
      {value.state === "failed" && <FailureNote message={value.message} retry={value.retry} />}
      {value.state === "ready" && text === null && <p class="null">null</p>}
      {text !== null && <pre>{text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text}</pre>}
      {text !== null && text.length > 80 && <p class="quiet-text">{text.length.toLocaleString("en")} characters</p>}
    </dialog>
  );
}
