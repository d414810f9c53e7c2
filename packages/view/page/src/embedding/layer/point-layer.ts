/**
 * Points on a canvas. While the picture moves, only a sample of the points is drawn, and never a second frame before
 * the graphics card has finished the first. At rest, all points are drawn in batches into an image, which is shown as
 * it fills. Without a graphics card the CPU draws, in batches of some hundredths of a second.
 */

import { type Camera, type Frame, WHOLE } from "./camera.js";
import { Picture } from "./picture.js";
import { type PointAttribute, PointBuffers, type PointValues } from "./point-buffers.js";
import { PointOrder } from "./point-order.js";
import { type Panel, PointProgram, type PointStyle } from "./point-program.js";
import { ATTRIBUTE } from "./point-shaders.js";

/** Number of points in a sample: as many as are drawn within `time` milliseconds, so that gestures stay smooth. */
const SAMPLE = { first: 50_000, most: 100_000, least: 10_000, time: 40 } as const;
/** Milliseconds of rest before all points are drawn. */
const REST = 120;
/** Target milliseconds of a slice, and number of points in the first one. */
const SLICE = 45;
const FIRST_SLICE = 50_000;
/** Maximum milliseconds that points with new colours wait for the sample to be drawn: a hidden page draws none. */
const PATIENCE = 300;
/** Milliseconds between two displays of an image that is still being drawn. */
const SHOW = 350;

export interface Setting {
  readonly signal: AbortSignal;
  /** Called when the sample has the new numbers, before it is drawn. */
  readonly onSample?: () => void;
}

export class PointLayer {
  readonly canvas: HTMLCanvasElement;
  readonly #gl: WebGL2RenderingContext;
  readonly #program: PointProgram;
  readonly #picture: Picture;
  #buffers: PointBuffers;
  #order = new PointOrder(0);
  #camera: Camera = WHOLE;
  #style: PointStyle | null = null;
  #panels: readonly Panel[] = [];
  #ratio = 1;
  #sample: number = SAMPLE.first;
  #slice = FIRST_SLICE;
  /** Points drawn per millisecond; 0 if not yet known. */
  #rate = 0;
  #frame = 0;
  #lastMove = Number.NEGATIVE_INFINITY;
  #heldUntil = Number.NEGATIVE_INFINITY;
  /** Attributes whose numbers only the sample has so far. */
  readonly #partial = new Set<PointAttribute>();
  #isDirty = false;
  #whole: AbortController | null = null;
  #busy: Promise<void> | null = null;
  #resting: (() => void)[] = [];
  /** Whether the sample does not contain all points. */
  #isPart = false;
  /** Callbacks that wait for the next sample. */
  #waiting: (() => void)[] = [];
  /** Called after each frame, with the number of points shown. */
  onFrame: ((drawn: number, isWhole: boolean) => void) | null = null;

  /** @throws {Error} where the browser has no WebGL 2. */
  constructor(canvas: HTMLCanvasElement) {
    const gl = canvas.getContext("webgl2", { antialias: false, depth: true, alpha: true, premultipliedAlpha: true });
    if (gl === null) throw new Error("This browser cannot draw points: it has no WebGL 2.");
    this.canvas = canvas;
    this.#gl = gl;
    this.#program = new PointProgram(gl);
    this.#picture = new Picture(gl);
    this.#buffers = new PointBuffers(gl);
  }

  get order(): PointOrder {
    return this.#order;
  }

  async setPlaces(places: readonly [ArrayLike<number>, ArrayLike<number>], frame: Frame, signal?: AbortSignal) {
    const order = new PointOrder(places[0].length);
    this.#stopWhole();
    await this.#buffers.setPlaces(order, places, frame, signal);
    this.#order = order;
    this.#change();
  }

  /** Sets the values for colours. `onSample` is called once the sample has them, so that the style can be changed. */
  setValues(values: PointValues | null, setting: Setting): Promise<void> {
    return this.#setNumbers(ATTRIBUTE.value, values, setting);
  }

