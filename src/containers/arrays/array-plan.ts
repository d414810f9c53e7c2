import type { KeyValueSource } from "../../sources/source.js";
import type { StoredArray } from "../tree/container.js";
import { type NumberFilePlan, openedNumberFile } from "./number-file.js";
import { textFile } from "./text-file.js";

export type ArrayFilePlan = NumberFilePlan | { readonly form: "text"; readonly key: string };

declare module "../tree/container.js" {
  interface ArrayPlans {
    readonly directory: ArrayFilePlan;
  }
}

/** The array of a plan, in the directory that the plan was made from. */
export async function openArrayFile(plan: ArrayFilePlan, source: KeyValueSource): Promise<StoredArray> {
  return plan.form === "text" ? await textFile(source, plan.key) : openedNumberFile(source, plan);
}
