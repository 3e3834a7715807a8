// Light and dark: as the system says, until the reader chooses.

const key = "ptyrec-theme";

export function applyTheme(): void {
  document.documentElement.dataset.theme = localStorage.getItem(key) ?? "";
}

export function toggleTheme(): void {
  const dark = document.documentElement.dataset.theme === "dark" || (!document.documentElement.dataset.theme && matchMedia("(prefers-color-scheme: dark)").matches);
  localStorage.setItem(key, dark ? "light" : "dark");
  applyTheme();
}
