import { expect, test } from "vitest";
import { prefetch } from "../../src/sinks/directory/tables.js";

/** Counts up, and notes what happens. */
async function* counting(log: string[], end = 10): AsyncGenerator<number> {
  try {
    for (let i = 0; i < end; i++) {
      log.push(`made ${i}`);
      yield i;
    }
  } finally {
    log.push("closed");
  }
}

const idle = () => new Promise((resolve) => setTimeout(resolve, 5));

test("is begun before anything is taken, and goes on in order", async () => {
  const log: string[] = [];
  const { chunks } = prefetch(counting(log));
  await idle();
  expect(log).toEqual(["made 0", "made 1", "made 2"]);
  const all: number[] = [];
  for await (const chunk of chunks) all.push(chunk);
  expect(all).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  expect(log.at(-1)).toBe("closed");
});

test("is closed though nothing was taken, or not all", async () => {
  const log: string[] = [];
  await prefetch(counting(log)).close();
  expect(log.at(-1)).toBe("closed");
  const other: string[] = [];
  for await (const chunk of prefetch(counting(other)).chunks) if (chunk === 1) break;
  expect(other.at(-1)).toBe("closed");
});

test("an error is thrown in its turn", async () => {
  async function* failing() {
    yield 1;
    throw new Error("broken");
  }
  const { chunks } = prefetch(failing());
  await idle();
  expect((await chunks.next()).value).toBe(1);
  await expect(chunks.next()).rejects.toThrow("broken");
});
