/** What the reading of every dataset of a file needs to know. */

import type { Hdf5File } from "../file/file-bytes.js";
import type { LazyLibrary } from "../library/lazy-library.js";

export interface ArrayContext {
  readonly source: string;
  readonly file: Hdf5File;
  readonly library: LazyLibrary;
}
