/**
 * Browser stubs for the packages' functions that need Node. `api/only-in-node.ts` contains the stubs for the core, and
 * explains why they are needed.
 */

import { createNodeStub, FOLDERS } from "annarrow/core/api";

export const serve = createNodeStub("serve", "");
export const union = createNodeStub("union", FOLDERS);
export const planUnion = createNodeStub("planUnion", FOLDERS);
export const runUnionTask = createNodeStub("runUnionTask", FOLDERS);
export const commitUnion = createNodeStub("commitUnion", FOLDERS);
export const removeFromUnion = createNodeStub("removeFromUnion", FOLDERS);
export const cleanUnion = createNodeStub("cleanUnion", FOLDERS);
export const view = createNodeStub("view", "; for pages there is `annarrow view --static`");
