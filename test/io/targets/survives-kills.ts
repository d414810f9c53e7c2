import { expect } from "vitest";
import { type KillOptions, killAtRandomMoments } from "./kill.js";

/** Expects that a command leaves what was there or its whole output, and that some kills came before the output. */
export async function expectSurvivesKills(options: KillOptions): Promise<void> {
  const { before, after, failures } = await killAtRandomMoments(options);
  expect(failures).toEqual([]);
  expect(before + after).toBeGreaterThanOrEqual(options.moments);
  expect(before).toBeGreaterThan(0);
}
