// What agents and programs write may hold characters that nobody sees, or that turn around what others see. They are named: {U+202E}.
// package internal/human/printable decides the same for the command line.

const controls = /[\0-\x08\x0b-\x1f\x7f-\x9f]/g; // all but tab and line feed
const separators = /\r\n?|[\u2028\u2029]/g;

// what is invisible, but for signs of Arabic, Syriac and Kaithi that are drawn around others
const invisible = String.raw`(?![\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u{110bd}\u{110cd}])[\p{Cf}\p{DI}\u{e0000}-\u{e0fff}]`;
// where such characters do what they are for: in emoji, in scripts that join, behind a symbol or a Han character, in three flags
const emoji = String.raw`\p{Extended_Pictographic}[\ufe0f\u{1f3fb}-\u{1f3ff}]?`;
const joining = String.raw`(?![\p{sc=Latin}\p{sc=Greek}\p{sc=Cyrillic}\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Hebrew}])[\p{L}\p{M}]`;
const kept = [
  String.raw`\u{1f3f4}\u{e0067}\u{e0062}(?:\u{e0065}\u{e006e}\u{e0067}|\u{e0073}\u{e0063}\u{e0074}|\u{e0077}\u{e006c}\u{e0073})\u{e007f}`,
  String.raw`(?<=${emoji})\u200d(?=\p{Extended_Pictographic})`, String.raw`(?<=${joining})[\u200c\u200d](?=${joining})`,
  String.raw`(?<=[\p{S}\p{P}\p{Extended_Pictographic}\d])[\ufe0e\ufe0f]`, String.raw`(?<=\p{sc=Han})[\u{e0100}-\u{e01ef}]`,
].join("|");
const hidden = new RegExp(`(${kept})|${invisible}`, "gu");
const suspect = /[^\t\n -~]/;

/** printable returns a text without control characters, and with the hidden ones named; tabs and line feeds stay. */
export function printable(text: string): string {
  if (!suspect.test(text)) return text;
  return text.replace(separators, "\n").replace(controls, "").replace(hidden, (c, keep: string | undefined) => keep ?? `{U+${c.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}}`);
}

/** allPrintable applies printable to all texts of a JSON value, in place. */
export function allPrintable<T>(value: T): T {
  if (typeof value === "string") return printable(value) as T;
  if (value && typeof value === "object") for (const [name, inner] of Object.entries(value)) if (typeof inner === "string" || typeof inner === "object") (value as Record<string, unknown>)[name] = allPrintable(inner);
  return value;
}

const uncelled = /[\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e007f}]/gu;

/** inCells returns a terminal's output without what takes no cell and hides, or turns the direction of writing around. */
export const inCells = (text: string): string => text.replace(uncelled, "");
