/** Values of a figure of genes by groups, read gene by gene, and again when genes, groups or cells change. */

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { wordsOf } from "../answers/in-words.js";
import { type Answer, useAnswer } from "../answers/use-answer.js";
import type { CellValues } from "../data/cell-values.js";
import type { GeneIndex } from "../genes/gene-index.js";
import type { TabProps } from "../state/view.js";
import { GeneReads } from "./gene-reads.js";
import { type GeneEntries, groupSizes, groupValues, scaled } from "./group-values.js";
import type { MatrixPoint } from "./matrix-figure.js";
import type { MatrixState } from "./matrix-state.js";

export interface MatrixQuestion {
  readonly matrix: string;
  readonly genes: readonly number[];
  /** Column of the groups; empty for a single group. */
  readonly by: string;
}

export interface MatrixValues {
  readonly points: readonly MatrixPoint[];
  readonly genes: readonly string[];
  readonly groups: readonly string[];
  readonly sizes: ReadonlyMap<string, number>;
  /** Number of genes read so far. */
  readonly done: number;
  readonly failure: { readonly message: string; retry(): void } | null;
}

export function useMatrix(
  { view, opened }: TabProps,
  { matrix, genes, by }: MatrixQuestion,
  { order, isScaled, isWithin }: MatrixState,
  index: GeneIndex | null,
): MatrixValues | null {
  const reads = useMemo(() => new GeneReads(view.connection, opened.name), [view, opened]);
  const grouping = useAnswer<CellValues | null>(by === "" ? "" : `by ${by}`, (signal) =>
    by === "" ? Promise.resolve(null) : opened.columns.values("obs", by, signal),
  );
  const key = JSON.stringify([matrix, genes]);
  const entries = useRef<{ key: string; found: (GeneEntries | null)[] }>({ key: "", found: [] });
  if (entries.current.key !== key) entries.current = { key, found: genes.map(() => null) };
  const [version, setVersion] = useState(0);
  const [failure, setFailure] = useState<string | null>(null);
  const [attempt, setAttempt] = useState(0);
  useEffect(() => {
    setFailure(null);
    const reading = new AbortController();
    const { signal } = reading;
    const { found } = entries.current;
    const arrived = (at: number, entry: GeneEntries) => {
      if (signal.aborted) return;
      found[at] = entry;
      setVersion((before) => before + 1);
    };
    reads.read(matrix, genes, arrived, signal).catch((error: unknown) => {
      if (signal.aborted) return;
      setFailure(wordsOf(error));
      reading.abort();
    });
    return () => reading.abort();
  }, [reads, key, attempt]);

  const mask = isWithin ? opened.selection.mask.value : null;
  const cells = opened.description.shape?.[0] ?? 0;
  return useMemo(() => {
    const groups = groupsOf(grouping);
    if (groups === null || index === null) return null;
    const asked = { codes: groups.codes, count: groups.labels.length, mask };
    const sizes = groupSizes(asked, cells);
    const labels = uniqueLabels(genes.map((gene) => index.label(gene)));
    const places = groups.labels.map((_, group) => group).filter((group) => sizes[group] > 0);
    if (order === "size") places.sort((one, other) => sizes[other] - sizes[one]);
    if (order === "name") places.sort((one, other) => groups.labels[one].localeCompare(groups.labels[other]));
    const points = entries.current.found.flatMap((entry, at): MatrixPoint[] => {
      if (entry === null) return [];
      const { means, shares } = groupValues(entry, asked, sizes);
      const colours = isScaled ? scaled(means) : means;
      return places.map((group) => ({
        ...{ gene: labels[at], group: groups.labels[group] },
        ...{ mean: means[group], share: shares[group], colour: colours[group] },
      }));
    });
    return {
      points,
      genes: labels,
      groups: places.map((group) => groups.labels[group]),
      sizes: new Map(places.map((group) => [groups.labels[group], sizes[group]])),
      done: entries.current.found.filter((entry) => entry !== null).length,
      failure: failure === null ? failureOf(grouping) : { message: failure, retry: () => setAttempt(attempt + 1) },
    };
  }, [grouping, index, key, version, failure, mask, order, isScaled, cells]);
}

function groupsOf(grouping: Answer<CellValues | null>) {
  if (grouping.state !== "ready") return null;
  if (grouping.value === null) return { codes: null, labels: ["all cells"] };
  return grouping.value.kind === "codes" ? { codes: grouping.value.codes, labels: grouping.value.categories } : null;
}

function failureOf(answer: Answer<unknown>): MatrixValues["failure"] {
  return answer.state === "failed" ? { message: answer.message, retry: answer.retry } : null;
}

/** Makes gene labels unique. Two genes may share a symbol, but a figure needs distinct names. */
function uniqueLabels(labels: readonly string[]): readonly string[] {
  const seen = new Map<string, number>();
  return labels.map((label) => {
    const count = (seen.get(label) ?? 0) + 1;
    seen.set(label, count);
    return count === 1 ? label : `${label} (${count})`;
  });
}
