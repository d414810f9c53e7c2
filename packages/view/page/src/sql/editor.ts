/** The editor of SQL. */

import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { SQLDialect, sql } from "@codemirror/lang-sql";
import { bracketMatching, HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { EditorState, Prec } from "@codemirror/state";
import { drawSelection, EditorView, keymap, placeholder } from "@codemirror/view";
import { tags } from "@lezer/highlight";

/** DuckDB's keywords in queries (`duckdb_keywords()`), and its types. */
const DUCKDB = SQLDialect.define({
  charSetCasts: true,
  doubleDollarQuotedStrings: true,
  operatorChars: "+-*/<>=~!@#%^&|`?",
  specialVar: "",
  keywords:
    "all and anti any as asc asof at between both by case cast coalesce collate columns create cross cube current desc describe distinct drop else end escape except exclude exists explain extract false filter first following for from full glob group grouping having ignore ilike in inner intersect into is isnull join lambda last lateral leading left like limit macro materialized natural not notnull null nullif nulls offset on only or order ordinality outer over overlay partition percent pivot position positional preceding qualify range recursive rename replace reset respect returning right rollup row rows sample select semi set sets show similar some substring summarize symmetric table tablesample temp temporary then ties to trailing trim true try_cast unbounded union unnest unpivot using values view when where window with within without",
  types:
    "array bigint bit blob boolean char date decimal double enum float hugeint int integer interval json list map numeric real smallint struct text time timestamp timestamptz timetz tinyint ubigint uhugeint uinteger usmallint utinyint uuid varchar",
});

const COLOURS = HighlightStyle.define([
  { tag: tags.keyword, color: "light-dark(#7b30a8, #cf9bf0)" },
  { tag: [tags.string, tags.special(tags.string)], color: "light-dark(#1c6b38, #86cf9c)" },
  { tag: [tags.number, tags.bool, tags.null], color: "light-dark(#9a4a00, #efb073)" },
  { tag: tags.comment, color: "light-dark(#727a85, #8a939f)", fontStyle: "italic" },
  { tag: [tags.typeName, tags.standard(tags.name)], color: "light-dark(#1259b8, #82b4fb)" },
]);

const THEME = EditorView.theme({
  "&": { backgroundColor: "var(--ground)", color: "var(--text)", fontSize: "13px", height: "100%" },
  "&.cm-focused": { outline: "2px solid var(--accent)", outlineOffset: "-1px" },
  ".cm-content": { fontFamily: "var(--mono)", caretColor: "var(--text)", padding: "8px 4px" },
  ".cm-scroller": { lineHeight: "1.55" },
  ".cm-cursor": { borderLeftColor: "var(--text)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
    backgroundColor: "var(--chosen)",
  },
  ".cm-placeholder": { color: "var(--faint)" },
  ".cm-tooltip": { backgroundColor: "var(--ground)", border: "1px solid var(--edge)", borderRadius: "6px" },
  ".cm-tooltip-autocomplete > ul": { fontFamily: "var(--mono)", maxHeight: "16em" },
  ".cm-tooltip-autocomplete > ul > li[aria-selected]": { backgroundColor: "var(--chosen)", color: "var(--text)" },
  ".cm-matchingBracket": { backgroundColor: "var(--hover)" },
});

export interface EditorOptions {
  readonly text: string;
  /** Columns of the tables, for completion. */
  readonly schema: Readonly<Record<string, readonly string[]>>;
  changed(text: string): void;
  run(): void;
}

/** Creates an editor. In a shadow root its styles are constructed style sheets, which the page's policy allows. */
export function makeEditor(parent: HTMLElement, { text, schema, changed, run }: EditorOptions): EditorView {
  const root = parent.shadowRoot ?? parent.attachShadow({ mode: "open" });
  root.replaceChildren();
  return new EditorView({
    parent: root,
    root,
    state: EditorState.create({
      doc: text,
      extensions: [
        Prec.highest(
          keymap.of([
            {
              key: "Mod-Enter",
              run: () => {
                run();
                return true;
              },
            },
          ]),
        ),
        history(),
        drawSelection(),
        bracketMatching(),
        closeBrackets(),
        autocompletion(),
        sql({ dialect: DUCKDB, schema: escaped(schema), upperCaseKeywords: false }),
        syntaxHighlighting(COLOURS),
        placeholder("select … from obs"),
        keymap.of([...closeBracketsKeymap, ...completionKeymap, ...defaultKeymap, ...historyKeymap]),
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({ "aria-label": "Statement in SQL" }),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) changed(update.state.doc.toString());
        }),
        THEME,
      ],
    }),
  });
}

/** Escapes names with a dot, which would mean nested tables in the editor's schema. */
function escaped(schema: EditorOptions["schema"]): Record<string, readonly string[]> {
  return Object.fromEntries(Object.entries(schema).map(([name, columns]) => [name.replaceAll(".", "\\."), columns]));
}

export function setEditorText(editor: EditorView, text: string): void {
  editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: text } });
}
