/** Opens an address in the user's browser. */

import { spawn } from "node:child_process";
import { once } from "node:events";

/** Programs that open an address on each platform. On Linux and other systems, the first existing program is used. */
const OPENERS: Readonly<Record<string, readonly [program: string, ...args: string[]]>> = {
  darwin: ["open"],
  // `start` is a shell command, so the shell would interpret the address. rundll32 receives the address unchanged.
  win32: ["rundll32", "url.dll,FileProtocolHandler"],
};

/** @throws the system's error if the program does not exist. */
export async function openInBrowser(url: string): Promise<void> {
  const [program, ...args] = OPENERS[process.platform] ?? ["xdg-open"];
  const child = spawn(program, [...args, url], { detached: true, stdio: "ignore" });
  await once(child, "spawn");
  child.on("error", () => undefined);
  child.unref();
}
