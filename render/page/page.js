(async () => {
  const root = document.documentElement;
  document.getElementById("theme").onclick = () => {
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
  };
  const packed = document.getElementById("cast");
  if (!packed) return;
  const bytes = Uint8Array.from(atob(packed.textContent.trim()), (c) => c.charCodeAt(0));
  const unpack = () => new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
  const narrow = matchMedia("(max-width: 60rem)");
  const player = AsciinemaPlayer.create({ data: unpack }, document.getElementById("player"), {
    preload: true, fit: "width", poster: "npt:" + (packed.dataset.poster || "0"), terminalFontFamily: "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace",
  });
  window.player = player;
  const messages = [...document.querySelectorAll("article[data-at]")];
  const mark = (message) => messages.forEach((m) => m.classList.toggle("now", m === message));
  const seek = async (message, go) => {
    mark(message);
    await player.seek(Number(message.dataset.at));
    if (go) await player.play();
  };
  for (const message of messages) {
    message.querySelector("button").onclick = () => seek(message, true);
    message.addEventListener("click", (e) => {
      if (!e.target.closest("a, button, summary, pre") && !String(getSelection())) seek(message, false);
    });
  }
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
