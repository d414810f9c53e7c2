/** Opens objects of BPCells' R classes in an R file, each as a group with the arrays of an equivalent store. */

import { type AnnarrowError, InvalidDataError, isAnnarrowError, NotFoundError, UnsupportedError } from "annarrow";
import type { DatasetStores, Follow, FoundStore, ListLevel } from "annarrow/core/readers";
import type { Group, ReadOptions } from "annarrow/format";
import { findOtherSlots } from "./other-slots.js";
import { readObjectVersion, SlotGroup } from "./slot-group.js";
import type { ObjectContext } from "./slots.js";

interface FoundObjects extends DatasetStores {
  /** Slots of these objects that have no table, keyed by path. */
  readonly slots: ReadonlyMap<string, AnnarrowError>;
}

/** Maximum number of lists and objects in a file, and maximum nesting of lists; real files have fewer. */
const MAX_GROUPS = 2 ** 16;
const MAX_LIST_DEPTH = 64;

/**
 * Finds all objects at and below `root`, in the order of the lists that contain them. An object's path consists of its
 * names in these lists. The slots of an object are not searched. Other values in the lists are failures.
 * @throws {NotFoundError} for a file without objects.
 * @throws the failure of the first object if no object can be read.
 */
export async function findObjects(root: Group, options: ObjectOptions): Promise<FoundObjects> {
  const stores: FoundStore[] = [];
  const failures = new Map<string, AnnarrowError>();
  const others = new Map<string, AnnarrowError>();
  const slots = new Map<string, AnnarrowError>();
  const taken = new Set<string>();
  let groups = 0;
  const search = async (group: Group, path: string, list: readonly ListLevel[]): Promise<void> => {
    if (++groups > MAX_GROUPS) throw new UnsupportedError(`more than ${MAX_GROUPS} lists and objects in one file`);
    if (classOf(group) !== null || (await readObjectVersion(group, options)) !== null) {
      try {
        stores.push({ path, group: await openObject(group, options), list: list.length === 0 ? undefined : list });
        for (const slot of await findOtherSlots(group, options)) {
          const element = path === "" ? slot : `${path}.${slot}`;
          slots.set(element, new UnsupportedError("a slot that the class has not in BPCells", { element }));
        }
      } catch (error) {
        if (path === "" || !isAnnarrowError(error)) throw error;
        failures.set(path, error);
      }
      return;
    }
    const keys = list.length === MAX_LIST_DEPTH ? [] : await group.keys(options);
    if (keys.length === 0 && path !== "") {
      const what =
        list.length === MAX_LIST_DEPTH ? `a list in lists, more than ${MAX_LIST_DEPTH} deep` : "an empty list";
      others.set(path, new UnsupportedError(what));
    }
    for (const [i, key] of keys.entries()) {
      const own = uniqueKey(path, key, i, taken);
      const below = path === "" ? own : `${path}/${own}`;
      taken.add(below);
      const node = await group.open(key, options).catch((error: unknown) => {
        if (isAnnarrowError(error)) return error;
        throw error;
      });
      if (isAnnarrowError(node)) others.set(below, node);
      else if (node.kind === "group")
        await search(node, below, [...list, { key: own, name: group.elementNames?.[i] ?? null }]);
      else others.set(below, new UnsupportedError("a vector, no object of BPCells"));
    }
  };
  await search(root, "", []);
  if (stores.length === 0) {
    const [failure] = failures.values();
    throw failure ?? new NotFoundError("no matrix or fragments of BPCells here");
  }
  return { stores, failures: new Map([...failures, ...others]), slots };
}

