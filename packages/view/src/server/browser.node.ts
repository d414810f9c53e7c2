/** Opens an address in the user's browser. */

import { spawn } from "node:child_process";
import { once } from "node:events";

/** Programs that open an address, by platform; on Linux and other systems the first that exists. */
const OPENERS: Readonly<Record<string, readonly [program: string, ...args: string[]]>> = {
  darwin: ["open"],
  // `start` is a shell command, and the shell would interpret the address; rundll32 gets it unchanged.
  win32: ["rundll32", "url.dll,FileProtocolHandler"],
};

/** @throws the system's error if no such program exists. */
export async function openInBrowser(url: string): Promise<void> {
  const [program, ...args] = OPENERS[process.platform] ?? ["xdg-open"];
  const child = spawn(program, [...args, url], { detached: true, stdio: "ignore" });
  await once(child, "spawn");
  child.on("error", () => undefined);
  child.unref();
}
