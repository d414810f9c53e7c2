import type { Group } from "../../../containers/tree/container.js";
import type { ReadOptions } from "../../../sources/source.js";
import type { Follow } from "../../context.js";

/** What is needed to make an object's arrays. */
export interface ObjectContext {
  readonly options: ReadOptions;
  /** Opens an object that another is made of, as its group of arrays. */
  readonly open: (object: Group) => Promise<Group>;
  /** Opens what a path leads to. */
  readonly follow: Follow;
}
