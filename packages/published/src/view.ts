/**
 * Building blocks of `annarrow view`: the requests of its page, and the code that answers them without a server.
 *
 * @module
 */

import "./register.js";

export * from "@annarrow/view";
