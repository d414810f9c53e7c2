import type { WrittenLayout } from "../messages/layout-message.js";

/** Takes the encoded rows of one array (or columns of a matrix), from the first to the last, and puts them in the file. */
export interface RowData {
  /** Whole rows. Once it resolves the memory may be used again. */
  put(bytes: Uint8Array): Promise<void>;
  /**
   * Nothing follows. `then` gets where the data lie as soon as that is known, which may be later.
   * @throws what the target or the encoder threw.
   */
  end(then: (layout: WrittenLayout) => void): Promise<void>;
}