  /** Sets the selected points, one byte per point; null if all are selected. */
  setSelected(mask: Uint8Array | null, setting: Setting): Promise<void> {
    return this.#setNumbers(ATTRIBUTE.selected, mask, setting);
  }

  /** Delays drawing all points, because the processor may be needed for other work. 0 ends the delay. */
  hold(milliseconds: number): void {
    this.#heldUntil = performance.now() + milliseconds;
  }

  /** Sets the panels and the index list of their points; null for the drawing order. */
  setPanels(panels: readonly Panel[], indices: Uint32Array | null | "kept"): void {
    if (indices !== "kept") this.#buffers.setIndices(indices);
    this.#panels = panels;
    this.#change();
  }

  setStyle(style: PointStyle): void {
    this.#style = style;
    this.#change();
  }

  /** Sets the size of the canvas in device pixels. */
  setSize(width: number, height: number, ratio: number): void {
    this.#ratio = ratio;
    const { canvas } = this;
    if (canvas.width === width && canvas.height === height) return;
    canvas.width = width;
    canvas.height = height;
    this.#change();
  }

  setCamera(camera: Camera): void {
    this.#camera = camera;
    this.#lastMove = performance.now();
    this.#change();
  }

  /** Returns the pixels of all points, once they are drawn. */
  async capture(): Promise<ImageData> {
    await this.settled();
    return this.#picture.pixels();
  }

