/** Random statements about the datasets of `random-datasets.ts`. */

import { oneOf, type Random, STAGES } from "./random-datasets.js";

export interface RandomStatement {
  readonly sql: string;
  /** Whether the standard says which rows the answer has: without a limit, or with one below a total order. */
  readonly isCertain: boolean;
}

export function randomStatement(random: Random, rows: number, cols: number): RandomStatement {
  return new Generator(random, rows, cols).statement();
}

class Generator {
  readonly #random: Random;
  readonly #rows: number;
  readonly #cols: number;

  constructor(random: Random, rows: number, cols: number) {
    this.#random = random;
    this.#rows = rows;
    this.#cols = cols;
  }

  statement(): RandomStatement {
    const certain = (sql: string): RandomStatement => ({ sql, isCertain: true });
    const x = this.#matrix();
    return oneOf<() => RandomStatement>(this.#random, [
      () => certain(`select row, col, value from ${x} where ${this.#entry("")}`),
      () => certain(`select ${this.#aggregates("")} from ${x} where ${this.#entry("")}`),
      () => certain(`select row, ${this.#aggregates("")}, min(col) from ${x} where ${this.#entry("")} group by row`),
      () => certain(`select kind, ${this.#aggregates("")} from ${this.#joined(x)} (${this.#any()}) group by 1`),
      () => certain(`select symbol, kind, count(*), max(value) from ${this.#joined(x)} (${this.#any()}) group by all`),
      () =>
        certain(
          `select a.row, a.col, o.n, o.note from ${x} a ${this.#side()} join obs o on a.row = o.row where ${this.#entry("a.")} and ${this.#frame("o.")}`,
        ),
      () =>
        certain(
          `select o.row, o.k, a.col, a.value from obs o ${this.#side()} join ${x} a using (row) where ${this.#frame("o.")}`,
        ),
      () => certain(`select row, col, value from ${x} where ${this.#subquery()} and ${this.#entry("")}`),
      () =>
        certain(
          `select row, col, value from ${x} where ${this.#subquery()} ${oneOf(this.#random, ["and", "or"])} ${this.#subquery()}`,
        ),
      () =>
        certain(
          `select * from ${x} a where exists (select 1 from obs where obs.row = a.row and ${this.#frame("obs.")}) and ${this.#entry("a.")}`,
        ),
      () =>
        certain(
          `select * from ${x} ${oneOf(this.#random, ["semi", "anti"])} join (select * from obs where ${this.#frame("")}) o using (row)`,
        ),
      () => certain(`select row, col, value from ${x} where ${this.#sides("", "obs")}`),
      () =>
        certain(
          `select ${this.#aggregates("a.")} from ${x} a where ${this.#sides("a.", "obs")} and ${this.#entry("a.")}`,
        ),
      () =>
        certain(
          `select a.row, a.col, o.k from ${x} a join obs o using (row) where (${this.#entry("a.")} and ${this.#frame("o.")}) or ${this.#entry("a.")}`,
        ),
      () =>
        certain(
          `select * from ${x} a where ${this.#exists()} ${oneOf(this.#random, ["and", "or"])} ${this.#entry("a.")}`,
        ),
      () =>
        certain(
          `select a.row, ${this.#aggregates("a.")} from ${x} a where ${this.#exists()} and ${this.#exists()} group by 1`,
        ),
      () => certain(`select row, col, value from ${x} a ${this.#semiJoin()} where ${this.#entry("")}`),
      () =>
        certain(
          `select kind, ${this.#aggregates("")} from ${x} a ${this.#semiJoin()} ${this.#side()} join obs using (row) where ${this.#frame("obs.")} group by 1`,
        ),
      () =>
        certain(`select count(*), sum(a.value) from obs ${this.#side()} join ${x} a using (row) ${this.#semiJoin()}`),
      () => certain(`select * from (select * from ${x} a ${this.#semiJoin()}) t where ${this.#entry("t.")}`),
      () =>
        certain(
          `select o.row, o.k, t.value from obs o left join (select * from ${x} where ${this.#entry("")}) t on o.row = t.row and ${this.#entry("t.")} where ${this.#frame("o.")}`,
        ),
      () =>
        certain(
          `select t.row, t.col, o.n from (select * from ${x} where ${this.#entry("")}) t left join obs o on o.row = t.row and ${this.#frame("o.")} left join var v using (col) where ${this.#entry("t.")} and ${this.#gene("v.")}`,
        ),
      () =>
        certain(
          `select * from (select * from (select * exclude (value), value * 2 as value from ${x}) where ${this.#entry("")}) where ${this.#subquery()}`,
        ),
      () =>
        certain(
          `select row, col from obs, var where ${this.#not()}exists (select * from ${x} a where a.row = obs.row and a.col = var.col and ${this.#entry("a.")}) and ${this.#frame("")}`,
        ),
      () =>
        certain(
          `with g as ${this.#materialized()} (select row, col, value from ${x} where ${this.#entry("")}) select a.row, count(*), sum(b.value) from g a join g b using (row) where ${this.#entry("a.")} group by 1`,
        ),
      () =>
        certain(
          `with cd as (select row, value from ${x} join var using (col) where ${this.#gene("var.")}) select kind, count(value), sum(coalesce(value, 0)) from obs left join cd using (row) where ${this.#frame("obs.")} group by 1`,
        ),
      () =>
        certain(
          `select row, col from ${x} where ${this.#entry("")} union ${oneOf(this.#random, ["", "all"])} select row, k from obs where ${this.#frame("")}`,
        ),
      () =>
        certain(
          `select * from (select row, col from ${x} union all select col, row from ${this.#matrix()}) where ${this.#entry("", false)}`,
        ),
      () =>
        certain(
          `select * from (select row, col, value, row_number() over (partition by ${oneOf(this.#random, ["row", "col"])} order by value, row, col) as place from ${x} where ${this.#entry("")}) where place < 3 and ${this.#entry("")}`,
        ),
      () =>
        certain(
          `select t.* from (select row as col, col as row, value from ${x}) t join obs on t.row = obs.row where ${this.#frame("obs.")}`,
        ),
      () =>
        certain(
          `select a.value, b.value from ${x} a join ${this.#matrix()} b on a.row = b.row and a.col = b.col where ${this.#entry("a.")} and ${this.#entry("b.")}`,
        ),
      () =>
        certain(
          `select a.row, p.value[1] from ${x} a join "obsm/points" p using (row) where p.value[2] > 0 and ${this.#position("a.row")}`,
        ),
      () => certain(`select row, value[1] from "obsm/points" where ${this.#position("row")} and value[1] <> 0`),
      () =>
        certain(
          `select * from obs where ${this.#frame("")} and row not in (select row from ${x} where ${this.#entry("")})`,
        ),
      () =>
        certain(
          `select (select count(*) from ${x} where ${this.#entry("")}) as a, (select max(value) from ${x} where ${this.#entry("")}) as b`,
        ),
      () =>
        certain(`select row, col, value from ${x} where ${this.#entry("")} order by ${this.#order()} ${this.#limit()}`),
      () =>
        certain(
          `select row, col, value, n from ${x} join obs using (row) where ${this.#frame("")} order by ${this.#order()} ${this.#limit()}`,
        ),
      () =>
        certain(
          `select * from (select row, col from ${x} where ${this.#entry("")} order by row, col ${this.#limit()}) join obs using (row) where ${this.#frame("")}`,
        ),
      () => ({ sql: `select row, col, value from ${x} where ${this.#entry("")} ${this.#limit()}`, isCertain: false }),
      () => ({ sql: `select row, col from ${x} ${this.#limit()}`, isCertain: false }),
      () => ({ sql: `select row, k from obs ${this.#limit()}`, isCertain: false }),
      () => ({
        sql: `(select row, col from ${x} ${this.#limit()}) union all (select row, k from obs where ${this.#frame("")} ${this.#limit()})`,
        isCertain: false,
      }),
    ])();
  }

  /** Conditions on the entries of `a` by whether a frame has a row. */
  #exists(): string {
    return oneOf<() => string>(this.#random, [
      () => `${this.#not()}exists (select 1 from obs o where o.row = a.row and ${this.#frame("o.")})`,
      () => `exists (select * from obs o where ${this.#frame("o.")} and a.row = o.row)`,
      () => `exists (select v.col from var v where v.col = a.col and ${this.#gene("v.")})`,
      () => `exists (select 1 from obs o where o.k = a.col and ${this.#frame("o.")})`,
      () => `exists (select 1 from obs o where o.row = a.row and o.k = a.col)`,
      () => `exists (select 1 from obs o join var v on o.k = v.col where v.col = a.col and ${this.#frame("o.")})`,
      () => `exists (select count(*) from obs o where o.row = a.row and ${this.#frame("o.")})`,
      () => `exists (select 1 from obs o where o.row = a.row or ${this.#frame("o.")})`,
      () => `exists (select 1 from "layers/counts" b where b.row = a.row and ${this.#entry("b.")})`,
    ])();
  }

  /** Joins of the entries of `a` that keep or leave out entries. */
  #semiJoin(): string {
    const kind = oneOf(this.#random, ["semi", "semi", "semi", "anti"]);
    return oneOf<() => string>(this.#random, [
      () => `${kind} join (select row from obs where ${this.#frame("")}) o using (row)`,
      () => `${kind} join (select col from var where ${this.#gene("")}) using (col)`,
      () => `${kind} join obs o on o.row = a.row and ${this.#frame("o.")}`,
      () => `${kind} join var v on ${this.#gene("v.")} and a.col = v.col`,
      () => `${kind} join obs o on a.col = o.k and o.n > 0`,
      () => `${kind} join (select k as col, row from obs where ${this.#frame("")}) o using (row, col)`,
    ])();
  }

  /** Conditions on both axes and the values, joined by OR. */
  #sides(prefix: string, frame: string): string {
    const side = () =>
      oneOf<() => string>(this.#random, [
        () => `(${this.#position(`${prefix}row`)} and ${this.#position(`${prefix}col`)})`,
        () => `(${this.#position(`${prefix}row`)} and ${prefix}value > 0.5)`,
        () => `(${prefix}row in (select row from ${frame} where ${this.#frame("")}) and ${this.#entry(prefix)})`,
        () => this.#position(`${prefix}row`),
        () => this.#position(`${prefix}col`),
      ])();
    const terms = Array.from({ length: 2 + Math.floor(this.#random() * 2) }, side);
    return `(${terms.join(" or ")})`;
  }

  #matrix(): string {
    return oneOf(this.#random, ["X", "X", '"layers/counts"']);
  }

  /** A matrix with both frames, and the beginning of a condition on them. */
  #joined(x: string): string {
    return oneOf(this.#random, [
      `${x} join obs using (row) join var using (col) where`,
      `obs join ${x} using (row) join var using (col) where`,
      `${x} left join obs using (row) left join var using (col) where`,
      `${x}, obs, var where ${x}.row = obs.row and var.col = ${x}.col and`,
    ]);
  }

  #any(): string {
    const terms = [this.#frame(""), this.#gene("")];
    return this.#random() < 0.3 ? terms.join(oneOf(this.#random, [" and ", " or "])) : oneOf(this.#random, terms);
  }

  #side(): string {
    return oneOf(this.#random, ["", "left", "right", "full"]);
  }

  #materialized(): string {
    return oneOf(this.#random, ["", "materialized", "not materialized"]);
  }

  #aggregates(prefix: string): string {
    return oneOf(this.#random, [
      "count(*)",
      `sum(${prefix}value)`,
      `count(*), sum(${prefix}value), avg(${prefix}value)`,
      `count(distinct ${prefix}col), max(${prefix}value)`,
      `sum(${prefix}value) filter (${prefix}col > 2)`,
    ]);
  }

  #order(): string {
    return oneOf(this.#random, ["row, col", "value desc, row, col", "col, row desc"]);
  }

  #limit(): string {
    const count = Math.floor(this.#random() * 30);
    return this.#random() < 0.7 ? `limit ${count}` : `limit ${count} offset ${Math.floor(this.#random() * 20)}`;
  }

  /** A condition on the entries of a matrix. */
  #entry(prefix: string, hasValue = true): string {
    const term = () => {
      const terms = [this.#position(`${prefix}row`), this.#position(`${prefix}col`)];
      if (hasValue) {
        terms.push(
          oneOf(this.#random, [
            `${prefix}value > 1`,
            `${prefix}value between -1 and 2.5`,
            `${prefix}value is not null`,
          ]),
        );
      }
      return oneOf(this.#random, terms);
    };
    return this.#several(term);
  }

  #several(term: () => string): string {
    const draw = this.#random();
    if (draw < 0.4) return term();
    if (draw < 0.75) return `${term()} and ${term()}`;
    if (draw < 0.85) return `(${term()} or ${term()})`;
    if (draw < 0.92) return `not (${term()} and ${term()})`;
    return `(${term()} or ${term()}) and ${term()}`;
  }

  #position(column: string): string {
    const size = column.endsWith("row") ? this.#rows : this.#cols;
    const at = () => Math.floor(this.#random() * (size + 4)) - 2;
    return oneOf<() => string>(this.#random, [
      () => `${column} = ${at()}`,
      () => `${column} ${oneOf(this.#random, ["<", "<=", ">", ">=", "<>"])} ${at()}`,
      () => `${at()} ${oneOf(this.#random, ["<", ">="])} ${column}`,
      () => `${column} between ${at()} and ${at() + Math.floor(size / 2)}`,
      () => `${column} in (${at()}, ${at()}, ${at()})`,
      () => `${column} in (${Array.from({ length: 14 }, at).join(", ")})`,
      () => `${column} not in (${at()}, ${at()})`,
      () => `${column} is ${oneOf(this.#random, ["", "not "])}null`,
      () => `${column} % 3 = 0`,
      () => `${column} = ${at()}.0`,
      () => `${column} + 1 < ${at()}`,
      () => `${column} = '${Math.abs(at())}'`,
    ])();
  }

  /** A condition on observations. */
  #frame(prefix: string): string {
    return this.#several(() =>
      oneOf<() => string>(this.#random, [
        () => `${prefix}kind = ${oneOf(this.#random, ["'a'", "'b'", "'it''s'", "'é '", "'none'"])}`,
        () => `${prefix}kind in ('a', 'it''s', 'zz')`,
        () => `${prefix}kind is ${oneOf(this.#random, ["", "not "])}null`,
        () => `${prefix}kind <> 'a'`,
        () => `${prefix}n > ${Math.floor(this.#random() * 20) / 4 - 2}`,
        () => `${prefix}n between -1 and ${Math.floor(this.#random() * 8)}`,
        () => `${prefix}n is null`,
        () => `${prefix}k in (1, 2, ${Math.floor(this.#random() * 6)})`,
        () => `${prefix}k = ${Math.floor(this.#random() * 6)}`,
        () => `${prefix}stage ${oneOf(this.#random, ["=", "<>", "<", ">="])} '${oneOf(this.#random, STAGES)}'`,
        () => `${prefix}stage in ('middle', 'late')`,
        () => `${prefix}stage > 'early' and ${prefix}stage < 'middle'`,
        () => `${prefix}note like '${oneOf(this.#random, ["x%", "%y", "%o%", "x", "ü%", "row<5%"])}'`,
        () => `${prefix}note = ''`,
        () => `upper(${prefix}note) = 'X'`,
        () => this.#position(`${prefix}row`),
      ])(),
    );
  }

  /** A condition on variables. */
  #gene(prefix: string): string {
    return this.#several(() =>
      oneOf<() => string>(this.#random, [
        () => `${prefix}symbol = ${oneOf(this.#random, ["'CD3E'", "'S'", "'none'"])}`,
        () => `${prefix}symbol in ('CD4', 'MT-1')`,
        () => `${prefix}symbol like 'MT-%'`,
        () => `${prefix}score > 1.25`,
        () => `${prefix}score is null`,
        () => this.#position(`${prefix}col`),
      ])(),
    );
  }

  #subquery(): string {
    return oneOf<() => string>(this.#random, [
      () => `${this.#not()}col in (select col from var where ${this.#gene("")})`,
      () => `${this.#not()}row in (select row from obs where ${this.#frame("")})`,
      () => `row not in (select k from obs where ${this.#frame("")})`,
      () => `row = (select max(row) from obs where ${this.#frame("")})`,
      () => `col = (select min(col) from var where ${this.#gene("")})`,
      () => `row in (select n from obs where ${this.#frame("")})`,
      () => `col in (select k from obs join var on k = var.col where ${this.#frame("")})`,
    ])();
  }

  #not(): string {
    return this.#random() < 0.2 ? "not " : "";
  }
}
