/** Pixels of the screen, for tests that compare them with what they should be. */

import type { Page } from "playwright-core";

export interface Pixels {
  readonly width: number;
  readonly height: number;
  /** The colour at a pixel, from the left and the top of the part of the screen. */
  at(x: number, y: number): readonly [red: number, green: number, blue: number];
}

export interface ScreenBox {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** What a part of the page shows. */
export async function screenPixels(page: Page, box: ScreenBox): Promise<Pixels> {
  const clip = {
    x: Math.round(box.x),
    y: Math.round(box.y),
    width: Math.floor(box.width),
    height: Math.floor(box.height),
  };
  const picture = (await page.screenshot({ clip })).toString("base64");
  const blank = await page.context().newPage();
  const text = await blank.evaluate(async (png) => {
    const bytes = Uint8Array.from(atob(png), (letter) => letter.charCodeAt(0));
    const image = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
    const context = new OffscreenCanvas(image.width, image.height).getContext("2d");
    context?.drawImage(image, 0, 0);
    const { data } = context?.getImageData(0, 0, image.width, image.height) ?? { data: new Uint8ClampedArray() };
    const parts: string[] = [];
    for (let at = 0; at < data.length; at += 8192) parts.push(String.fromCharCode(...data.subarray(at, at + 8192)));
    return btoa(parts.join(""));
  }, picture);
  await blank.close();
  const bytes = Buffer.from(text, "base64");
  return {
    width: clip.width,
    height: clip.height,
    at: (x, y) => {
      const from = 4 * (Math.floor(y) * clip.width + Math.floor(x));
      return [bytes[from] ?? 0, bytes[from + 1] ?? 0, bytes[from + 2] ?? 0];
    },
  };
}

/** The largest difference of two colours in a channel. */
export function difference(a: readonly number[], b: readonly number[]): number {
  return Math.max(...a.map((value, channel) => Math.abs(value - (b[channel] ?? 0))));
}
