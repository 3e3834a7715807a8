// ptyrec's page: the sessions at /, one of them at /s/ID or, by a link, at /l/CODE; a machine that logs in at /m/CODE.
import { openBy, provider, Refused, showToken, Silent, takeToken } from "./api";
import { fill, h } from "./dom";
import { bind, listen } from "./keys";
import { ListPage } from "./list";
import { MachinePage } from "./machine";
import { SessionPage } from "./session";
import "./style.css";
import { applyTheme } from "./theme";

/** Page is what fills the window. open may fail with the server's refusal. */
export interface Page { el: HTMLElement; open(): Promise<void>; close(): void }

let page: Page | undefined;

async function show(): Promise<void> {
  clearTimeout(again);
  page?.close();
  const [, kind, name] = /^\/([slm])\/([^/]+)$/.exec(location.pathname) ?? [], linked = kind === "l";
  openBy(linked ? decodeURIComponent(name!) : "");
  page = name && kind === "m" ? new MachinePage(decodeURIComponent(name)) : name ? new SessionPage(decodeURIComponent(name), linked) : new ListPage();
  bind([]);
  fill(document.querySelector("#page")!, page.el);
  await page.open().catch(failed);
}

const retry = 3000; // ms
let again = 0; // timer

/** failed shows why there is no page: a form for the token, or what is wrong. A server that does not answer is tried again. */
export function failed(e: unknown): void {
  page?.close();
  page = undefined;
  clearTimeout(again);
  const refused = e instanceof Refused ? e : undefined;
  const field = h("input", { type: "password", name: "token", required: true, autocomplete: "off", "aria-label": "Token", placeholder: "Token" });
  const form = h("form", { onsubmit: (ev: Event) => { ev.preventDefault(); showToken(field.value.trim()).then(show, failed); } },
    location.pathname.startsWith("/l/") ? h("p", {}, "This link opens for people who have a token of this server, if it is still valid.") : h("p", {}, "This server wants a token. It is behind ", h("code", {}, "#token="), " in the address that ", h("code", {}, "ptyrec serve"), " prints, or you got your own."), h("div", { class: "line" }, field, h("button", { class: "button strong" }, "Open")));
  if (refused?.status === 401) void provider().then((host) => host && form.prepend(h("p", {}, h("a", { href: `/login?to=${encodeURIComponent(location.pathname)}`, class: "button strong" }, `Sign in at ${host}`))), () => {}); // else with a token
  const silent = e instanceof Silent;
  if (silent) again = setTimeout(() => void show(), retry);
  const why = h("div", {}, h("p", {}, e instanceof Error ? e.message : String(e), silent && " Trying again…"), h("a", { href: "/", "data-own": true, class: "button" }, "All sessions"));
  fill(document.querySelector("#page")!, h("main", { class: "card" }, h("h1", {}, refused?.status === 401 ? "Who is there?" : refused?.status === 404 ? (location.pathname.startsWith("/l/") ? "This link opens nothing" : location.pathname.startsWith("/m/") ? "No machine waits" : "No such session") : silent ? "No answer" : "That did not work"), refused?.status === 401 ? form : why));
  if (refused?.status === 401) field.focus();
}

/** go shows the page of an address of ours. */
export function go(href: string): void {
  history.pushState({ from: location.pathname }, "", href);
  void show();
}

document.addEventListener("click", (e) => {
  const a = e.target instanceof Element ? e.target.closest<HTMLAnchorElement>("a[data-own]") : null;
  if (!a || e.button || e.ctrlKey || e.metaKey || e.shiftKey || e.defaultPrevented) return;
  e.preventDefault();
  go(a.href);
});
addEventListener("popstate", () => void show());
visualViewport?.addEventListener("resize", () => document.documentElement.style.setProperty("--height", `${visualViewport!.height}px`)); // above a phone's keyboard

applyTheme();
listen();
takeToken().then(show, failed);
