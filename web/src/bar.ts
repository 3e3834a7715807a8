// The bar at the top of each page.
import { h, icon } from "./dom";
import { help } from "./keys";
import { toggleTheme } from "./theme";

/** bar makes a page's head around what is its own. */
export function bar(...inside: (Node | null)[]): HTMLElement {
  return h("header", { class: "bar" }, ...inside,
    h("div", { class: "tools" },
      h("button", { type: "button", class: "quiet wideonly", title: "Keys (?)", "aria-label": "Keys", onclick: help }, icon("help")),
      h("button", { type: "button", class: "quiet", title: "Light or dark", "aria-label": "Light or dark", onclick: toggleTheme }, icon("theme"))));
}

/** link makes a link within the page's own addresses: main.ts follows it without loading the page again. */
export const link = (href: string, props: Record<string, unknown>, ...inside: (Node | string | null | false)[]): HTMLAnchorElement => h("a", { href, "data-own": true, ...props }, ...inside);
