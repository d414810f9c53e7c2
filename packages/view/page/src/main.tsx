/** Starts the page, with a server or, if its HTML says so, with a worker. */

import { render } from "preact";
import { Address } from "./address/address.js";
import { wordsOf } from "./answers/in-words.js";
import { showDirections } from "./answers/visible-names.js";
import type { Connection } from "./data/connection.js";
import { ServedConnection } from "./data/served.js";
import { App } from "./shell/app.js";
import { startView } from "./state/view.js";

showDirections();

const address = new Address(window);
const root = document.getElementById("page");
if (root === null) throw new TypeError("the page has no element of id page");

async function connection(): Promise<Connection> {
  if (document.querySelector("meta[name=annarrow-static]") === null) {
    return new ServedConnection(address.fixed("token") ?? "");
  }
  return (await import("./start/start-local.js")).startLocal(address);
}

try {
  const view = await startView(await connection(), address);
  render(<App view={view} />, root);
} catch (error) {
  render(<p role="alert">{wordsOf(error)}</p>, root);
}
