/** Command line options that select cells, genes and elements. */

import { type AxisSlice, slice } from "annarrow";
import { type Command, InvalidArgumentError } from "commander";
import { addNewName, type Pairs } from "./name-pairs.js";

export interface PartFlags {
  readonly modality?: string;
  readonly X?: string;
  readonly obs?: string;
  readonly var?: string;
  readonly obsSql?: string;
  readonly varSql?: string;
  readonly files?: boolean;
  readonly obsNames?: string;
  readonly varNames?: string;
  readonly obsSlice?: AxisSlice;
  readonly varSlice?: AxisSlice;
  readonly elements?: readonly string[];
  readonly drop?: readonly string[];
  readonly rename?: Pairs;
  readonly dropUnused?: boolean;
}

export function addPartOptions(command: Command): Command {
  return command
    .optionsGroup("Cells, genes and elements:")
    .option("--obs <condition>", "only the observations (cells) for which an SQL condition holds")
    .option("--var <condition>", "only the variables (genes) for which an SQL condition holds")
    .option("--obs-sql <statement>", "only the observations whose positions are the column row of its answer")
    .option("--var-sql <statement>", "only the variables whose positions are the column col of its answer")
    .option("--files", "let these statements name files of tables: join 'list.csv' using (barcode)")
    .option("--obs-names <file>", "only the observations (cells) of this file, which has one name a line")
    .option("--var-names <file>", "only the variables (genes) of this file, which has one name a line")
    .option("--obs-slice <start:end>", "only the observations from start to before end, as 0:1000", parseAxisSlice)
    .option("--var-slice <start:end>", "only the variables from start to before end", parseAxisSlice)
    .option("--elements <names>", "only these elements, and all below them, as X,obs,var,obsm", parseElementList)
    .option("--drop <names>", "leave out these elements, and all below them, as raw,uns/log", parseElementList)
    .option("--rename <name=new>", "another name for an element, as obsm/X_pca=obsm/pca; repeatable", addNewName)
    .option("--drop-unused", "leave out categories that no chosen cell or gene has, and their colours")
    .option("--modality <name>", "one modality of a MuData, as an AnnData of its own");
}

function parseElementList(text: string): readonly string[] {
  return text.split(",").filter((name) => name !== "");
}

/** Parses a range `start:end`. The start is 0 by default, the end is the end of the axis. */
function parseAxisSlice(text: string): AxisSlice {
  const found = /^(\d{0,15}):(\d{0,15})$/.exec(text);
  if (found === null) throw new InvalidArgumentError("It must be a range, as 0:1000.");
  const [, start, end] = found;
  return end === "" ? slice(Number(start)) : slice(Number(start), Number(end));
}
