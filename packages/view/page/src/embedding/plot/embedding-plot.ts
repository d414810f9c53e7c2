/** State of the embedding: the user's choices, the values read for them, and the layer that draws them. */

import { computed, effect, type ReadonlySignal, type Signal, signal } from "@preact/signals";
import type { ViewTable } from "annarrow/view";
import { wordsOf } from "../../answers/in-words.js";
import { coordinatesIn, plottedTables } from "../../data/coordinates.js";
import { inSlices } from "../../data/slices.js";
import { type GeneIndex, geneMatrices, genesOf, readGeneIndex } from "../../genes/gene-index.js";
import type { StepMode } from "../../selection/selection-steps.js";
import type { OpenedInput, View } from "../../state/view.js";
import { type Camera, type Frame, frameOf, WHOLE } from "../layer/camera.js";
import type { PointLayer } from "../layer/point-layer.js";
import { checkCamera, checkPlot, INITIAL, type PlotColour, type PlotState } from "./plot-state.js";
import { columnColours, geneColours, type PointColours } from "./point-colours.js";
import { type Groups, groupsOf } from "./split-panels.js";

export interface Places {
  readonly xs: ArrayLike<number>;
  readonly ys: ArrayLike<number>;
  readonly frame: Frame;
}

export interface Progress {
  readonly what: string;
  /** Completed fraction, from 0 to 1; null if unknown. */
  readonly share: number | null;
}

/** Milliseconds for which reading new colours delays drawing all points, which would still have the old colours. */
const HOLD = 1000;

export class EmbeddingPlot {
  readonly view: View;
  readonly opened: OpenedInput;
  readonly tables: readonly ViewTable[];
  readonly state: Signal<PlotState>;
  readonly camera: Signal<Camera>;
  readonly chosen: ReadonlySignal<{ readonly table: string; readonly axes: readonly [string, string] } | null>;
  readonly places = signal<Places | null>(null);
  readonly colours = signal<PointColours>({ kind: "none" });
  /** Colours whose values the layer has. Changes only when the new values have been loaded. */
  readonly shown = signal<PointColours>({ kind: "none" });
  readonly groups = signal<Groups | null>(null);
  readonly progress = signal<Progress | null>(null);
  readonly failures = signal<Readonly<Record<string, string>>>({});
  /** True if reading a gene took so long that making a companion copy pays off. */
  readonly isSlow = signal(false);
  readonly layer = signal<PointLayer | null>(null);
  /** Combines the cells in a lasso with the previous selection. */
  readonly mode = signal<StepMode>("within");
  readonly size = signal({ width: 0, height: 0, ratio: 1 });
  readonly isDark = signal(false);
  /** Groups whose index list the layer has. */
  drawnGroups: Groups | null = null;
  readonly #stops: (() => void)[] = [];
  readonly #tasks = new Map<string, AbortController>();

