// Made cells for the page of `annarrow view`: an embedding of clusters, columns of each kind, and a small matrix.

import {
  Dictionary,
  Field,
  FixedSizeList,
  Float32,
  Int32,
  makeData,
  makeVector,
  RecordBatch,
  Schema,
  Struct,
  Utf8,
  Vector,
} from "apache-arrow";
import { write } from "../../dist/node.js";

const TYPES = 30;
const GENES = 200;
const ROWS = 2 ** 18;

/** Writes an `.h5ad` of some cells, with some entries of the matrix for each of them. */
export async function makeCells(file, cells, entries = 4) {
  const random = generator(7);
  const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  const centres = Array.from({ length: TYPES }, () => [normal() * 8, normal() * 8, 0.4 + random()]);
  const places = new Float32Array(2 * cells);
  const codes = new Int32Array(cells);
  const score = new Float32Array(cells);
  for (let cell = 0; cell < cells; cell++) {
    const type = Math.floor(random() ** 1.5 * TYPES);
    const [x, y, spread] = centres[type];
    places[2 * cell] = x + normal() * spread;
    places[2 * cell + 1] = y + normal() * spread;
    codes[cell] = type;
    score[cell] = Math.exp(normal());
  }
  const list = new FixedSizeList(2, new Field("item", new Float32(), false));
  const embedding = makeData({ type: list, length: cells, child: makeData({ type: new Float32(), data: places }) });
  const names = Array.from({ length: TYPES }, (_, type) => `type ${type + 1}`);
  await write(file, {
    obs: {
      _index: cellNames(cells),
      cell_type: categorical(codes, names),
      score: new Vector([makeData({ type: new Float32(), data: score })]),
    },
    var: { _index: Array.from({ length: GENES }, (_, gene) => `gene${gene}`) },
    X: matrix(cells, entries, random),
    "obsm/X_umap": { value: new Vector([embedding]) },
  });
}

/** Names as a sequencer gives them: 16 bases and a number. */
function cellNames(cells) {
  const width = 18;
  const bytes = new Uint8Array(width * cells);
  const offsets = new Int32Array(cells + 1);
  for (let cell = 0; cell < cells; cell++) {
    const from = width * cell;
    // An odd factor: each cell has a name of its own.
    let rest = Math.imul(cell, 2_654_435_761) >>> 0;
    for (let at = 0; at < 16; at++) {
      bytes[from + at] = "ACGT".charCodeAt(rest & 3);
      rest >>>= 2;
    }
    bytes[from + 16] = "-".charCodeAt(0);
    bytes[from + 17] = "1".charCodeAt(0);
    offsets[cell + 1] = from + width;
  }
  return new Vector([makeData({ type: new Utf8(), length: cells, data: bytes, valueOffsets: offsets })]);
}

function categorical(codes, names) {
  const dictionary = makeVector(makeData({ type: new Utf8(), ...utf8(names) }));
  return new Vector([makeData({ type: new Dictionary(new Utf8(), new Int32()), data: codes, dictionary })]);
}

function utf8(texts) {
  const data = new TextEncoder().encode(texts.join(""));
  const valueOffsets = new Int32Array(texts.length + 1);
  texts.forEach((text, at) => {
    valueOffsets[at + 1] = valueOffsets[at] + text.length;
  });
  return { length: texts.length, data, valueOffsets };
}

/** Entries, cell after cell; those of a cell are of genes at one distance from each other. */
function matrix(cells, entries, random) {
  const schema = new Schema([
    new Field("row", new Int32(), false),
    new Field("col", new Int32(), false),
    new Field("value", new Float32(), false),
  ]);
  async function* batches() {
    for (let first = 0; first < cells; first += ROWS) {
      const count = Math.min(ROWS, cells - first);
      const [rows, cols] = [new Int32Array(count * entries), new Int32Array(count * entries)];
      const values = new Float32Array(count * entries);
      for (let cell = 0; cell < count; cell++) {
        const step = Math.floor(GENES / entries);
        const start = Math.floor(random() * step);
        for (let at = 0; at < entries; at++) {
          const entry = cell * entries + at;
          rows[entry] = first + cell;
          cols[entry] = start + at * step;
          values[entry] = 1 + random() * 4;
        }
      }
      const length = count * entries;
      const children = [
        makeData({ type: new Int32(), data: rows }),
        makeData({ type: new Int32(), data: cols }),
        makeData({ type: new Float32(), data: values }),
      ];
      yield new RecordBatch(schema, makeData({ type: new Struct(schema.fields), length, children }));
    }
  }
  const rest = { metadata: { kind: "csr_matrix" }, derived: false, axis: null, layouts: [] };
  const layout = () => Promise.reject(new Error("no layouts"));
  return { name: "X", schema, rows: cells * entries, ...rest, batches, read: layout, layout };
}

/** Numbers from 0 to 1, always the same. */
function generator(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
