/** The worker of pages, with the schemes that it reads from. */

import { registerCloud } from "../cloud/register.js";
import { serveTasksInPage } from "../jobs/workers/worker.js";

registerCloud();
serveTasksInPage();
