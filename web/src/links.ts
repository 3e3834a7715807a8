// Addresses in texts. Only what is known to be harmless becomes a link, and says where it leads.
import { LinkifyIt } from "linkify-it";
import { h } from "./dom";

/** harmless are the addresses that a link may have. */
export const harmless = /^(https?|mailto|file):/i;

const most = 300; // links in one text

/** bare finds addresses in text: those that begin with a scheme, because main.go is no host. */
export const bare = new LinkifyIt({ fuzzyLink: false, fuzzyEmail: false, fuzzyIP: false }).add("ftp:", null).add("//", null)
  .add("file:", { validate: (text, at) => /^\/\/\/[^\s<>"'`]*[^\s<>"'`.,;:!?)\]}]/.exec(text.slice(at))?.[0].length ?? 0 });

/** linked returns a text as nodes, with its addresses as links. */
export function linked(text: string): Node[] {
  const nodes: Node[] = [];
  let at = 0;
  for (const { index, lastIndex, url } of text.includes(":") ? (bare.match(text) ?? []).slice(0, most) : []) {
    nodes.push(document.createTextNode(text.slice(at, index)), honest(h("a", { href: url }, text.slice(index, lastIndex))));
    at = lastIndex;
  }
  nodes.push(document.createTextNode(text.slice(at)));
  return nodes;
}

/** honest makes a link open beside this page, and adds its host where its text names another. */
export function honest(a: HTMLAnchorElement): HTMLAnchorElement {
  Object.assign(a, { target: "_blank", rel: "noopener noreferrer nofollow", title: a.href });
  const said = /^\s*(?:https?:\/\/)?((?:[\p{L}\p{N}-]+\.)+[\p{L}]{2,})(?=[\s/:?#@]|$)/u.exec(a.textContent ?? "")?.[1]?.toLowerCase();
  const leads = harmless.test(a.href) ? new URL(a.href).host : "";
  if (said && leads && said !== leads && `www.${said}` !== leads && said !== leads.replace(/:\d+$/, "")) a.append(h("span", { class: "leads" }, ` (${leads})`));
  return a;
}
