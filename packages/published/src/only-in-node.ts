/**
 * Browser stubs for the packages' functions that need Node. `api/only-in-node.ts` contains the stubs for the core, and
 * explains why they are needed.
 */

import { UnsupportedError } from "annarrow";

const onlyInNode = (name: string, instead: string) => async (): Promise<never> => {
  throw new UnsupportedError(`${name} needs Node.js${instead}`);
};

const FOLDERS = ", whose files it reads and writes";

export const serve = onlyInNode("serve", "");
export const union = onlyInNode("union", FOLDERS);
export const planUnion = onlyInNode("planUnion", FOLDERS);
export const runUnionTask = onlyInNode("runUnionTask", FOLDERS);
export const commitUnion = onlyInNode("commitUnion", FOLDERS);
export const removeFromUnion = onlyInNode("removeFromUnion", FOLDERS);
export const cleanUnion = onlyInNode("cleanUnion", FOLDERS);
export const view = onlyInNode("view", "; for pages there is `annarrow view --static`");