/** True if there are BPCells objects at `root` or in the lists below. Objects of other packages are never searched. */
export async function hasObject(root: Group, options: ReadOptions): Promise<boolean> {
  let groups = 0;
  const search = async (group: Group, depth: number): Promise<boolean> => {
    if (++groups > MAX_GROUPS || depth > MAX_LIST_DEPTH) return false;
    const name = classOf(group);
    if (name !== null) return OPENERS.has(name) || group.attributes.get("package") === "BPCells";
    if ((await readObjectVersion(group, options)) !== null) return true;
    for (const key of await group.keys(options)) {
      const node = await group.open(key, options).catch((error: unknown) => {
        if (isAnnarrowError(error)) return null;
        throw error;
      });
      if (node?.kind === "group" && (await search(node, depth + 1))) return true;
    }
    return false;
  };
  return search(root, 0);
}

/** Adds the position to a name if its path is already used. Names may contain slashes. */
function uniqueKey(path: string, key: string, position: number, taken: ReadonlySet<string>): string {
  const prefix = path === "" ? "" : `${path}/`;
  let own = key;
  for (let i = position + 1; taken.has(prefix + own); i++) own = `${key}_${i}`;
  return own;
}

/** Options for opening objects. Without `follow`, an object whose data are in another file is a failure. */
export interface ObjectOptions extends ReadOptions {
  readonly follow?: Follow;
}

/** Opens an object as a group, whose attribute `version` determines its arrays. */
type ObjectOpener = (object: Group, className: string, cx: ObjectContext) => Promise<Group>;

const onDisk = () => import("./on-disk.js");
const lazyMatrix = () => import("./lazy-matrix.js");
const lazyFragments = () => import("./lazy-fragments.js");

/** Openers by R's class names, verbatim. Classes with external data load their code on first use. */
const OPENERS: ReadonlyMap<string, ObjectOpener> = new Map<string, ObjectOpener>([
  ["PackedMatrixMem_uint32_t", inMemory(/^packed-uint-matrix-/)],
  ["PackedMatrixMem_float", inMemory(/^packed-float-matrix-/)],
  ["PackedMatrixMem_double", inMemory(/^packed-double-matrix-/)],
  ["UnpackedMatrixMem_uint32_t", inMemory(/^unpacked-uint-matrix-/)],
  ["UnpackedMatrixMem_float", inMemory(/^unpacked-float-matrix-/)],
  ["UnpackedMatrixMem_double", inMemory(/^unpacked-double-matrix-/)],
  ["PackedMemFragments", inMemory(/^packed-fragments-/)],
  ["UnpackedMemFragments", inMemory(/^unpacked-fragments-/)],
  ["MatrixDir", async (object, _, cx) => (await onDisk()).openMatrixDir(object, cx)],
  ["MatrixH5", async (object, _, cx) => (await onDisk()).openMatrixH5(object, cx)],
  ["AnnDataMatrixH5", async (object, _, cx) => (await onDisk()).openAnnDataMatrixH5(object, cx)],
  ["10xMatrixH5", notRead("a matrix in a file of Cell Ranger (10x)")],
  ["FragmentsDir", async (object, _, cx) => (await onDisk()).openFragmentsDir(object, cx)],
  ["FragmentsHDF5", async (object, _, cx) => (await onDisk()).openFragmentsH5(object, cx)],
  ["FragmentsTsv", fragmentsFile],
  ["Iterable_dgCMatrix_wrapper", async (object, _, cx) => (await lazyMatrix()).openDgcMatrix(object, cx)],
  ["RenameDims", async (object, _, cx) => (await lazyMatrix()).renameDims(object, cx)],
  ["MatrixSubset", async (object, _, cx) => (await lazyMatrix()).openMatrixSubset(object, cx)],
  ["ConvertMatrixType", async (object, _, cx) => (await lazyMatrix()).convertMatrixType(object, cx)],
  ["RowBindMatrices", async (object, name, cx) => (await lazyMatrix()).bindMatrices(object, name, cx)],
  ["ColBindMatrices", async (object, name, cx) => (await lazyMatrix()).bindMatrices(object, name, cx)],
  ["ChrRename", async (object, _, cx) => (await lazyFragments()).openChrRename(object, cx)],
  ["CellRename", async (object, _, cx) => (await lazyFragments()).openCellRename(object, cx)],
  ["CellPrefix", async (object, _, cx) => (await lazyFragments()).openCellPrefix(object, cx)],
  ["CellMerge", async (object, _, cx) => (await lazyFragments()).openCellMerge(object, cx)],
  ["ChrSelectName", async (object, name, cx) => (await lazyFragments()).openChrSelect(object, name, cx)],
  ["ChrSelectIndex", async (object, name, cx) => (await lazyFragments()).openChrSelect(object, name, cx)],
  ["CellSelectName", async (object, name, cx) => (await lazyFragments()).openCellSelect(object, name, cx)],
  ["CellSelectIndex", async (object, name, cx) => (await lazyFragments()).openCellSelect(object, name, cx)],
]);

