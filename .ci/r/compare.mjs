// Reads R objects, and compares their tables with what R says is in them (oracle.R): node compare.mjs FOLDER…
//
// Every FILE.rds is compared with the FILE.rds.json beside it, table by table; tables that R does not name are wrong too,
// but below uns. Last line: "N passed, N failed".
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { open } from "../../dist/node.js";

/** Arrow's types of R's vectors. */
const TYPES = {
  bool: "Bool",
  int32: "Int32",
  int64: "Int64",
  double: "Float64",
  text: "Utf8",
  date: "Date32<DAY>",
  duration: "Duration<MICROSECOND>",
  complex: "Struct<{real:Float64, imag:Float64}>",
  raw: "Uint8",
  null: "Null",
};

let passed = 0;
let failed = 0;
for (const folder of process.argv.slice(2)) {
  for (const name of readdirSync(folder).sort()) {
    if (!name.endsWith(".rds")) continue;
    const file = join(folder, name);
    await compareFile(file, existsSync(`${file}.json`) ? JSON.parse(readFileSync(`${file}.json`, "utf8")) : null);
  }
}
say(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 || passed === 0 ? 1 : 0;

async function compareFile(file, expected) {
  let data;
  try {
    data = await open(file, { follow: [join(file, "..")] });
  } catch (error) {
    failed++;
    say(`FAILED ${file}: ${error.message}`);
    return;
  }
  if (expected === null) {
    // R itself cannot answer: at least every table can be read.
    for (const table of data.tables.values()) await table.read();
    say(`no answer of R: ${file}`);
    passed++;
    return await data.close();
  }
  for (const [name, table] of Object.entries(expected)) {
    const problem = await problemOf(data, name, table).catch((error) => error.message);
    if (problem === null) passed++;
    else {
      failed++;
      say(`FAILED ${file}: ${name}: ${problem}`);
    }
  }
  const isFree = (name) => /(^|\/)uns($|\/)/.test(name) || data.tables.get(name).derived;
  const others = [...data.tables.keys()].filter((name) => !(name in expected) && !isFree(name));
  if (others.length > 0) {
    failed++;
    say(`FAILED ${file}: R has no ${others.join(", ")}`);
  }
  await data.close();
}

/** What is wrong with a table; null where nothing is. */
async function problemOf(data, name, expected) {
  if (!data.tables.has(name)) {
    return data.failures.has(name) ? `failure: ${data.failures.get(name).message}` : "no such table";
  }
  const table = await data.table(name).read();
  const { shape } = expected;
  if (Array.isArray(shape)) {
    const own = data.table(name).metadata.shape;
    if (String(own) !== String(shape)) return `the shape is ${own}, not ${shape}`;
  }
  if (expected.dense === true) return dense(table.getChild("value"), expected);
  if (Array.isArray(shape)) return entries(table, expected);
  const names = table.schema.fields.map((field) => field.name);
  if (String(names) !== String(Object.keys(expected))) return `the columns are ${names}, not ${Object.keys(expected)}`;
  for (const [column, wanted] of Object.entries(expected)) {
    const field = table.schema.fields.find((one) => one.name === column);
    const problem =
      wanted.dense === true
        ? dense(table.getChild(column), wanted)
        : columnProblem(field, table.getChild(column), wanted);
    if (problem !== null) return `${column}: ${problem}`;
  }
  return null;
}

function columnProblem(field, vector, wanted) {
  const type = String(field.type);
  if (wanted.type === "factor") {
    if (!type.startsWith("Dictionary<")) return `the type is ${type}, no dictionary`;
    if (field.type.isOrdered !== wanted.ordered) return `ordered: ${field.type.isOrdered}, not ${wanted.ordered}`;
    const levels = vector.data.length === 0 ? [] : Array.from(vector.data[0].dictionary ?? []);
    if (JSON.stringify(levels) !== JSON.stringify(wanted.levels))
      return `the levels are ${levels}, not ${wanted.levels}`;
  } else if (wanted.type === "list") {
    if (!type.startsWith("List<")) return `the type is ${type}, no list`;
  } else {
    const expected = wanted.type === "time" ? `Timestamp<MICROSECOND, ${wanted.zone}>` : TYPES[wanted.type];
    if (type !== expected) return `the type is ${type}, not ${expected}`;
  }
  const wrong = wanted.values.findIndex((value, i) => value === null && vector.get(i) !== null);
  if (wrong >= 0) return `row ${wrong} is not null`;
  const values = wanted.type === "list" ? wanted.values.map((one) => one && JSON.stringify(one)) : wanted.values;
  return differ(valuesOf(vector, wanted.type), values);
}

function* valuesOf(vector, type) {
  for (let i = 0; i < vector.length; i++) yield valueText(raw(vector, i, type), type);
}

/** Ticks of times and dates as they are stored: `get` of apache-arrow makes numbers of them. */
function raw(vector, i, type) {
  if (vector.get(i) === null) return null;
  if (type !== "date" && type !== "time" && type !== "duration") return vector.get(i);
  let at = i;
  for (const part of vector.data) {
    if (at < part.length) return part.values[at];
    at -= part.length;
  }
  return null;
}

function valueText(value, type) {
  if (value === null || value === undefined) return null;
  // Logicals with NA are numbers in a matrix.
  if (type === "list") return JSON.stringify(Array.from(value, (one) => (one === null ? null : String(one))));
  if (type === "bool") return Number.isNaN(value) ? "NaN" : value ? "1" : "0";
  if (type === "complex") return `${number(value.real)} ${number(value.imag)}`;
  if (type === "double") return number(value);
  return String(value);
}

function number(value) {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "Inf" : "-Inf";
  return value;
}

/** Numbers are equal where R's 17 digits are: so every bit but those of NaN. */
function same(found, wanted) {
  // NA is null, in matrices of real numbers also NaN; NaN is never null.
  if (wanted === null) return found === null || found === "NaN";
  if (typeof found === "number") return Number(wanted) === found;
  if (typeof found === "string" && found.includes(" ") && wanted !== null && found !== wanted) {
    return found.split(" ").map(Number).join() === wanted.split(" ").map(Number).join();
  }
  return found === wanted;
}

function differ(values, wanted) {
  let i = 0;
  for (const value of values) {
    if (i >= wanted.length) return `more than ${wanted.length} values`;
    if (!same(value, wanted[i])) return `row ${i} is ${value}, not ${wanted[i]}`;
    i++;
  }
  return i === wanted.length ? null : `${i} values, not ${wanted.length}`;
}

function dense(vector, { shape, type, values }) {
  const [rows, columns] = shape;
  if (vector.length !== rows) return `${vector.length} rows, not ${rows}`;
  const found = [];
  for (let row = 0; row < rows; row++) {
    const one = vector.get(row);
    if (one.length !== columns) return `row ${row} has ${one.length} values, not ${columns}`;
    for (let column = 0; column < columns; column++) found.push(valueText(one.get(column), type));
  }
  return differ(found, values);
}

function entries(table, { row, col, value }) {
  const [rows, cols, values] = ["row", "col", "value"].map((name) => table.getChild(name));
  if (table.numRows !== row.length) return `${table.numRows} entries, not ${row.length}`;
  const order = Array.from({ length: row.length }, (_, i) => i);
  const key = (i) => [Number(cols.get(i)), Number(rows.get(i))];
  order.sort((a, b) => key(a)[0] - key(b)[0] || key(a)[1] - key(b)[1]);
  for (const [i, at] of order.entries()) {
    const [c, r] = key(at);
    if (r !== row[i] || c !== col[i]) return `entry ${i} is at ${r}, ${c}, not ${row[i]}, ${col[i]}`;
    const found = typeof values.get(at) === "boolean" ? Number(values.get(at)) : values.get(at);
    if (!same(typeof found === "number" ? number(found) : found, value[i]))
      return `entry ${i} is ${found}, not ${value[i]}`;
  }
  return null;
}

function say(line) {
  process.stdout.write(`${line}\n`);
}
