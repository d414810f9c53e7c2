/** The tab `matrix`: chosen genes by groups of cells. */

import { useMemo, useState } from "preact/hooks";
import { FailureNote, PendingNote } from "../answers/notes.js";
import { useAnswer } from "../answers/use-answer.js";
import { download } from "../figure/export.js";
import { Figure } from "../figure/figure.js";
import { GeneChips } from "../genes/gene-chips.js";
import { type GeneIndex, geneMatrices, genesOf, readGeneIndex } from "../genes/gene-index.js";
import { GeneSearch } from "../genes/gene-search.js";
import type { TabProps } from "../state/view.js";
import { columnKind } from "../table/column-kind.js";
import { GeneList } from "./gene-list.js";
import { MatrixControls } from "./matrix-controls.js";
import { drawMatrix } from "./matrix-figure.js";
import { type MatrixState, MOST_GENES, matrixState } from "./matrix-state.js";
import { useMatrix } from "./use-matrix.js";
import { valuesCsv } from "./values-csv.js";

/** Maximum number of cells for which default genes are shown: reading these must be cheap. */
const FEW_CELLS = 200_000;
const SOME_GENES = 10;

export function MatrixTab({ view, opened }: TabProps) {
  const state = matrixState(view);
  const { description, columns, selection } = opened;
  const matrices = useMemo(() => geneMatrices(description).map(({ name }) => name), [description]);
  const groupings = useMemo(
    () =>
      (description.tables.find(({ name }) => name === "obs")?.columns ?? [])
        .filter(({ type }) => ["category", "boolean"].includes(columnKind(type)))
        .map(({ name }) => name),
    [description],
  );
  const matrix = matrices.find((name) => name === state.value.matrix) ?? matrices[0] ?? "";
  const table = genesOf(matrix);
  const index = useAnswer<GeneIndex>(matrix === "" ? null : table, () => readGeneIndex(columns, description, table));
  if (matrix === "") return <p class="quiet-text chart-note">This file has no matrix of cells and genes.</p>;
  const change = (part: Partial<MatrixState>) => {
    state.value = { ...state.value, ...part };
  };
  if (index.state === "failed") return <FailureNote message={index.message} retry={index.retry} />;
  if (index.state === "pending") return <PendingNote>Reading the genes…</PendingNote>;
  const isCheap = (description.shape?.[0] ?? 0) <= FEW_CELLS;
  const some = Array.from({ length: isCheap ? Math.min(SOME_GENES, index.value.count) : 0 }, (_, gene) => gene);
  const genes = (state.value.genes ?? selection.genes.value ?? some)
    .filter((gene) => gene < index.value.count)
    .slice(0, MOST_GENES);
  const by =
    groupings.find((column) => column === state.value.by) ?? (state.value.by === "" ? "" : (groupings[0] ?? ""));
  return (
    <div class="matrix-tab">
      <MatrixControls
        {...{ matrices, matrix, groupings, by, change }}
        state={state.value}
        hasSelection={selection.mask.value !== null}
      />
      <Genes genes={genes} index={index.value} set={(next) => change({ genes: next.slice(0, MOST_GENES) })} />
      {genes.length === 0 ? (
        <p class="quiet-text chart-note">Search genes, or paste a list of them.</p>
      ) : (
        <MatrixFigure
          view={view}
          opened={opened}
          question={{ matrix, genes, by }}
          state={state.value}
          index={index.value}
        />
      )}
    </div>
  );
}

interface GenesProps {
  readonly genes: readonly number[];
  readonly index: GeneIndex;
  set(genes: readonly number[]): void;
}

function Genes({ genes, index, set }: GenesProps) {
  const [isPasting, setPasting] = useState(false);
  return (
    <>
      <div class="tool-line">
        <GeneSearch
          label="Add a gene by name or symbol"
          load={async () => index}
          onChoose={(gene) => set(genes.includes(gene) ? genes : [...genes, gene])}
        />
        <button type="button" aria-expanded={isPasting} onClick={() => setPasting(!isPasting)}>
          Paste a list
        </button>
        <button type="button" onClick={() => set([])} disabled={genes.length === 0}>
          Remove all
        </button>
      </div>
      {isPasting && (
        <GeneList
          index={index}
          use={(found) => {
            set(found);
            setPasting(false);
          }}
        />
      )}
      <GeneChips
        genes={genes.map((position) => ({ position, label: index.label(position) }))}
        onRemove={(gene) => set(genes.filter((one) => one !== gene))}
      />
    </>
  );
}

interface MatrixFigureProps extends TabProps {
  readonly question: { readonly matrix: string; readonly genes: readonly number[]; readonly by: string };
  readonly state: MatrixState;
  readonly index: GeneIndex;
}

function MatrixFigure({ view, opened, question, state, index }: MatrixFigureProps) {
  const values = useMatrix({ view, opened }, question, state, index);
  if (values === null) return <PendingNote>Reading the groups…</PendingNote>;
  const { genes, groups, points, sizes, done, failure } = values;
  const { matrix } = question;
  return (
    <>
      {failure !== null && <FailureNote message={failure.message} retry={failure.retry} />}
      {failure === null && done < genes.length && (
        <PendingNote>
          {done} of {genes.length} genes are read
        </PendingNote>
      )}
      {groups.length === 0 ? (
        <p class="quiet-text chart-note">No selected cell belongs to a group.</p>
      ) : (
        <div>
          <Figure
            name={`${opened.name} ${matrix} by ${question.by}`}
            label={`Genes of ${matrix} by ${question.by || "all cells"}`}
            version={values}
            draw={(width) =>
              drawMatrix({ points, genes, groups, form: state.form, isScaled: state.isScaled, matrix }, width)
            }
          />
          <button
            type="button"
            disabled={done < genes.length}
            onClick={() => download(valuesCsv(points, sizes), "genes-by-groups.csv")}
          >
            Save the values as CSV
          </button>
        </div>
      )}
    </>
  );
}
