/** Draws ranges of points with a camera and a style. */

import { type Box, type Camera, pixelsOf } from "./camera.js";
import { FRAGMENT, PALETTE_WIDTH, VERTEX } from "./point-shaders.js";

export type Rgb = readonly [number, number, number];

/** Mapping of values to colours. */
export type Colouring =
  | { readonly kind: "one"; readonly palette: Uint8Array }
  /** Values are codes. The palette has four bytes per code; the last colour is that of no value. */
  | { readonly kind: "codes"; readonly palette: Uint8Array }
  /** Values are numbers. The palette has 256 colours from the lower to the upper end of the range. */
  | { readonly kind: "numbers"; readonly palette: Uint8Array; readonly range: readonly [number, number] };

export interface PointStyle {
  readonly colouring: Colouring;
  /** Diameter in device pixels. */
  readonly size: number;
  readonly opacity: number;
  /** True if points outside the selection fade. */
  readonly fades: boolean;
  /** Colour of points without a value, and of faded points. */
  readonly missing: Rgb;
}

/** A part of the canvas that shows some points: all, or a group. */
export interface Panel {
  /** In CSS pixels. */
  readonly box: Box;
  /** First point, as index into the drawing order or, if points are grouped, into the index list. */
  readonly first: number;
  readonly count: number;
}

const UNIFORMS = [
  "centre",
  "scale",
  "colouring",
  "range",
  "size",
  "opacity",
  "fades",
  "missing",
  "palette",
  "disc",
] as const;

type Uniform = (typeof UNIFORMS)[number];

/** Diameter in pixels below which points are drawn as squares, which look like discs and cost less. */
const ROUND = 2.5;

export class PointProgram {
  readonly #gl: WebGL2RenderingContext;
  readonly #uniforms: ReadonlyMap<Uniform, WebGLUniformLocation | null>;
  #palette: Uint8Array | null = null;

  constructor(gl: WebGL2RenderingContext) {
    this.#gl = gl;
    const program = gl.createProgram();
    attach(gl, program, gl.VERTEX_SHADER, VERTEX);
    attach(gl, program, gl.FRAGMENT_SHADER, FRAGMENT);
    gl.linkProgram(program);
    if (gl.getProgramParameter(program, gl.LINK_STATUS) !== true) {
      throw new Error(`WebGL: ${gl.getProgramInfoLog(program)}`);
    }
    gl.useProgram(program);
    this.#uniforms = new Map(UNIFORMS.map((name) => [name, gl.getUniformLocation(program, name)]));
    gl.bindTexture(gl.TEXTURE_2D, gl.createTexture());
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.NEAREST);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.NEAREST);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    gl.enable(gl.DEPTH_TEST);
    gl.depthFunc(gl.LEQUAL);
  }

  setStyle({ colouring, size, opacity, fades, missing }: PointStyle): void {
    const gl = this.#gl;
    gl.uniform1i(this.#at("colouring"), { one: 0, codes: 1, numbers: 2 }[colouring.kind]);
    if (colouring.kind === "numbers") {
      const [low, high] = colouring.range;
      gl.uniform2f(this.#at("range"), low, high > low ? 1 / (high - low) : 0);
    }
    gl.uniform1f(this.#at("size"), Math.max(size, 1));
    gl.uniform1f(this.#at("disc"), size >= ROUND ? size : 0);
    // A point smaller than a pixel covers a part of it.
    gl.uniform1f(this.#at("opacity"), opacity * Math.min(1, Math.max(size, 0.3) ** 2));
    gl.uniform1i(this.#at("fades"), fades ? 1 : 0);
    gl.uniform4f(this.#at("missing"), missing[0] / 255, missing[1] / 255, missing[2] / 255, 1);
    this.#setPalette(colouring.palette);
  }

  clear(width: number, height: number): void {
    const gl = this.#gl;
    gl.disable(gl.SCISSOR_TEST);
    gl.viewport(0, 0, width, height);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
  }

  /** Draws points [from, to) of a panel. */
  draw(
    panel: Panel,
    from: number,
    to: number,
    camera: Camera,
    ratio: number,
    height: number,
    isGrouped: boolean,
  ): void {
    const gl = this.#gl;
    const { box } = panel;
    const left = Math.round(box.left * ratio);
    const bottom = Math.round(height - (box.top + box.height) * ratio);
    const [wide, high] = [Math.round(box.width * ratio), Math.round(box.height * ratio)];
    gl.enable(gl.SCISSOR_TEST);
    gl.viewport(left, bottom, wide, high);
    gl.scissor(left, bottom, wide, high);
    const pixels = pixelsOf(camera, box);
    gl.uniform2f(this.#at("centre"), camera.x, camera.y);
    gl.uniform2f(this.#at("scale"), (2 * pixels) / box.width, (2 * pixels) / box.height);
    const first = panel.first + from;
    if (isGrouped) gl.drawElements(gl.POINTS, to - from, gl.UNSIGNED_INT, 4 * first);
    else gl.drawArrays(gl.POINTS, first, to - from);
  }

  #at(uniform: Uniform): WebGLUniformLocation | null {
    return this.#uniforms.get(uniform) ?? null;
  }

  #setPalette(palette: Uint8Array): void {
    if (palette === this.#palette) return;
    this.#palette = palette;
    const gl = this.#gl;
    const height = Math.ceil(palette.length / 4 / PALETTE_WIDTH);
    const texels = new Uint8Array(4 * PALETTE_WIDTH * height);
    texels.set(palette);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA8, PALETTE_WIDTH, height, 0, gl.RGBA, gl.UNSIGNED_BYTE, texels);
  }
}

function attach(gl: WebGL2RenderingContext, program: WebGLProgram, kind: number, source: string): void {
  const shader = gl.createShader(kind);
  if (shader === null) throw new Error("WebGL: no shader");
  gl.shaderSource(shader, source);
  gl.compileShader(shader);
  if (gl.getShaderParameter(shader, gl.COMPILE_STATUS) !== true) {
    throw new Error(`WebGL: ${gl.getShaderInfoLog(shader)}`);
  }
  gl.attachShader(program, shader);
}
