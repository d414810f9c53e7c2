/** Starts the page. */

import { render } from "preact";
import { ServedConnection } from "./data/served.js";
import { App } from "./shell/app.js";
import { Address } from "./state/address.js";
import { startView } from "./state/view.js";

const address = new Address(window);
const root = document.getElementById("page");
if (root === null) throw new TypeError("the page has no element of id page");
try {
  const view = await startView(new ServedConnection(address.fixed("token") ?? ""), address);
  render(<App view={view} />, root);
} catch (error) {
  render(<p role="alert">{error instanceof Error ? error.message : String(error)}</p>, root);
}
