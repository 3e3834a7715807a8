(async () => {
  const root = document.documentElement;
  const all = (selector) => [...document.querySelectorAll(selector)];
  document.getElementById("theme").onclick = () => {
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
  };

  const folds = all("#talk details");
  const fold = document.getElementById("fold");
  fold.hidden = !folds.length;
  fold.onclick = () => {
    const open = fold.getAttribute("aria-pressed") !== "true";
    folds.forEach((d) => (d.open = open));
    fold.setAttribute("aria-pressed", open);
    fold.textContent = open ? "Close all" : "Open all";
  };
  for (const pre of navigator.clipboard ? all("#talk pre") : []) {
    const box = document.createElement("div"), copy = document.createElement("button");
    box.className = "copied";
    copy.textContent = "Copy";
    copy.onclick = async () => {
      await navigator.clipboard.writeText(pre.textContent).then(() => (copy.textContent = "Copied"), () => (copy.textContent = "Not allowed"));
      setTimeout(() => (copy.textContent = "Copy"), 1500);
    };
    pre.replaceWith(box);
    box.append(pre, copy);
  }

  const packed = document.getElementById("cast");
  if (!packed) return;
  const bytes = Uint8Array.from(atob(packed.textContent.trim()), (c) => c.charCodeAt(0));
  const unpack = () => new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
  const narrow = matchMedia("(max-width: 60rem)");
  const player = AsciinemaPlayer.create({ data: unpack }, document.getElementById("player"), {
    preload: true, fit: "width", poster: "npt:" + (packed.dataset.poster || "0"), terminalFontFamily: "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace",
  });
  window.player = player;

  const messages = all("article[data-at]");
  const prompts = new Map(all("#prompts a").map((a) => [a.hash.slice(1), a]));
  const mark = (message) => {
    messages.forEach((m) => m.classList.toggle("now", m === message));
    const prompt = messages.slice(0, messages.indexOf(message) + 1).findLast((m) => prompts.has(m.id));
    prompts.forEach((a, id) => a.classList.toggle("now", id === prompt?.id));
  };
  const seek = async (message, go) => {
    mark(message);
    await player.seek(Number(message.dataset.at));
    if (go) await player.play();
  };
  for (const message of messages) {
    message.querySelector(".at button").onclick = () => seek(message, true);
    message.addEventListener("click", (e) => {
      if (!e.target.closest("a, button, summary") && !String(getSelection())) seek(message, false);
    });
  }
  prompts.forEach((a, id) => a.addEventListener("click", () => seek(document.getElementById(id), false)));

  const step = (by) => {
    const at = messages.findIndex((m) => m.classList.contains("now"));
    const message = messages[Math.max(0, Math.min(messages.length - 1, at + by))];
    seek(message, false);
    message.scrollIntoView({ block: "nearest" });
  };
  addEventListener("keydown", (e) => {
    const by = { j: 1, k: -1 }[e.key];
    if (by && !e.ctrlKey && !e.metaKey && !e.altKey) step(by);
  });

  let timer = 0;
  const follow = () => {
    const now = player.getCurrentTime();
    const last = messages.findLast((m) => Number(m.dataset.at) <= now + 0.05);
    if (last && !last.classList.contains("now")) {
      mark(last);
      if (!narrow.matches) last.scrollIntoView({ block: "nearest", behavior: "smooth" });
    }
  };
  player.addEventListener("playing", () => { clearInterval(timer); timer = setInterval(follow, 300); });
  for (const name of ["pause", "ended"]) player.addEventListener(name, () => clearInterval(timer));
  const named = messages.find((m) => "#" + m.id === location.hash);
  if (named) seek(named, false);
})();
