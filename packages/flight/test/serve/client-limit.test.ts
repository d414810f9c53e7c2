/** Places that clients share: one of them cannot take all. */

import { expect, test } from "vitest";
import { ClientLimit, getClient } from "../../src/serve/requests/client.js";

test.each([
  ["127.0.0.1:5000", "127.0.0.1"],
  ["[2001:db8::1]:5000", "[2001:db8::1]"],
  ["127.0.0.1", "127.0.0.1"],
  ["2001:db8::1", "2001:db8::1"],
])("the client of the peer %s is %s", (peer, client) => expect(getClient(peer)).toBe(client));

test("a client waits for its own places, while another one enters", async () => {
  const limit = new ClientLimit("tables", { most: 3, mostOfOne: 2, waiting: 8, waitingOfOne: 1 });
  const first = await limit.enter("a");
  await limit.enter("a");
  let isThird = false;
  const third = limit.enter("a").then((leave) => {
    isThird = true;
    return leave;
  });
  await expect(limit.enter("a")).rejects.toThrow("too many tables of yours: 2 run and 1 wait; try again later");
  const other = await limit.enter("b");
  expect([limit.inside, isThird]).toEqual([3, false]);
  other();
  first();
  const leave = await third;
  expect([limit.inside, isThird]).toEqual([2, true]);
  leave();
  expect(limit.inside).toBe(1);
});

test("a client that goes away while it waits leaves no place taken", async () => {
  const limit = new ClientLimit("tables", { most: 1, mostOfOne: 1, waiting: 8, waitingOfOne: 8 });
  const leave = await limit.enter("a");
  const gone = new AbortController();
  const own = limit.enter("a", gone.signal);
  const shared = limit.enter("b", gone.signal);
  gone.abort(new Error("gone"));
  await expect(own).rejects.toThrow("gone");
  await expect(shared).rejects.toThrow("gone");
  leave();
  expect(limit.inside).toBe(0);
  (await limit.enter("b"))();
});
