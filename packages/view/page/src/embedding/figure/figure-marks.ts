/** A figure as a list of marks, which is rendered as SVG or on a canvas. */

export type Mark =
  | { readonly mark: "text"; x: number; y: number; text: string; colour: string; anchor?: "end"; isBold?: boolean }
  | { readonly mark: "disc"; x: number; y: number; radius: number; colour: string }
  | { readonly mark: "box"; x: number; y: number; width: number; height: number; colour: string }
  | { readonly mark: "line"; points: readonly number[]; colour: string };

export interface Figure {
  readonly width: number;
  readonly height: number;
  readonly ground: string;
  /** Size of the image of the points, at the top left. */
  readonly points: { readonly width: number; readonly height: number };
  readonly marks: readonly Mark[];
}

export const FONT_SIZE = 12;
export const FONT = "system-ui, 'DejaVu Sans', sans-serif";
