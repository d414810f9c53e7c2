/** What reads rows of apache-arrow, which the page loads after its first picture: `import("apache-arrow")` would bring all of it. */

export { RecordBatchReader, Vector } from "apache-arrow";