/**
 * Opens an S4 object, or a list of arrays as created by BPCells' C++ code.
 * @throws {UnsupportedError} for unknown classes, whose slots may mean anything.
 */
export async function openObject(object: Group, options: ObjectOptions): Promise<Group> {
  const counted = { objects: 0 };
  const open = async (inner: Group, depth: number): Promise<Group> => {
    if (depth > MAX_DEPTH) throw new UnsupportedError(`objects in objects, more than ${MAX_DEPTH} deep`);
    if (++counted.objects > MAX_OBJECTS) throw new UnsupportedError(`an object of more than ${MAX_OBJECTS} others`);
    const { follow = notFollowed } = options;
    return openWith(inner, { options, follow, open: (next) => open(next, depth + 1) });
  };
  return open(object, 0);
}

/** Maximum nesting of objects, and maximum number of inner objects; real objects have fewer. */
const MAX_DEPTH = 256;
const MAX_OBJECTS = 2 ** 14;

function notFollowed(path: string): Promise<never> {
  return Promise.reject(new UnsupportedError(`the data lie at ${JSON.stringify(path)}, where they cannot be read`));
}

async function openWith(object: Group, cx: ObjectContext): Promise<Group> {
  const className = classOf(object);
  if (className === null) {
    const version = await readObjectVersion(object, cx.options);
    if (version === null) throw new UnsupportedError("a list that has no version", { element: object.path });
    return new SlotGroup(object, version);
  }
  const opener = OPENERS.get(className);
  if (opener === undefined) {
    const what =
      object.attributes.get("package") === "BPCells"
        ? `the lazy operation ${className} of BPCells, which only R evaluates`
        : `an R object of the class ${className}`;
    throw new UnsupportedError(what, { element: object.path });
  }
  return opener(object, className, cx);
}

/** Returns the first class of an object; null for a list. */
function classOf(group: Group): string | null {
  const value = group.attributes.get("class");
  const name: unknown = Array.isArray(value) ? value[0] : value;
  return typeof name === "string" ? name : null;
}

/** Opens an object with the arrays in its own slots. @param expected allowed versions of its class. */
function inMemory(expected: RegExp): ObjectOpener {
  return async (object, className, { options }) => {
    const version = await readObjectVersion(object, options);
    if (version === null || !expected.test(version)) {
      const found = version === null ? "no version" : `version ${JSON.stringify(version)}`;
      throw new InvalidDataError(`${found} in an object of the class ${className}`, { element: object.path });
    }
    return new SlotGroup(object, version);
  };
}

/** Refuses a fragments file, which is a separate format that `open` reads. */
async function fragmentsFile(object: Group, _: string, { options }: ObjectContext): Promise<never> {
  const path = await (await import("./slots.js")).readTextSlot(object, "path", options);
  throw new UnsupportedError(`fragments in a text file: open ${JSON.stringify(path)} itself`, { element: object.path });
}

function notRead(what: string): ObjectOpener {
  return (object) => Promise.reject(new UnsupportedError(what, { element: object.path }));
}
