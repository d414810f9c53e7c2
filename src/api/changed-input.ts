/** Errors of inputs that change while they are read. */

import { isAnnarrowError } from "../model/errors.js";

/** A file that changes while it is read looks broken: the error says that it has changed. */
export async function throwIfChanged(checkUnchanged: () => Promise<void>): Promise<void> {
  await checkUnchanged().catch((error: unknown) => {
    if (isAnnarrowError(error) && error.code === "source-changed") throw error;
  });
}
