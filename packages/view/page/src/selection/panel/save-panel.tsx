/** Saves the selected cells and genes as a file. */

import type { SavedFormat, ViewRequest, ViewSaving } from "annarrow/view";
import { useRef, useState } from "preact/hooks";
import { sizeInWords, wordsOf } from "../../answers/in-words.js";
import { FailureNote } from "../../answers/notes.js";
import type { OpenedInput, View } from "../../state/view.js";
import { maskBits } from "../mask-bits.js";

const FORMATS: readonly (readonly [SavedFormat, string])[] = [
  ["h5ad", ".h5ad, all elements"],
  ["zarr.zip", ".zarr.zip, all elements"],
  ["parquet", "Parquet, obs"],
  ["arrow", "Arrow, obs"],
  ["csv", "CSV, obs"],
  ["names", "Names of the cells"],
];

type Saving =
  | { readonly state: "idle" }
  | { readonly state: "saving"; readonly saving: ViewSaving | null }
  | { readonly state: "done" };

export function SavePanel({ view, opened }: { readonly view: View; readonly opened: OpenedInput }) {
  const [format, setFormat] = useState<SavedFormat>("h5ad");
  const [saving, setSaving] = useState<Saving>({ state: "idle" });
  const [failure, setFailure] = useState<string | null>(null);
  const controller = useRef<AbortController | null>(null);
  const { selection } = opened;
  const canSave = view.inputs.calls.includes("save");
  const isWaiting = selection.isEvaluating.value || selection.failure.value !== null;

  const save = async () => {
    const asking = new AbortController();
    controller.current = asking;
    setFailure(null);
    setSaving({ state: "saving", saving: null });
    try {
      const onSaving = (saving: ViewSaving) => setSaving({ state: "saving", saving });
      await view.connection.save(saveRequest(opened, format), { signal: asking.signal, onSaving });
      setSaving({ state: "done" });
    } catch (error) {
      setSaving({ state: "idle" });
      if (!asking.signal.aborted) setFailure(wordsOf(error));
    }
  };
  if (!canSave) return <p class="quiet-text">To save a part, open the file by `annarrow view`.</p>;
  return (
    <section aria-label="Save as">
      <h2>Save as</h2>
      <div class="tool-line save-line">
        <select
          aria-label="Format"
          value={format}
          onChange={(event) => {
            const found = FORMATS.find(([one]) => one === event.currentTarget.value);
            if (found !== undefined) setFormat(found[0]);
          }}
        >
          {FORMATS.map(([one, words]) => (
            <option key={one} value={one}>
              {words}
            </option>
          ))}
        </select>
        {saving.state === "saving" ? (
          <button type="button" onClick={() => controller.current?.abort()}>
            Cancel
          </button>
        ) : (
          <button type="button" class="primary" disabled={isWaiting} onClick={() => void save()}>
            Save
          </button>
        )}
      </div>
      {saving.state === "saving" && (
        <div role="status">
          <progress
            class="selection-share"
            aria-label="Saving"
            {...(saving.saving?.share == null ? {} : { value: saving.saving.share })}
          />
          <bdi class="quiet-text">{wordsOfSaving(saving.saving)}</bdi>
        </div>
      )}
      {saving.state === "done" && (
        <p role="status" class="quiet-text">
          The browser has the file.
        </p>
      )}
      {failure !== null && <FailureNote message={failure} />}
    </section>
  );
}

/** Describes the progress: the current element, or the amount written. */
export function wordsOfSaving(saving: ViewSaving | null): string {
  return saving?.element ?? (saving?.bytes == null ? "" : sizeInWords(saving.bytes));
}

/** Returns the request to save the selection: cells as a bit mask, genes by position. */
export function saveRequest({ name, selection }: OpenedInput, format: SavedFormat): ViewRequest & { call: "save" } {
  const mask = selection.mask.value;
  const genes = selection.genes.value;
  return {
    ...{ call: "save", input: name, format },
    obs: mask === null ? undefined : { mask: maskBits(mask) },
    var: genes === null ? undefined : { positions: [...genes] },
  };
}
