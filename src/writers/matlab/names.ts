/** Names of variables and fields as MATLAB has them: letters, digits and underscores, a letter first, at most 63. */

const VALID = /^[A-Za-z][A-Za-z0-9_]{0,62}$/;
const MOST = 63;

/** The words of MATLAB's language, which no variable can be named by. */
const KEYWORDS = new Set(
  (
    "break case catch classdef continue else elseif end for function global if otherwise parfor persistent return " +
    "spmd switch try while"
  ).split(" "),
);

export function isValidName(name: string): boolean {
  return VALID.test(name) && !KEYWORDS.has(name);
}

/** The names, those that are not valid in a valid form, each of them once. */
export function validNames(names: readonly string[]): readonly string[] {
  const taken = new Set(names.filter(isValidName));
  return names.map((name) => (isValidName(name) ? name : distinct(validName(name), taken)));
}

/** As `matlab.lang.makeValidName` has it: an x before what is no letter, underscores for all else. */
export function validName(name: string): string {
  if (KEYWORDS.has(name)) return `x${name[0].toUpperCase()}${name.slice(1)}`;
  const plain = name.replace(/[^A-Za-z0-9_]/g, "_");
  return (/^[A-Za-z]/.test(plain) ? plain : `x${plain}`).slice(0, MOST);
}

/** `name`, or with a number behind it. */
export function distinct(name: string, taken: Set<string>): string {
  let own = name;
  for (let i = 1; taken.has(own); i++) {
    const suffix = `_${i}`;
    own = `${name.slice(0, MOST - suffix.length)}${suffix}`;
  }
  taken.add(own);
  return own;
}
