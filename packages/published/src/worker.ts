/** The worker for web pages, with the schemes that it reads from. */

import { registerCloud } from "@annarrow/cloud";
import { serveTasksInPage } from "annarrow/core/jobs";

registerCloud();
serveTasksInPage();
