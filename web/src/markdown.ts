// Messages as HTML. What an agent wrote is hostile: HTML in it is shown, not obeyed, nothing is loaded, and what comes out is cleaned once more.
import DOMPurify from "dompurify";
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
import MarkdownIt from "markdown-it";
import { fill, h, icon } from "./dom";

const languages = { bash, cpp, css, diff, dockerfile, go, ini, java, javascript, json, python, ruby, rust, sql, typescript, xml, yaml };
for (const [name, language] of Object.entries(languages)) hljs.registerLanguage(name, language);

const longest = 50_000; // characters of code that are coloured: more would hold the page up

const md = new MarkdownIt({ html: false, breaks: true, linkify: false, highlight: coloured });
md.renderer.rules.image = (tokens, i) => {
  const { content } = tokens[i]!;
  const src = String(tokens[i]!.attrGet("src") ?? "");
  return `<a href="${md.utils.escapeHtml(src)}">🖼 ${md.utils.escapeHtml(content || src)}</a>`;
};

function coloured(code: string, language: string): string {
  if (!hljs.getLanguage(language) || code.length > longest) return "";
  return hljs.highlight(code, { language, ignoreIllegals: true }).value;
}

const clean = {
  ALLOWED_TAGS: "p br hr strong em s del code pre blockquote ul ol li a h1 h2 h3 h4 h5 h6 table thead tbody tr th td span".split(" "),
  ALLOWED_ATTR: ["href", "class", "start"],
  ALLOWED_URI_REGEXP: /^(https?|mailto):/i,
  RETURN_DOM_FRAGMENT: true as const,
};

/** markdown gives a message's Markdown as nodes, code with a button that copies it. */
export function markdown(source: string): DocumentFragment {
  const nodes = DOMPurify.sanitize(md.render(source), clean);
  for (const a of nodes.querySelectorAll("a")) Object.assign(a, { target: "_blank", rel: "noopener noreferrer nofollow" });
  for (const title of nodes.querySelectorAll("h1,h2,h3,h4,h5,h6")) title.replaceWith(h("p", { class: "title", role: "heading", "aria-level": 3 }, ...title.childNodes));
  for (const table of nodes.querySelectorAll("table")) {
    const box = h("div", { class: "wide" });
    table.replaceWith(box);
    box.append(table);
  }
  for (const pre of nodes.querySelectorAll("pre")) codeBox(pre, /language-([\w+-]+)/.exec(pre.firstElementChild?.className ?? "")?.[1]);
  return nodes;
}

/** plain gives text as it is, such as a tool's output. */
export const plain = (text: string, name?: string): HTMLElement => codeBox(h("pre", {}, h("code", {}, text)), name);

// codeBox puts a box with a button around pre, where it stands.
function codeBox(pre: HTMLElement, name = ""): HTMLElement {
  const button = h("button", { class: "copy", type: "button", title: "Copy", "aria-label": "Copy" }, icon("copy"));
  const box = h("div", { class: "code" }, name && h("span", { class: "lang" }, name), button);
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(pre.textContent ?? "");
    fill(button, icon("check"));
    setTimeout(() => fill(button, icon("copy")), 1500);
  });
  pre.tabIndex = 0; // can be scrolled by keys
  pre.replaceWith(box);
  box.append(pre);
  return box;
}
