/** Exports of this package for other packages, only for Node: `@annarrow/view/node`. */

export { openInBrowser } from "./server/browser.node.js";
export { startOpenedView } from "./server/opened-view.node.js";
export { copyStaticPage } from "./server/static-page.node.js";
export { ViewInputList } from "./server/view-inputs.node.js";
export { startWorkProcess } from "./server/work/work-process.node.js";
export { ViewPage, type ViewPageOptions, viewPage } from "./view-page.node.js";
