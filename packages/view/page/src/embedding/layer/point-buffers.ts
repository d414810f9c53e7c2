/** GPU buffers of the points: positions, values and selection, each in a separate buffer. */

import { inSlices } from "../../data/slices.js";
import { type Frame, toSquare } from "./camera.js";
import type { PointOrder } from "./point-order.js";
import { ATTRIBUTE, NO_NUMBER } from "./point-shaders.js";

/** Values of points in file order. Numbers are drawn with 32 bits; NaN means no value. */
export type PointValues = Uint8Array | Uint16Array | Float32Array | Float64Array;

type Piece = Uint8Array | Uint16Array | Float32Array;

/** Points that are reordered and uploaded at once. The first batch is a sample of all points. */
const PIECE = 131_072;

/** Position far outside of every plot, for points without coordinates. */
const NOWHERE = 1e30;

type Attribute = (typeof ATTRIBUTE)[keyof typeof ATTRIBUTE];

/** Attributes with one number per point. */
export type PointAttribute = typeof ATTRIBUTE.value | typeof ATTRIBUTE.selected;

export interface Filling {
  readonly signal?: AbortSignal | undefined;
  /** Called when a sample of the points has its new numbers. The others follow once the promise resolves. */
  readonly onSample?: (() => Promise<void>) | undefined;
}

export class PointBuffers {
  readonly #gl: WebGL2RenderingContext;
  readonly #buffers = new Map<Attribute, WebGLBuffer>();
  #indices: WebGLBuffer | null = null;

  constructor(gl: WebGL2RenderingContext) {
    this.#gl = gl;
  }

  /** True if points are drawn by an index list, group by group. */
  get isGrouped(): boolean {
    return this.#indices !== null;
  }

  async setPlaces(
    order: PointOrder,
    [xs, ys]: readonly [ArrayLike<number>, ArrayLike<number>],
    frame: Frame,
    signal?: AbortSignal,
  ): Promise<void> {
    const piece = new Float32Array(2 * PIECE);
    const fill = (from: number, to: number): Float32Array => {
      order.forEach(from, to, (position, at) => {
        const x = toSquare(frame, 0, xs[position] as number);
        const y = toSquare(frame, 1, ys[position] as number);
        const isPlace = Number.isFinite(x) && Number.isFinite(y);
        piece[2 * (at - from)] = isPlace ? x : NOWHERE;
        piece[2 * (at - from) + 1] = isPlace ? y : NOWHERE;
      });
      return piece.subarray(0, 2 * (to - from));
    };
    const shape = { width: 8, size: 2, type: this.#gl.FLOAT };
    await this.#fill(ATTRIBUTE.place, shape, order.count, fill, { signal });
  }

  /**
   * Sets one number for each point; null for none. The previous numbers remain until all new ones are loaded. With
   * `onSample`, they remain only until the first points of the order, a sample of all points, are loaded; until the
   * rest follows, only these can be drawn.
   */
  async setValues(
    attribute: PointAttribute,
    order: PointOrder,
    values: PointValues | null,
    { signal, onSample }: Filling = {},
  ): Promise<void> {
    const gl = this.#gl;
    if (values === null) {
      gl.disableVertexAttribArray(attribute);
      gl.vertexAttrib1f(attribute, 0);
      this.#replace(attribute, null);
      return;
    }
    const piece = pieceFor(values);
    const fill = (from: number, to: number): Piece => {
      order.copy(values, piece, from, to);
      if (piece instanceof Float32Array) markMissing(piece);
      return piece.subarray(0, to - from);
    };
    const type =
      piece instanceof Float32Array ? gl.FLOAT : piece instanceof Uint16Array ? gl.UNSIGNED_SHORT : gl.UNSIGNED_BYTE;
    const shape = { width: piece.BYTES_PER_ELEMENT, size: 1, type };
    await this.#fill(attribute, shape, order.count, fill, { signal, onSample });
  }

  /** Sets the index list of points, group by group; null for the drawing order. */
  setIndices(indices: Uint32Array | null): void {
    const gl = this.#gl;
    if (this.#indices !== null) gl.deleteBuffer(this.#indices);
    this.#indices = indices === null ? null : gl.createBuffer();
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, this.#indices);
    if (indices !== null) gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, indices, gl.STATIC_DRAW);
  }

  async #fill(
    attribute: Attribute,
    { width, size, type }: { readonly width: number; readonly size: number; readonly type: number },
    count: number,
    fill: (from: number, to: number) => Piece,
    { signal, onSample }: Filling,
  ): Promise<void> {
    const gl = this.#gl;
    const buffer = gl.createBuffer();
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    gl.bufferData(gl.ARRAY_BUFFER, Math.max(width * count, 1), gl.STATIC_DRAW);
    let isShown = false;
    const show = (): void => {
      isShown = true;
      gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
      gl.enableVertexAttribArray(attribute);
      gl.vertexAttribPointer(attribute, size, type, false, 0, 0);
      this.#replace(attribute, buffer);
    };
    const upload = (from: number, to: number): void => {
      const values = fill(from, to);
      // Another buffer may have been bound during a pause.
      gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
      gl.bufferSubData(gl.ARRAY_BUFFER, width * from, values);
    };
    const first = onSample === undefined ? 0 : Math.min(PIECE, count);
    try {
      signal?.throwIfAborted();
      if (first > 0) {
        upload(0, first);
        show();
        await onSample?.();
      }
      await inSlices(count - first, (from, to) => upload(first + from, first + to), { signal, piece: PIECE });
    } catch (error) {
      if (!isShown) gl.deleteBuffer(buffer);
      throw error;
    }
    if (!isShown) show();
  }

  #replace(attribute: Attribute, buffer: WebGLBuffer | null): void {
    const before = this.#buffers.get(attribute);
    if (before !== undefined) this.#gl.deleteBuffer(before);
    if (buffer === null) this.#buffers.delete(attribute);
    else this.#buffers.set(attribute, buffer);
  }
}

function pieceFor(values: PointValues): Piece {
  if (values instanceof Uint8Array) return new Uint8Array(PIECE);
  return values instanceof Uint16Array ? new Uint16Array(PIECE) : new Float32Array(PIECE);
}

function markMissing(values: Float32Array): void {
  for (let at = 0; at < values.length; at++) if (Number.isNaN(values[at])) values[at] = NO_NUMBER;
}
