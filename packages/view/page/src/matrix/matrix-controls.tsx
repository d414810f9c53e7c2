/** Controls for a figure of genes by groups. */

import { FORMS, type MatrixState, ORDERS } from "./matrix-state.js";

interface MatrixControlsProps {
  readonly matrices: readonly string[];
  readonly matrix: string;
  readonly groupings: readonly string[];
  readonly by: string;
  readonly state: MatrixState;
  readonly hasSelection: boolean;
  change(part: Partial<MatrixState>): void;
}

const FORM_WORDS = { dots: "Dots", heat: "Heat map" } as const;
const ORDER_WORDS = { stored: "as stored", name: "by name", size: "by number of cells" } as const;

export function MatrixControls(props: MatrixControlsProps) {
  const { matrices, matrix, groupings, by, state, hasSelection, change } = props;
  return (
    <div class="tool-line">
      <fieldset class="switch" aria-label="Form of the figure">
        {FORMS.map((form) => (
          <button type="button" key={form} aria-pressed={state.form === form} onClick={() => change({ form })}>
            {FORM_WORDS[form]}
          </button>
        ))}
      </fieldset>
      <label>
        Values
        <select value={matrix} onChange={(event) => change({ matrix: event.currentTarget.value })}>
          {matrices.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </label>
      <label>
        Groups
        <select value={by} onChange={(event) => change({ by: event.currentTarget.value })}>
          {groupings.map((name) => (
            <option key={name}>{name}</option>
          ))}
          <option value="">all cells</option>
        </select>
      </label>
      <label>
        Order
        <select
          value={state.order}
          onChange={(event) => change({ order: ORDERS.find((one) => one === event.currentTarget.value) ?? "stored" })}
        >
          {ORDERS.map((order) => (
            <option key={order} value={order}>
              {ORDER_WORDS[order]}
            </option>
          ))}
        </select>
      </label>
      <label>
        <input
          type="checkbox"
          checked={state.isScaled}
          onChange={(event) => change({ isScaled: event.currentTarget.checked })}
        />
        <span>each gene 0 to 1</span>
      </label>
      {hasSelection && (
        <label>
          <input
            type="checkbox"
            checked={state.isWithin}
            onChange={(event) => change({ isWithin: event.currentTarget.checked })}
          />
          <span>selected cells only</span>
        </label>
      )}
    </div>
  );
}
