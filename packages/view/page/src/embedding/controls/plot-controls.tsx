/** Toolbar above the plot: coordinates, colour, split, tools, and saving the plot. */

import { useState } from "preact/hooks";
import { useAnswer } from "../../answers/use-answer.js";
import { coordinatesIn, isNumeric } from "../../data/coordinates.js";
import { GeneChips } from "../../genes/gene-chips.js";
import { geneMatrices } from "../../genes/gene-index.js";
import { GeneSearch } from "../../genes/gene-search.js";
import { axisLabel } from "../../selection/step-words.js";
import type { Tool } from "../canvas/gestures.js";
import { WHOLE } from "../layer/camera.js";
import type { EmbeddingPlot } from "../plot/embedding-plot.js";
import { LookControls } from "./look-controls.js";
import { ToolButtons } from "./tool-buttons.js";

interface PlotControlsProps {
  readonly plot: EmbeddingPlot;
  readonly tool: Tool;
  readonly setTool: (tool: Tool) => void;
}

export function PlotControls({ plot, tool, setTool }: PlotControlsProps) {
  return (
    <div class="plot-controls tool-line">
      <CoordinateChoice plot={plot} />
      <ColourChoice plot={plot} />
      <SplitChoice plot={plot} />
      <span class="spring" />
      <ToolButtons plot={plot} tool={tool} setTool={setTool} />
      <LookControls plot={plot} />
    </div>
  );
}

function CoordinateChoice({ plot }: { readonly plot: EmbeddingPlot }) {
  const chosen = plot.chosen.value;
  const table = plot.tables.find(({ name }) => name === chosen?.table);
  if (chosen === null || table === undefined) return null;
  const names = coordinatesIn(table);
  const setAxis = (axis: 0 | 1, name: string) => {
    const axes: [string, string] = [...chosen.axes];
    axes[axis] = name;
    plot.set({ table: chosen.table, axes });
    plot.camera.value = WHOLE;
  };
  const labels = ["x", "y"] as const;
  return (
    <>
      <label>
        Place
        <select
          value={chosen.table}
          onChange={(event) => {
            plot.set({ table: event.currentTarget.value, axes: null });
            plot.camera.value = WHOLE;
          }}
        >
          {plot.tables.map(({ name }) => (
            <option key={name} value={name}>
              {name === "obs" ? "obs: two columns" : name.replace(/^obsm\//, "")}
            </option>
          ))}
        </select>
      </label>
      {names.length > 2 &&
        ([0, 1] as const).map((axis) => (
          <label key={axis}>
            {labels[axis]}
            <select value={chosen.axes[axis]} onChange={(event) => setAxis(axis, event.currentTarget.value)}>
              {names.map((name) => (
                <option key={name} value={name}>
                  {axisLabel(name)}
                </option>
              ))}
            </select>
          </label>
        ))}
    </>
  );
}

function ColourChoice({ plot }: { readonly plot: EmbeddingPlot }) {
  const { colour } = plot;
  const { description, columns } = plot.opened;
  const frame = description.tables.find(({ name }) => name === "obs");
  const shown = frame?.columns.filter(({ name }) => name !== frame.index) ?? [];
  const matrices = geneMatrices(description);
  const [matrixBefore, setMatrix] = useState(matrices[0]?.name ?? "");
  const matrix = colour.by === "genes" ? colour.matrix : matrixBefore;
  const genes = colour.by === "genes" ? colour.genes : [];
  const index = useAnswer(genes.length > 0 ? matrix : null, () => plot.genes(matrix));
  const setGenes = (next: readonly number[], from = matrix) =>
    plot.set({ colour: next.length === 0 ? null : { by: "genes", matrix: from, genes: [...next] } });
  const labelOf = (position: number) => (index.state === "ready" ? index.value.label(position) : "…");
  return (
    <>
      <label>
        Colour
        <select
          aria-label="Colour by column"
          value={colour.by === "column" ? `column ${colour.column}` : colour.by}
          onChange={(event) => {
            const { value } = event.currentTarget;
            if (value === "none") plot.set({ colour: { by: "none" } });
            else if (value.startsWith("column ")) plot.set({ colour: { by: "column", column: value.slice(7) } });
          }}
        >
          <option value="none">none</option>
          {colour.by === "genes" && <option value="genes">genes</option>}
          {shown.map(({ name }) => (
            <option key={name} value={`column ${name}`}>
              {name}
            </option>
          ))}
        </select>
      </label>
      {matrices.length > 0 && (
        <>
          <GeneSearch
            label="Colour by gene"
            load={() => plot.genes(matrix)}
            onChoose={(position) => setGenes(genes.includes(position) ? genes : [...genes, position])}
          />
          {genes.length > 0 && (
            <GeneChips
              genes={genes.map((position) => ({ position, label: labelOf(position) }))}
              onRemove={(position) => setGenes(genes.filter((one) => one !== position))}
            />
          )}
          {genes.length > 0 && matrices.length > 1 && (
            <select
              aria-label="Matrix"
              value={matrix}
              onChange={(event) => {
                const { value } = event.currentTarget;
                setMatrix(value);
                void inOtherMatrix(genes, value);
              }}
            >
              {matrices.map(({ name }) => (
                <option key={name}>{name}</option>
              ))}
            </select>
          )}
        </>
      )}
    </>
  );

  /** Maps genes to another matrix. Genes of `raw` have other positions, but the same names. */
  async function inOtherMatrix(positions: readonly number[], next: string): Promise<void> {
    const [before, after] = await Promise.all([
      columns.names(matrix.startsWith("raw/") ? "raw/var" : "var"),
      columns.names(next.startsWith("raw/") ? "raw/var" : "var"),
    ]);
    if (before === null || after === null || before === after) return setGenes(positions, next);
    const found = positions.map((position) => after.indexOf(before.get(position)));
    setGenes(
      found.filter((position) => position >= 0),
      next,
    );
  }
}

function SplitChoice({ plot }: { readonly plot: EmbeddingPlot }) {
  const frame = plot.opened.description.tables.find(({ name }) => name === "obs");
  const columns = frame?.columns.filter((column) => column.name !== frame.index && !isNumeric(column)) ?? [];
  if (columns.length === 0) return null;
  return (
    <label>
      Split
      <select
        value={plot.state.value.split ?? ""}
        onChange={(event) => plot.set({ split: event.currentTarget.value || null })}
      >
        <option value="">no</option>
        {columns.map(({ name }) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}
