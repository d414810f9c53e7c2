/** Calls that share slots: no more at once than there are, in order. */

import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { Slots } from "../../../src/io/targets/slots.js";

test("calls wait for the slots that they take, in order; one that needs more than there are runs alone", async () => {
  const slots = new Slots(10);
  const begun: number[] = [];
  let used = 0;
  const call = (size: number) =>
    slots.run(async () => {
      begun.push(size);
      used += size;
      expect(used <= 10 || used === size).toBe(true);
      await sleep(2);
      used -= size;
    }, size);
  const sizes = [4, 6, 3, 12, 1, 10, 2];
  await Promise.all(sizes.map(call));
  expect(begun).toEqual(sizes);
  expect(used).toBe(0);
});
