// Code and output in a box: coloured, or as the diff that it is.
import hljs from "highlight.js/lib/core";
import bash from "highlight.js/lib/languages/bash";
import cpp from "highlight.js/lib/languages/cpp";
import css from "highlight.js/lib/languages/css";
import diff from "highlight.js/lib/languages/diff";
import dockerfile from "highlight.js/lib/languages/dockerfile";
import go from "highlight.js/lib/languages/go";
import ini from "highlight.js/lib/languages/ini";
import java from "highlight.js/lib/languages/java";
import javascript from "highlight.js/lib/languages/javascript";
import json from "highlight.js/lib/languages/json";
import python from "highlight.js/lib/languages/python";
import ruby from "highlight.js/lib/languages/ruby";
import rust from "highlight.js/lib/languages/rust";
import sql from "highlight.js/lib/languages/sql";
import typescript from "highlight.js/lib/languages/typescript";
import xml from "highlight.js/lib/languages/xml";
import yaml from "highlight.js/lib/languages/yaml";
import { signs } from "./diff";
import { fill, h, icon } from "./dom";
import { linked } from "./links";

const languages = { bash, cpp, css, diff, dockerfile, go, ini, java, javascript, json, python, ruby, rust, sql, typescript, xml, yaml };
const aliases: Record<string, keyof typeof languages> = {
  sh: "bash", zsh: "bash", c: "cpp", h: "cpp", cc: "cpp", cxx: "cpp", hpp: "cpp", hh: "cpp", hxx: "cpp", "c++": "cpp", patch: "diff", docker: "dockerfile", golang: "go", toml: "ini", jsp: "java",
  js: "javascript", jsx: "javascript", mjs: "javascript", cjs: "javascript", jsonc: "json", json5: "json", py: "python", rb: "ruby", gemspec: "ruby", rs: "rust",
  ts: "typescript", tsx: "typescript", mts: "typescript", cts: "typescript", html: "xml", xhtml: "xml", svg: "xml", plist: "xml", rss: "xml", atom: "xml", xsl: "xml", xsd: "xml", yml: "yaml",
};
const inner: Partial<Record<string, (keyof typeof languages)[]>> = { xml: ["css", "javascript"] }; // languages in a language

// grammar returns the name of a language that can be coloured, or undefined. To read a grammar takes a millisecond or two: it is done for those that are met.
function grammar(language: string): string | undefined {
  const name = aliases[language.toLowerCase()] ?? language.toLowerCase();
  if (!Object.hasOwn(languages, name)) return undefined;
  for (const l of [name, ...(inner[name] ?? [])] as (keyof typeof languages)[]) if (!hljs.getLanguage(l)) hljs.registerLanguage(l, languages[l]);
  return name;
}

