/**
 * What shared modules of tests open and make, until a test or its file ends. Files that run in one process share these
 * modules, so that hooks in them would be those of the first file alone; setup files, as this one, run for every file.
 */

import { afterAll, afterEach } from "vitest";
import { cleanups } from "./cleanups.js";
import "./equal-bytes.js";

afterEach(() => cleanups.test.run());
afterAll(() => cleanups.file.run());
