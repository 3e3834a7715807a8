// The few words in which the page is built.

type Child = Node | string | number | null | undefined | false;
type Props = Record<string, unknown>;

/** h makes an element. Props that start with "on" are listeners, "class" and those with a dash attributes, true an empty attribute; the rest are properties. */
export function h<K extends keyof HTMLElementTagNameMap>(tag: K, props: Props = {}, ...children: Child[]): HTMLElementTagNameMap[K] {
  const el = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) el.addEventListener(name.slice(2), value as EventListener);
    else if (name === "class" || name === "role" || name.includes("-")) el.setAttribute(name, value === true ? "" : String(value));
    else (el as unknown as Props)[name] = value;
  }
  fill(el, ...children);
  return el;
}

/** fill puts children in place of what el holds. */
export function fill(el: Element, ...children: Child[]): void {
  el.replaceChildren(...children.filter((c) => c !== null && c !== undefined && c !== false).map((c) => (c instanceof Node ? c : String(c))));
}

const paths = {
  search: "M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14zM20 20l-4-4",
  theme: "M12 3a9 9 0 1 0 0 18zM12 3a9 9 0 0 1 0 18",
  help: "M9 9a3 3 0 1 1 4 2.8c-.7.3-1 .8-1 1.7M12 17h.01M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18z",
  play: "M8 5l11 7-11 7z",
  pause: "M8 5v14M16 5v14",
  back: "M15 6l-6 6 6 6",
  copy: "M9 9h10v11H9zM5 15V4h10",
  check: "M5 12l5 5 9-10",
  people: "M9 11a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM3 19c.6-3 3-4.500 6-4.500s5.400 1.500 6 4.500M16 5.300a3 3 0 0 1 0 5.400M18 15c1.600.6 2.600 2 3 4",
  key: "M4 7h16v10H4zM8 11h.01M12 11h.01M16 11h.01M9 14h6",
  lock: "M6 11h12v9H6zM9 11V8a3 3 0 0 1 6 0v3",
  down: "M12 5v13M6 13l6 6 6-6",
  file: "M12 4v10M7 10l5 5 5-5M5 19h14",
  up: "M12 19V6M6 11l6-6 6 6",
  close: "M6 6l12 12M18 6L6 18",
  more: "M5 12h.01M12 12h.01M19 12h.01",
  bell: "M6 16V11a6 6 0 0 1 12 0v5l2 2H4zM10 21h4",
  zoom: "M4 9V4h5M20 9V4h-5M4 15v5h5M20 15v5h-5",
} as const;

/** icon draws one of the icons, in the colour of the text. */
export function icon(name: keyof typeof paths): SVGSVGElement {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("class", "icon");
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  path.setAttribute("d", paths[name]);
  svg.append(path);
  return svg;
}

/** toast shows a message for a few seconds, to screen readers too. */
export function toast(text: string, bad = false): void {
  let stack = document.querySelector("#toasts");
  if (!stack) document.body.append((stack = h("div", { id: "toasts", role: "status", "aria-live": "polite" })));
  const el = h("div", { class: bad ? "toast bad" : "toast" }, text);
  stack.append(el);
  setTimeout(() => el.remove(), bad ? 8000 : 4000);
}
