/** Panel for the selected genes: all, or genes searched for or pasted. */

import { useRef, useState } from "preact/hooks";
import { wordsOf } from "../../answers/in-words.js";
import { useAnswer } from "../../answers/use-answer.js";
import { GeneChips } from "../../genes/gene-chips.js";
import { type GeneIndex, readGeneIndex } from "../../genes/gene-index.js";
import { GeneSearch } from "../../genes/gene-search.js";
import type { OpenedInput } from "../../state/view.js";

/** Maximum number of genes listed individually. */
const SHOWN = 40;

export function GenePanel({ opened }: { readonly opened: OpenedInput }) {
  const { selection, description, columns } = opened;
  const [isPasting, setPasting] = useState(false);
  const [note, setNote] = useState<string | null>(null);
  const pasted = useRef<HTMLTextAreaElement>(null);
  const chosen = selection.genes.value;
  const all = description.shape?.[1] ?? 0;
  const load = () => readGeneIndex(columns, description, "var");
  const index = useAnswer(chosen === null ? null : "genes", load);
  const labelOf = (position: number) => (index.state === "ready" ? index.value.label(position) : "…");
  const add = (positions: readonly number[]) => {
    selection.genes.value = [...new Set([...(chosen ?? []), ...positions])];
  };
  const paste = async () => {
    try {
      const { found, unknown } = findAll(await load(), pasted.current?.value ?? "");
      if (found.length > 0) add(found);
      setPasting(unknown.length > 0 && found.length === 0);
      setNote(
        unknown.length === 0
          ? null
          : `Not found: ${unknown.slice(0, 10).join(", ")}${unknown.length > 10 ? ", …" : ""}`,
      );
    } catch (error) {
      setNote(wordsOf(error));
    }
  };
  return (
    <section>
      <h2>Genes</h2>
      <p class="selection-count">
        <strong>{(chosen?.length ?? all).toLocaleString("en")}</strong>{" "}
        {chosen === null ? "genes, all" : `of ${all.toLocaleString("en")} genes`}
      </p>
      {chosen !== null && (
        <GeneChips
          genes={chosen.slice(0, SHOWN).map((position) => ({ position, label: labelOf(position) }))}
          onRemove={(position) => {
            const others = chosen.filter((one) => one !== position);
            selection.genes.value = others.length === 0 ? null : others;
          }}
        />
      )}
      {chosen !== null && chosen.length > SHOWN && (
        <p class="quiet-text">{(chosen.length - SHOWN).toLocaleString("en")} more</p>
      )}
      <GeneSearch label="Add a gene" load={load} onChoose={(position) => add([position])} />
      {isPasting && (
        <>
          <textarea
            ref={pasted}
            rows={4}
            aria-label="Names of genes"
            placeholder="Names, one a line"
            spellcheck={false}
          />
          <button type="button" class="primary" onClick={() => void paste()}>
            Add these
          </button>
        </>
      )}
      {note !== null && (
        <p role="alert" class="quiet-text">
          {note}
        </p>
      )}
      <div class="tool-line">
        <button type="button" aria-expanded={isPasting} onClick={() => setPasting(!isPasting)}>
          Paste a list
        </button>
        <button
          type="button"
          disabled={chosen === null}
          onClick={() => {
            selection.genes.value = null;
            setNote(null);
          }}
        >
          All genes
        </button>
      </div>
    </section>
  );
}

/** Finds the genes in a text with names separated by spaces, commas, semicolons or line breaks. */
export function findAll(index: GeneIndex, text: string): { found: readonly number[]; unknown: readonly string[] } {
  const found: number[] = [];
  const unknown: string[] = [];
  for (const name of new Set(text.split(/[\s,;]+/).filter(Boolean))) {
    const position = index.find(name);
    if (position === null) unknown.push(name);
    else found.push(position);
  }
  return { found, unknown };
}
