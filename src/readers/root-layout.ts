/** What lies at the root of an AnnData, and of other formats that are built from the same elements. */

import type { Group } from "../containers/tree/container.js";
import type { ReaderContext } from "./context.js";
import type { DatasetPlans } from "./reader.js";

export interface RootLayout {
  /** Mappings of elements that its writers write also where they are empty. */
  readonly mappings: readonly string[];
  /** Keys of the root that hold something else. */
  readonly others: ReadonlySet<string>;
  /** Whether a file without obs or var lacks something. */
  readonly needsFrames: boolean;
  /** Whether old files keep the graphs of obsp in `uns/neighbors`. */
  readonly movesGraphs: boolean;
}

/** Reads the elements below a group; an AnnData where no other layout is given. */
export type ReadRoot = (root: Group, cx: ReaderContext, layout?: RootLayout) => Promise<DatasetPlans>;
