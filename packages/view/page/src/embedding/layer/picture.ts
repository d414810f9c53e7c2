/** An off-screen image into which points are drawn in slices, and which is shown when it is ready. */

export class Picture {
  readonly #gl: WebGL2RenderingContext;
  readonly #frame: WebGLFramebuffer;
  readonly #colour: WebGLRenderbuffer;
  readonly #depth: WebGLRenderbuffer;
  width = 0;
  height = 0;

  constructor(gl: WebGL2RenderingContext) {
    this.#gl = gl;
    this.#frame = gl.createFramebuffer();
    this.#colour = gl.createRenderbuffer();
    this.#depth = gl.createRenderbuffer();
  }

  /** Redirects drawing to this image, which has the size of the canvas. */
  begin(width: number, height: number): void {
    const gl = this.#gl;
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.#frame);
    if (width === this.width && height === this.height) return;
    [this.width, this.height] = [width, height];
    gl.bindRenderbuffer(gl.RENDERBUFFER, this.#colour);
    gl.renderbufferStorage(gl.RENDERBUFFER, gl.RGBA8, width, height);
    gl.framebufferRenderbuffer(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.RENDERBUFFER, this.#colour);
    gl.bindRenderbuffer(gl.RENDERBUFFER, this.#depth);
    gl.renderbufferStorage(gl.RENDERBUFFER, gl.DEPTH_COMPONENT16, width, height);
    gl.framebufferRenderbuffer(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.RENDERBUFFER, this.#depth);
  }

  /** Redirects drawing to the canvas. */
  end(): void {
    this.#gl.bindFramebuffer(this.#gl.FRAMEBUFFER, null);
  }

  show(): void {
    const gl = this.#gl;
    gl.disable(gl.SCISSOR_TEST);
    gl.bindFramebuffer(gl.READ_FRAMEBUFFER, this.#frame);
    gl.bindFramebuffer(gl.DRAW_FRAMEBUFFER, null);
    const { width, height } = this;
    gl.blitFramebuffer(0, 0, width, height, 0, 0, width, height, gl.COLOR_BUFFER_BIT, gl.NEAREST);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
  }

  /** Returns the pixels, top row first, without premultiplied alpha. */
  pixels(): ImageData {
    const gl = this.#gl;
    const { width, height } = this;
    const read = new Uint8Array(4 * width * height);
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.#frame);
    gl.readPixels(0, 0, width, height, gl.RGBA, gl.UNSIGNED_BYTE, read);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    const image = new ImageData(width, height);
    for (let row = 0; row < height; row++) {
      const from = 4 * width * (height - 1 - row);
      image.data.set(read.subarray(from, from + 4 * width), 4 * width * row);
    }
    for (let at = 0; at < read.length; at += 4) {
      const alpha = image.data[at + 3] as number;
      if (alpha === 0 || alpha === 255) continue;
      for (let channel = at; channel < at + 3; channel++) {
        image.data[channel] = Math.round(((image.data[channel] as number) * 255) / alpha);
      }
    }
    return image;
  }
}
