/** What the writing of every value needs to know. */

import type { ContainerWriter } from "../../containers/tree/container-writer.js";
import type { Spill } from "../../external-sort/spill.js";
import type { RowsContext } from "../../tables/rows.js";
import type { References } from "./references.js";

/** As MATLAB writes files, or with the attributes by which hdf5storage gives Python's types back. */
export type MatProfile = "MATLAB" | "hdf5storage";

/** A container whose values can refer to its elements. */
export interface MatContainer extends ContainerWriter {
  reference(path: string): bigint;
}

export interface MatlabWriterContext extends RowsContext {
  readonly profile: MatProfile;
  readonly lossy: boolean;
  readonly references: References;
  readonly spill: Spill | null;
  /** Collects what is otherwise than the caller may think. */
  readonly warn: (message: string) => void;
}
