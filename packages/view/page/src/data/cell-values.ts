/** The values of a column as plain arrays: codes of categories, or numbers. */

export type CellValues =
  | {
      readonly kind: "codes";
      /** Indices into `categories`. The largest value of the array type (255 or 65,535) means no value. */
      readonly codes: Uint8Array | Uint16Array;
      readonly categories: readonly string[];
    }
  | {
      readonly kind: "numbers";
      /** NaN means no value. */
      readonly values: Float32Array | Float64Array;
    };

export const missingCode = (codes: Uint8Array | Uint16Array): number => (codes.BYTES_PER_ELEMENT === 1 ? 255 : 65_535);
