/** Whether an address can be listened at, asked of the system: the gRPC library prints a line of its own where it cannot. */

import { lookup } from "node:dns/promises";
import { once } from "node:events";
import { createServer } from "node:net";

/**
 * @param port 0 for any.
 * @throws what the system says, where none of the host's addresses can be had.
 */
export async function checkListenable(host: string, port: number): Promise<void> {
  let problem: unknown;
  for (const { address } of await lookup(host, { all: true })) {
    try {
      return await listenOnce(address, port);
    } catch (error) {
      problem ??= error;
    }
  }
  throw problem;
}

async function listenOnce(host: string, port: number): Promise<void> {
  const server = createServer((socket) => socket.destroy());
  const listening = once(server, "listening");
  server.listen({ host, port, exclusive: true });
  await listening;
  server.close();
  await once(server, "close");
}
