/** Opens an address in the user's browser. */

import { spawn } from "node:child_process";
import { once } from "node:events";

/** Programs that open an address, by platform; the first of Linux and others. */
const OPENERS: Readonly<Record<string, readonly [program: string, ...args: string[]]>> = {
  darwin: ["open"],
  // `start` is a word of the shell, and the shell would read the address; this one is passed on as it is.
  win32: ["rundll32", "url.dll,FileProtocolHandler"],
};

/** @throws the error of the system where no program is there to open it. */
export async function openInBrowser(url: string): Promise<void> {
  const [program, ...args] = OPENERS[process.platform] ?? ["xdg-open"];
  const child = spawn(program, [...args, url], { detached: true, stdio: "ignore" });
  await once(child, "spawn");
  child.on("error", () => undefined);
  child.unref();
}
