// What agents and programs wrote may hold characters that nobody sees, or that turn around what others see. They are shown as what they are.

// flags are made of invisible tags behind a black flag: those are no secret.
const flag = String.raw`\u{1f3f4}[\u{e0030}-\u{e0039}\u{e0061}-\u{e007a}]{1,6}\u{e007f}`;
const invisible = String.raw`[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb\u{13430}-\u{1345f}\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}]|[\ufe00-\ufe0f]{2,}|[\u200c\u200d]{2,}`;
const runs = new RegExp(`(${flag})|(?:${invisible})+`, "gu");
const any = new RegExp(invisible, "u");

/** shown returns a text with the hidden characters in it named; line breaks and tabs stay. */
export function shown(text: string): string {
  if (!any.test(text)) return text;
  return text.replace(runs, (run, harmless: string | undefined) => {
    if (harmless) return harmless;
    const points = [...run].map((c) => `U+${c.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}`);
    return points.length > 3 ? `⟦${points.length} hidden characters⟧` : `⟦${points.join(" ")}⟧`;
  });
}

/** allShown applies shown to all texts of a JSON value, in place. */
export function allShown<T>(value: T): T {
  if (typeof value === "string") return shown(value) as T;
  if (value && typeof value === "object") for (const [name, inner] of Object.entries(value)) if (typeof inner === "string" || typeof inner === "object") (value as Record<string, unknown>)[name] = allShown(inner);
  return value;
}

const turning = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** unturned returns a terminal's output without what turns the direction of writing around: a terminal's cells stay where they are. */
export const unturned = (text: string): string => text.replace(turning, "");