// signs by which a language is known that nobody names: a terminal shows code without its language. The first that fits is taken.
const known: [string, RegExp][] = [
  ["diff", /^(diff --git |@@ .* @@)/m], ["bash", /^(#!.*\b(ba|z)?sh\b|\$ \S)/m], ["python", /^#!.*python|^(async )?def \w+\(.*:|^class \w+.*:$|^from \S+ import |^import \w+(\.\w+)*$/m],
  ["go", /^package \w+$|^func (\(\w+ \*?\w+\) )?\w+(\[.*\])?\(|\w := /m], ["rust", /\bfn \w+.*[{;(]$|^\s*(let mut|impl|pub (fn|struct|enum)|use \w+::)|println!\(/m],
  ["cpp", /^#include [<"]|\bstd::|^(int|void) \w+\(.*\)\s*\{$/m], ["java", /\b(public|private|protected) (static |final |abstract )*(class|interface|void|int|String)\b/],
  ["typescript", /^\s*(export )?(interface|type|enum) \w+|\w\??: (string|number|boolean|void|unknown)\b/m], ["javascript", /^\s*(export |async )*(const|let|var|function|class)\s+[\w{[]|^import .* from ["']|\) => |\brequire\(["']|console\.log\(/m],
  ["sql", /^\s*(SELECT .+ FROM|INSERT INTO|UPDATE \w+ SET|DELETE FROM|(CREATE|ALTER|DROP) (TABLE|INDEX|VIEW))\b/im], ["dockerfile", /^FROM \S+(:\S+)?( AS \w+)?$/m], ["ruby", /^\s*(require ["']|def \w+[?!]?$|module [A-Z])|\bdo \|\w+\|$/m],
  ["json", /^\s*[[{]\s*("[^"\n]*"\s*[:,\]]|[[{])/], ["xml", /^\s*<(!DOCTYPE|\?xml|\/?[a-z][\w-]*[\s>/])/i], ["css", /^\s*[.#@\w][^{}\n;]*\{\s*(\n\s*)?(--)?[\w-]+\s*:[^=]/m], ["ini", /^\[[\w. "-]+\]\n\s*[\w.-]+ ?=/m],
  ["yaml", /^([\w-]+:( .+)?\n)(\s*(- )?[\w-]+:( .+)?\n?)+/], ["bash", /^(sudo|git|cd|npm|npx|make|curl|docker|kubectl|go|pip|apt|export|mkdir|echo) [\w./-]/m],
];
// how much code is coloured, from its beginning: grammars need time with the square of what has no line breaks
const most = { characters: 8000, lines: 300, line: 400 };
const tried = 2000; // characters that a language is guessed by
const linkable = 100_000; // characters in which addresses are looked for
const mostSpans = 600; // coloured words in a box
const chunk = 200; // lines that are laid out together
const mostParts = 500; // of a diff

export interface Kind { label?: string; language?: string; tool?: string }

/** languageOf returns the language of the file that a tool's input names, as its ending. */
export const languageOf = (input: string): string | undefined => /^\S+\.(\w+)(?:[:#]\S*)?$/.exec(input.trim())?.[1]?.toLowerCase();

/** guess returns the language that code seems to be in. */
export const guess = (code: string): string | undefined => known.find(([, sign]) => sign.test(code.slice(0, tried)))?.[0];

/** codeBox returns text in a box with a button that copies it. */
export function codeBox(text: string, { label = "", language, tool }: Kind = {}): HTMLElement {
  const button = h("button", { class: "copy", type: "button", title: "Copy", "aria-label": "Copy", onclick: async () => {
    await navigator.clipboard.writeText(text);
    fill(button, icon("check"));
    setTimeout(() => fill(button, icon("copy")), 1500);
  } }, icon("copy"));
  const pre = h("pre", { tabIndex: 0 }, h("code", {}, ...inside(text, language, tool))); // tabIndex: can be scrolled by keys
  return h("div", { class: "code" }, label && h("span", { class: "lang" }, label), button, pre);
}

function inside(text: string, language?: string, tool?: string): Node[] {
  const lines = text.split("\n");
  const marks = signs(lines, tool);
  if (!marks && lines.length <= 2 * chunk) {
    const name = language && grammar(language);
    return name ? coloured(lines, name) : withLinks(text);
  }
  const parts: Node[] = [];
  for (let from = 0, to = 0; from < lines.length; from = to) {
    const markOf = (i: number): string => (parts.length < mostParts ? marks?.[i] ?? "" : "");
    const mark = markOf(from);
    for (to = from + 1; to < lines.length && to - from < chunk && markOf(to) === mark; ) to++;
    const part = lines.slice(from, to).join("\n") + (lines[to - 1] ? "" : "\n"); // a block ends its last line, unless that is empty
    const el = mark === "+" ? h("ins", {}, part) : mark === "-" ? h("del", {}, part) : h("span", { class: "chunk" }, ...(marks || text.length > linkable ? [part] : linked(part)));
    el.style.containIntrinsicHeight = `auto ${(to - from) * 1.5}em`;
    parts.push(el);
  }
  return parts;
}

const withLinks = (text: string): Node[] => (text.length > linkable ? [document.createTextNode(text)] : linked(text));

// coloured returns code as nodes. Behind so many characters, lines or coloured words, or a line that is too long, the rest is plain.
function coloured(lines: string[], language: string): Node[] {
  let end = 0;
  for (let characters = 0; end < Math.min(lines.length, most.lines) && lines[end]!.length <= most.line && (characters += lines[end]!.length) <= most.characters; ) end++;
  const box = document.createElement("template");
  box.innerHTML = hljs.highlight(lines.slice(0, end).join("\n"), { language, ignoreIllegals: true }).value; // which escapes what it is given, and makes spans with a class of it
  const nodes = [...box.content.childNodes, document.createTextNode(lines.slice(end).map((l) => `\n${l}`).join("").slice(end ? 0 : 1))];
  for (let i = 0, spans = 0; i < nodes.length; i++) {
    const node = nodes[i]!;
    if (node instanceof Element && (spans += 1 + node.querySelectorAll("*").length) > mostSpans) return [...nodes.slice(0, i), document.createTextNode(nodes.slice(i).map((n) => n.textContent).join(""))];
  }
  return nodes;
}