  constructor(view: View, opened: OpenedInput) {
    this.view = view;
    this.opened = opened;
    this.tables = plottedTables(opened.description);
    this.state = view.address.signal("plot", INITIAL, checkPlot);
    this.camera = view.address.signal<Camera>("camera", WHOLE, checkCamera);
    this.chosen = computed(() => this.#choose());
  }

  /** Starts reading and drawing. */
  start(layer: PointLayer): void {
    this.layer.value = layer;
    const dark = window.matchMedia("(prefers-color-scheme: dark)");
    const setTheme = () => {
      this.isDark.value = dark.matches;
    };
    setTheme();
    dark.addEventListener("change", setTheme);
    this.#stops.push(() => dark.removeEventListener("change", setTheme));
    // The displayed state, for tests and tools, because pixels alone do not show when a picture is complete.
    layer.onFrame = (points, isWhole) => {
      const shown = this.shown.peek();
      Object.assign(layer.canvas.dataset, {
        points: String(points),
        state: isWhole ? "whole" : "sample",
        colour: shown.kind === "none" ? "" : shown.title,
      });
    };
    const table = computed(() => JSON.stringify(this.chosen.value));
    const colour = computed(() => JSON.stringify(this.colour));
    const split = computed(() => this.state.value.split);
    this.#follow("places", table, (asked) => this.#readPlaces(layer, asked));
    this.#follow("colours", colour, (asked) => this.#readColours(asked));
    this.#follow(
      "split",
      computed(() => [split.value, this.places.value] as const),
      async (asked) => {
        const { value: column } = split;
        if (column === null || this.places.value === null) {
          this.groups.value = null;
          return;
        }
        const values = await this.opened.columns.values("obs", column, asked);
        if (values.kind !== "codes") throw new TypeError(`${column} has no categories`);
        this.groups.value = await groupsOf(values, layer.order, asked);
      },
    );
    const ready = computed(() => [this.places.value, this.colours.value] as const);
    this.#follow("values", ready, async (asked) => {
      const [places, colours] = ready.value;
      if (places === null) return;
      const values = colours.kind === "none" ? null : colours.kind === "categories" ? colours.codes : colours.values;
      const onSample = () => {
        this.shown.value = colours;
        if (colours.kind !== "numbers" || colours.isWhole) layer.hold(0);
      };
      await layer.setValues(values, { signal: asked, onSample });
    });
    const mask = computed(() => [this.places.value, this.opened.selection.mask.value] as const);
    this.#follow("selected", mask, async (asked) => {
      if (mask.value[0] !== null) await layer.setSelected(mask.value[1], { signal: asked });
    });
  }

  stop(): void {
    for (const stop of this.#stops.splice(0)) stop();
    for (const task of this.#tasks.values()) task.abort();
    this.layer.value?.dispose();
    this.layer.value = null;
  }

  set(change: Partial<PlotState>): void {
    this.state.value = { ...this.state.value, ...change };
  }

  /** Returns the chosen colour; by default the first categorical column. */
  get colour(): PlotColour {
    const { colour } = this.state.value;
    if (colour !== null) return colour;
    const frame = this.opened.description.tables.find(({ name }) => name === "obs");
    const first = frame?.columns.find(({ type, name }) => /^Dictionary</.test(type) && name !== frame.index);
    return first === undefined ? { by: "none" } : { by: "column", column: first.name };
  }

  genes(matrix: string): Promise<GeneIndex> {
    return readGeneIndex(this.opened.columns, this.opened.description, genesOf(matrix));
  }

  #choose(): { table: string; axes: readonly [string, string] } | null {
    const { table: wanted, axes } = this.state.value;
    const table = this.tables.find(({ name }) => name === wanted) ?? this.tables[0];
    if (table === undefined) return null;
    const names = coordinatesIn(table);
    const isKnown = axes?.every((name) => names.includes(name)) ?? false;
    const [x = "", y = ""] = names;
    return { table: table.name, axes: isKnown && axes !== null ? axes : [x, y] };
  }

  async #readPlaces(layer: PointLayer, asked: AbortSignal): Promise<void> {
    const { chosen } = this;
    if (chosen.value === null) return;
    const { table, axes } = chosen.value;
    const [xs, ys] = await Promise.all([
      this.opened.columns.coordinate(table, axes[0], asked),
      this.opened.columns.coordinate(table, axes[1], asked),
    ]);
    const frame = frameOf(await extentOf(xs, asked), await extentOf(ys, asked), table !== "obs");
    await layer.setPlaces([xs, ys], frame, asked);
    this.places.value = { xs, ys, frame };
  }

  async #readColours(asked: AbortSignal): Promise<void> {
    const { colour, opened } = this;
    if (colour.by === "none") {
      this.colours.value = { kind: "none" };
      return;
    }
    this.layer.value?.hold(HOLD);
    if (colour.by === "column") {
      this.colours.value = await columnColours(opened.columns, opened.description, colour.column, asked);
      return;
    }
    const { matrix, genes } = colour;
    if (!geneMatrices(opened.description).some(({ name }) => name === matrix)) {
      throw new RangeError(`there is no matrix ${matrix}`);
    }
    const index = await this.genes(matrix);
    const title = genes.map((position) => index.label(position)).join(", ");
    const cells = opened.description.shape?.[0] ?? 0;
    const question = { input: opened.name, matrix, genes, title, cells };
    const began = performance.now();
    const onDone = (share: number): void => {
      this.progress.value = { what: `Reading ${title}`, share };
      if (performance.now() - began > 1500) this.isSlow.value = true;
      this.layer.value?.hold(HOLD);
    };
    for await (const colours of geneColours(this.view.connection, question, asked, onDone)) {
      asked.throwIfAborted();
      this.colours.value = colours;
    }
  }

  /** Runs a task on each change of a signal, and cancels its previous run. */
  #follow(name: string, on: ReadonlySignal<unknown>, task: (signal: AbortSignal) => Promise<void>): void {
    const stop = effect(() => {
      void on.value;
      this.#tasks.get(name)?.abort();
      const controller = new AbortController();
      this.#tasks.set(name, controller);
      // Runs after the effect, so that the effect depends only on its signal.
      queueMicrotask(() => void this.#run(name, controller.signal, task));
    });
    this.#stops.push(stop);
  }

  async #run(name: string, asked: AbortSignal, task: (signal: AbortSignal) => Promise<void>): Promise<void> {
    if (asked.aborted) return;
    const { [name]: _, ...others } = this.failures.value;
    this.failures.value = others;
    const isReading = name === "places" || name === "colours";
    if (isReading) this.progress.value = { what: "Reading", share: null };
    try {
      await task(asked);
    } catch (error) {
      if (!asked.aborted) this.failures.value = { ...this.failures.value, [name]: wordsOf(error) };
    } finally {
      if (isReading && !asked.aborted) this.progress.value = null;
    }
  }
}

async function extentOf(values: ArrayLike<number>, asked: AbortSignal): Promise<{ low: number; high: number }> {
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  const look = (from: number, to: number): void => {
    for (let at = from; at < to; at++) {
      const value = values[at] as number;
      if (!Number.isFinite(value)) continue;
      if (value < low) low = value;
      if (value > high) high = value;
    }
  };
  await inSlices(values.length, look, { signal: asked });
  return low <= high ? { low, high } : { low: 0, high: 0 };
}
