// Messages as HTML. What an agent wrote is hostile: HTML in it is shown, not obeyed, nothing is loaded, and what comes out is cleaned once more.
import DOMPurify from "dompurify";
import MarkdownIt from "markdown-it";
import { codeBox, guess } from "./code";
import { h } from "./dom";
import { printable } from "./hidden";
import { bare, harmless, honest } from "./links";

const longest = 30_000; // characters of Markdown: more is shown as it is, because it would hold the page up

const md = new MarkdownIt({ html: false, breaks: true, linkify: true });
md.linkify = bare as unknown as typeof md.linkify;
md.renderer.rules.image = (tokens, i) => {
  const { content } = tokens[i]!;
  const src = String(tokens[i]!.attrGet("src") ?? "");
  return `<a href="${md.utils.escapeHtml(src)}">🖼 ${md.utils.escapeHtml(content || src)}</a>`;
};
md.validateLink = (url) => harmless.test(url);

const clean = {
  ALLOWED_TAGS: "p br hr strong em s del code pre blockquote ul ol li a h1 h2 h3 h4 h5 h6 table thead tbody tr th td span".split(" "),
  ALLOWED_ATTR: ["href", "class", "start"],
  ALLOWED_URI_REGEXP: harmless,
  RETURN_DOM_FRAGMENT: true as const,
};

/** markdown returns a message's Markdown as nodes, code with a button that copies it. */
export function markdown(source: string): DocumentFragment {
  if (source.length > longest) {
    const whole = document.createDocumentFragment();
    whole.append(codeBox(source));
    return whole;
  }
  const nodes = DOMPurify.sanitize(md.render(source), clean);
  for (let w = document.createTreeWalker(nodes, NodeFilter.SHOW_TEXT), n = w.nextNode(); n; n = w.nextNode()) (n as Text).data = printable((n as Text).data); // &#x202e; is resolved only now
  for (const a of nodes.querySelectorAll("a")) honest(a);
  for (const title of nodes.querySelectorAll("h1,h2,h3,h4,h5,h6")) title.replaceWith(h("p", { class: "title", role: "heading", "aria-level": 3 }, ...title.childNodes));
  for (const table of nodes.querySelectorAll("table")) {
    const box = h("div", { class: "wide" });
    table.replaceWith(box);
    box.append(table);
  }
  for (const pre of nodes.querySelectorAll("pre")) {
    const code = (pre.textContent ?? "").replace(/\n$/, ""), label = /language-([\w+-]+)/.exec(pre.firstElementChild?.className ?? "")?.[1];
    pre.replaceWith(codeBox(code, { label, language: label ?? guess(code) }));
  }
  return nodes;
}
