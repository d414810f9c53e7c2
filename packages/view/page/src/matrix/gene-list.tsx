/** Text field for pasting a list of genes. */

import { useState } from "preact/hooks";
import type { GeneIndex } from "../genes/gene-index.js";

interface GeneListProps {
  readonly index: GeneIndex;
  use(genes: readonly number[]): void;
}

export function GeneList({ index, use }: GeneListProps) {
  const [text, setText] = useState("");
  const names = text.split(/[\s,;]+/).filter((name) => name !== "");
  const found = names.map((name) => ({ name, gene: index.find(name) }));
  const genes = [...new Set(found.flatMap(({ gene }) => (gene === null ? [] : [gene])))];
  const unknown = found.filter(({ gene }) => gene === null).map(({ name }) => name);
  return (
    <form
      class="gene-paste"
      onSubmit={(event) => {
        event.preventDefault();
        if (genes.length > 0) use(genes);
      }}
    >
      <textarea
        aria-label="List of genes"
        placeholder="CD3D, MS4A1, NKG7 …"
        rows={3}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
      />
      <div class="tool-line">
        <button type="submit" class="primary" disabled={genes.length === 0}>
          Use {genes.length} {genes.length === 1 ? "gene" : "genes"}
        </button>
        {unknown.length > 0 && (
          <span class="quiet-text">
            not found, or not unique: {unknown.slice(0, 8).join(", ")}
            {unknown.length > 8 && ` and ${unknown.length - 8} more`}
          </span>
        )}
      </div>
    </form>
  );
}