  /** Resolves when all points are drawn. */
  settled(): Promise<void> {
    if (!this.#isDirty && this.#whole === null && this.#busy === null && this.#partial.size === 0)
      return Promise.resolve();
    return new Promise((resolve) => this.#resting.push(resolve));
  }

  dispose(): void {
    cancelAnimationFrame(this.#frame);
    this.#stopWhole();
    this.#gl.getExtension("WEBGL_lose_context")?.loseContext();
  }

  async #setNumbers(attribute: PointAttribute, values: PointValues | null, { signal, onSample }: Setting) {
    const sampled = async (): Promise<void> => {
      this.#partial.add(attribute);
      const drawn = this.#drawn();
      onSample?.();
      this.#change();
      // An upload during this time would wait for the picture, and the page for the upload.
      await Promise.race([drawn, new Promise((resolve) => setTimeout(resolve, PATIENCE))]);
    };
    // The first points of a group are not among the first of all.
    const isEarly = !this.#buffers.isGrouped && values !== null;
    await this.#buffers.setValues(attribute, this.#order, values, { signal, onSample: isEarly ? sampled : undefined });
    if (!isEarly) void sampled();
    this.#partial.delete(attribute);
    if (!this.#isDirty && this.#whole === null && this.#isPart) this.#rest();
  }

  /** Resolves when the next sample is drawn. */
  #drawn(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  #change(): void {
    this.#isDirty = true;
    this.#stopWhole();
    if (this.#frame === 0) this.#frame = requestAnimationFrame(() => this.#draw());
  }

  #stopWhole(): void {
    this.#whole?.abort();
    this.#whole = null;
  }

  #draw(): void {
    this.#frame = 0;
    // The previous frame is still being drawn; another one would only queue behind it.
    if (this.#busy !== null) {
      void this.#busy.then(() => this.#isDirty && this.#frame === 0 && this.#draw());
      return;
    }
    this.#isDirty = false;
    const count = this.#count();
    if (this.#style === null || this.canvas.width === 0) return;
    this.#busy = this.#drawSample(this.#style, count).finally(() => {
      this.#busy = null;
    });
    this.#isPart = count > this.#sample;
    if (this.#isPart && this.#partial.size === 0) this.#rest();
  }

  /** Draws into the off-screen image first. A canvas that is not ready when it is shown would block the page. */
  async #drawSample(style: PointStyle, count: number): Promise<void> {
    const began = performance.now();
    const sampled = Math.min(1, this.#sample / Math.max(count, 1));
    this.#picture.begin(this.canvas.width, this.canvas.height);
    // Fewer points of the same opacity would make the picture paler.
    this.#program.setStyle({ ...style, opacity: Math.min(1, style.opacity / Math.max(sampled, 0.1)) });
    this.#program.clear(this.canvas.width, this.canvas.height);
    for (const panel of this.#panels) this.#drawRange(panel, 0, Math.ceil(panel.count * sampled));
    this.#picture.end();
    await this.#finished();
    this.#show(Math.ceil(count * sampled), sampled === 1);
    for (const resolve of this.#waiting.splice(0)) resolve();
    if (sampled === 1) this.#settle();
    this.#measure(Math.ceil(count * sampled), performance.now() - began);
  }

  #rest(): void {
    const whole = new AbortController();
    this.#whole = whole;
    const wait = Math.max(0, this.#lastMove + REST - performance.now());
    setTimeout(() => !whole.signal.aborted && void this.#drawWhole(whole), wait);
  }

  /** Draws all points, slice after slice, unless something changes meanwhile. */
  async #drawWhole(whole: AbortController): Promise<void> {
    const { signal } = whole;
    const { width, height } = this.canvas;
    const count = this.#count();
    let drawn = 0;
    let shown = performance.now();
    while (this.#busy !== null) await this.#busy;
    if (signal.aborted || this.#style === null) return;
    this.#picture.begin(width, height);
    this.#program.setStyle(this.#style);
    this.#program.clear(width, height);
    for (const [panel, from, to] of this.#slices()) {
      await this.#released();
      if (signal.aborted) return;
      const began = performance.now();
      this.#picture.begin(width, height);
      this.#drawRange(panel, from, to);
      this.#picture.end();
      this.#busy = this.#finished();
      await this.#busy;
      this.#busy = null;
      if (signal.aborted) return;
      drawn += to - from;
      this.#measure(to - from, performance.now() - began);
      if (drawn < count && drawn > count / 4 && performance.now() - shown > SHOW) {
        this.#show(drawn, false);
        shown = performance.now();
      }
    }
    this.#show(drawn, true);
    this.#whole = null;
    this.#settle();
  }

  /** Resolves when the delay of drawing all points has ended. */
  async #released(): Promise<void> {
    while (performance.now() < this.#heldUntil) await new Promise((resolve) => setTimeout(resolve, 20));
  }

  #settle(): void {
    if (this.#isDirty) return;
    for (const resolve of this.#resting.splice(0)) resolve();
  }

  /** Yields ranges of points, whose size adapts to the drawing time. */
  *#slices(): Generator<[panel: Panel, from: number, to: number]> {
    for (const panel of this.#panels) {
      for (let from = 0; from < panel.count; ) {
        const to = Math.min(from + this.#slice, panel.count);
        yield [panel, from, to];
        from = to;
      }
    }
  }

  #show(drawn: number, isWhole: boolean): void {
    this.#picture.show();
    this.onFrame?.(drawn, isWhole);
  }

  #drawRange(panel: Panel, from: number, to: number): void {
    if (to > from) {
      this.#program.draw(panel, from, to, this.#camera, this.#ratio, this.canvas.height, this.#buffers.isGrouped);
    }
  }

  #measure(points: number, took: number): void {
    if (points < SAMPLE.least) return;
    const rate = points / Math.max(took, 1);
    this.#rate = this.#rate === 0 ? rate : (3 * this.#rate + rate) / 4;
    this.#sample = Math.round(Math.min(Math.max(this.#rate * SAMPLE.time, SAMPLE.least), SAMPLE.most));
    this.#slice = Math.round(Math.min(Math.max(this.#rate * SLICE, 20_000), 5_000_000));
  }

  #count(): number {
    return this.#panels.reduce((sum, { count }) => sum + count, 0);
  }

  /** Resolves when the GPU has executed all commands. */
  async #finished(): Promise<void> {
    const gl = this.#gl;
    const fence = gl.fenceSync(gl.SYNC_GPU_COMMANDS_COMPLETE, 0);
    gl.flush();
    if (fence === null) return;
    while (!gl.isContextLost() && gl.getSyncParameter(fence, gl.SYNC_STATUS) !== gl.SIGNALED) {
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    gl.deleteSync(fence);
  }
}
