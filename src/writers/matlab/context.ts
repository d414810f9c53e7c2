/** What the writing of every value needs to know. */

import type { Spill } from "../../external-sort/spill.js";
import type { RowsContext } from "../../tables/rows.js";
import type { References } from "./references.js";

/** As MATLAB writes files, or with the attributes by which hdf5storage gives Python's types back. */
export type MatProfile = "MATLAB" | "hdf5storage";

export interface MatlabWriterContext extends RowsContext {
  readonly profile: MatProfile;
  readonly lossy: boolean;
  readonly references: References;
  readonly spill: Spill | null;
  /** Collects what is otherwise than the caller may think. */
  readonly warn: (message: string) => void;
}
