/** Finds the slots of an object, and the attributes of R's own types, that the value's table does not represent. */

import type { RS4, RValue } from "../../../containers/rds/model/value.js";
import { isDelayed, isMatrix, isPassing } from "../matrices/forms.js";
import { findRFrame, isFrame } from "../values/frame.js";
import { isCompressedList } from "../values/lists.js";
import { isRanges } from "../values/ranges.js";
import { isMolecules } from "../values/spatial.js";
import {
  findRStrings,
  getRAttributes,
  getRClasses,
  getRList,
  getRSlot,
  hasClass,
  isS4,
  listNamedElements,
} from "../values/value.js";
import { besideBpcells } from "./extra-bpcells-slots.js";
import { addPrefix, findExtraColumns, type NamedSlot } from "./extra-column-values.js";

// Attributes of R's vectors, lists and frames that contain neither values nor their form.

/**
 * Attributes that are read with the values of any vector, and notes by R and our writer about how a value is stored.
 */
const DATA: ReadonlySet<string> = new Set(["names", "class", ".S3Class", "annarrow"]);

/** Attributes that are read only for one class, or that its package computes, such as an index of data.table. */
const OF_CLASSES: ReadonlyMap<string, string> = new Map([
  ["row.names", "data.frame"],
  ["levels", "factor"],
  ["tzone", "POSIXt"],
  ["balanced", "POSIXlt"],
  ["units", "difftime"],
  ["index", "data.table"],
]);

/**
 * Finds the attributes of a value without slots, including empty attributes. Finds none for values that are not data,
 * such as a call, because these values fail as a whole.
 */
function findAttributesBeside(value: RValue): readonly (readonly [name: string, value: RValue])[] {
  switch (value.kind) {
    case "logical":
    case "integer":
    case "real":
    case "complex":
    case "character":
    case "raw":
    case "list":
      return [...value.attributes].filter(([name, one]) => !isRead(value, name) && !isOfTheSession(one));
    default:
      return [];
  }
}

function isRead(value: RValue, name: string): boolean {
  if (DATA.has(name)) return true;
  // A list has no dimensions here, because it is read as a tree.
  if (name === "dim" || name === "dimnames") return value.kind !== "list";
  const own = OF_CLASSES.get(name);
  return own !== undefined && hasClass(value, own);
}

/**
 * True for attributes that belong to the session that made the value and are not data: an address in memory
 * (data.table, and problems of readr), a Python object (reticulate), or the column types with which readr parsed the
 * text.
 */
function isOfTheSession(value: RValue): boolean {
  return value.kind === "external pointer" || getRClasses(value).some((name) => OF_THE_SESSION.has(name));
}

const OF_THE_SESSION = new Set(["python.builtin.object", "col_spec"]);

/** Maximum nesting of frames in frames. The reader of frames stops at a lower depth. */
const MAX_DEPTH = 16;

/**
 * Finds the slots and attributes of a value, including empty ones, and those of the columns if the value is a frame.
 * Finds none for objects that are read slot by slot.
 */
export function findSlotsBeside(value: RValue, depth = 0): readonly NamedSlot[] {
  const frame = isFrame(value) && depth < MAX_DEPTH ? findRFrame(value) : null;
  if (frame === null) return findOwnSlots(value, depth);
  const ofColumns = findExtraColumns(frame.columns, frame.names, (column) => findSlotsBeside(column, depth + 1));
  return [...findOwnSlots(value, depth), ...ofColumns];
}

/** Finds the slots and attributes of a value itself. Those of the columns of a frame are left out. */
export function findOwnSlots(value: RValue, depth = 0): readonly NamedSlot[] {
  if (!isS4(value)) return isMolecules(value) ? besideMolecules(value) : findAttributesBeside(value);
  if (isRanges(value)) {
    return [
      ...others(value, RANGES),
      ...addPrefix("ranges", others(getRSlot(value, "ranges"), INTERVALS)),
      ...addPrefix("elementMetadata", findSlotsBeside(getRSlot(value, "elementMetadata"), depth + 1)),
      ...["seqnames", "strand"].flatMap((name) => addPrefix(name, others(getRSlot(value, name), RUNS))),
    ];
  }
  if (isFrame(value)) return others(value, FRAME);
  if (value.slots.has("listData")) return others(value, LIST);
  if (value.slots.has("unlistData")) {
    if (!isCompressedList(value)) return [];
    return [
      ...others(value, COMPRESSED),
      ...addPrefix("partitioning", others(getRSlot(value, "partitioning"), INTERVALS)),
    ];
  }
  if (hasClass(value, "Rle")) return others(value, RUNS);
  if (value.package === "BPCells") return besideBpcells(value);
  if (isDelayed(value)) return besideDelayed(value);
  return isMatrix(value) ? others(value, MATRIX) : [];
}

const RANGES = new Set(["seqnames", "ranges", "strand", "elementMetadata", "elementType"]);
const INTERVALS = new Set(["start", "width", "end", "NAMES", "elementType"]);
const FRAME = new Set(["listData", "rownames", "nrows", "elementType"]);
const LIST = new Set(["listData", "elementType"]);
const COMPRESSED = new Set(["unlistData", "partitioning", "elementType"]);
const RUNS = new Set(["values", "lengths"]);

/** Slots of Matrix classes and of Seurat's `Graph`. `factors` contains values that R computed from the matrix. */
const MATRIX = new Set(["i", "j", "p", "x", "Dim", "Dimnames", "uplo", "diag", "factors", "assay.used"]);

/** Slots of delayed matrices, and of seeds with a file. The file contains all of their data except names. */
const DELAYED = new Set([
  ...["seed", "dim", "dimnames", "filepath", "name", "group", "subdata"],
  ...["as_sparse", "type", "chunkdim", "first_val", "indptr_ranges"],
]);

function others(value: RValue, known: ReadonlySet<string>): readonly NamedSlot[] {
  return [...getRAttributes(value)].filter(([name]) => name !== "class" && !known.has(name));
}

/**
 * Returns the slots of each step and of the inner matrix. Operations have no slots here, since they fail completely.
 */
function besideDelayed(value: RS4, step = 0): readonly NamedSlot[] {
  const seed = getRSlot(value, "seed");
  if (seed.kind === "null") return others(value, DELAYED);
  if (!isPassing(value) || step === MAX_STEPS) return [];
  const isStep = isS4(seed) && !seed.slots.has("Dim");
  return [
    ...others(value, DELAYED),
    ...addPrefix("seed", isStep ? besideDelayed(seed, step + 1) : findSlotsBeside(seed)),
  ];
}

/** Maximum number of steps, as for delayed matrices that are read. */
const MAX_STEPS = 16;

/**
 * Returns the slots of the positions of each molecule, by molecule name. The key (internal to R) and the computed
 * bounding box are left out.
 */
function besideMolecules(value: RValue): readonly NamedSlot[] {
  const places = listNamedElements(getRList(value, "molecules")).flatMap(([name, one]) => {
    const projection = findRStrings(getRSlot(getRSlot(one, "proj4string"), "projargs"))?.[0] ?? null;
    return addPrefix(name, others(one, projection === null ? POINTS : POINTS_WITH_PROJECTION));
  });
  return [...others(value, MOLECULES), ...places];
}

const MOLECULES = new Set([...DATA, "key", ".Data"]);
const POINTS_WITH_PROJECTION = new Set(["coords", "bbox", "coords.nrs"]);
const POINTS = new Set([...POINTS_WITH_PROJECTION, "proj4string"]);
