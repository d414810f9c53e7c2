/** Offers to make the companion copy if reading genes is slow, and shows its progress. */

import { useSignal } from "@preact/signals";
import type { ViewCompanion, ViewRequest } from "annarrow/view";
import { useEffect } from "preact/hooks";
import { wordsOf } from "../../answers/in-words.js";
import type { EmbeddingPlot } from "../plot/embedding-plot.js";

/** Milliseconds between two progress requests for a copy. */
const ASK = 700;

export function CompanionOffer({ plot }: { readonly plot: EmbeddingPlot }) {
  const { view, opened } = plot;
  const companion = useSignal<ViewCompanion | null>(null);
  const failure = useSignal<string | null>(null);
  const canMake = view.inputs.calls.includes("companion");
  const ask = async (action: "state" | "start" | "stop", signal?: AbortSignal) => {
    const request: ViewRequest = { call: "companion", input: opened.name, action };
    try {
      companion.value = await view.connection.json<ViewCompanion>(request, { signal });
      failure.value = null;
    } catch (error) {
      if (!signal?.aborted) failure.value = wordsOf(error);
    }
  };
  const isMaking = companion.value?.state === "making";
  useEffect(() => {
    if (!canMake) return;
    const asking = new AbortController();
    void ask("state", asking.signal);
    const timer = isMaking ? setInterval(() => void ask("state", asking.signal), ASK) : undefined;
    return () => {
      asking.abort();
      clearInterval(timer);
    };
  }, [canMake, isMaking]);

  if (!canMake) {
    return (
      <p class="quiet-text">Genes are slow here: the file is stored by cells. `annarrow view` can copy it by genes.</p>
    );
  }
  if (failure.value !== null) return <p role="alert">{failure.value}</p>;
  const state = companion.value?.state;
  if (state === undefined || state === "useless") return null;
  if (state === "ready") return <p class="quiet-text">A copy by genes is ready: genes are fast now.</p>;
  return (
    <div class="companion">
      {state === "making" ? (
        <>
          <span>Copying by genes</span>
          <progress max={1} value={companion.value?.done ?? 0} aria-label="Copying by genes" />
          <button type="button" onClick={() => void ask("stop")}>
            Stop
          </button>
        </>
      ) : (
        <>
          <span class="quiet-text">
            {state === "failed" ? companion.value?.message : "This file is stored by cells, so a gene reads all of it."}
          </span>
          <button type="button" onClick={() => void ask("start")}>
            Copy by genes
          </button>
        </>
      )}
    </div>
  );
}
