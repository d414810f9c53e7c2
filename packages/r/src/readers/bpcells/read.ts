/** Reads the BPCells objects of an R file: a single object, or objects in lists. */

import { InvalidDataError } from "annarrow";
import type { SparsePlan } from "annarrow/core/jobs";
import { getVersionText, openMatrix, parseVersion, readStores } from "annarrow/core/readers";
import type { DatasetPlans, Group, ReaderContext } from "annarrow/format";
import { findObjects, type ObjectOptions, openObject } from "./rds-objects.js";

/** Reads the structure of all objects. @throws {NotFoundError} if there is none. */
export async function readBpcellsObjects(root: Group, { follow, options, text }: ReaderContext): Promise<DatasetPlans> {
  const { slots, ...found } = await findObjects(root, follow === undefined ? options : { ...options, follow });
  const plans = await readStores(found, { exact: true, options, text });
  return { ...plans, failures: new Map([...plans.failures, ...slots]) };
}

/** Opens a matrix that is stored as an object inside an object of another package. */
export async function openObjectMatrix(object: Group, options: ObjectOptions): Promise<SparsePlan> {
  const group = await openObject(object, options);
  const version = parseVersion(getVersionText(group));
  if (version.content === "matrix") return openMatrix(group, version, { exact: true, options });
  throw new InvalidDataError("fragments, a matrix is expected", { element: object.path });
}
