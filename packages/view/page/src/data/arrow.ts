/**
 * Functions for rows of apache-arrow, loaded after the first paint: `import("apache-arrow")` would bundle all of it.
 */

export { RecordBatchReader, Vector } from "apache-arrow";
