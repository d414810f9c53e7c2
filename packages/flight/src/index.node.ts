/** Exports for other packages, for Node only: `@annarrow/flight/node`. */

export { registerFlight } from "./flight/register.node.js";
export { Folders, isDataset } from "./serve/datasets/folders.node.js";
export { startProbeProcess } from "./serve/datasets/trial-process.node.js";
export { type BrowserRules, checkBrowserRequest } from "./serve/http/browser-requests.node.js";
export { endIfKnown, sendBytes } from "./serve/http/response.node.js";
export { servePipe } from "./serve/pipe/pipe-server.node.js";
export { Access } from "./serve/requests/tokens.node.js";
export { type RunningServer, type ServeOptions, serve } from "./serve/serve.node.js";
export { startStatementThread } from "./serve/statements/statement-worker.node.js";
