/** The values of a column as plain arrays: codes of categories, or numbers. */

export type CellValues =
  | {
      readonly kind: "codes";
      /** Position in `categories`; 255 or 65,535, the last that the array can hold, for no value. */
      readonly codes: Uint8Array | Uint16Array;
      readonly categories: readonly string[];
    }
  | {
      readonly kind: "numbers";
      /** NaN for no value. */
      readonly values: Float32Array | Float64Array;
    };

/** The code that stands for no value. */
export const missingCode = (codes: Uint8Array | Uint16Array): number => (codes.BYTES_PER_ELEMENT === 1 ? 255 : 65_535);
