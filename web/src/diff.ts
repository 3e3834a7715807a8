// Which lines an edit adds and removes.

const numbered = /^ *(\d+)(?:( +)([+-])| |$)/; // as agents show a changed file: the line's number, perhaps a sign, the line
const hunk = /^@@ .* @@/m; // as programs do
const heads = /^(\+\+\+|---) /;

/** Sign is "+" for a line that is added, "-" for one that is removed. */
export type Sign = "" | "+" | "-";

/** signs returns the sign of each line; undefined if they are no diff. tool is what wrote it: a file that is written for the first time may have lists in it. */
export function signs(lines: string[], tool = ""): Sign[] | undefined {
  if (hunk.test(lines.join("\n"))) return lines.map((l) => (heads.test(l) ? "" : sign(l[0])));
  const found = lines.map((l) => numbered.exec(l)), signed = found.filter((m) => m?.[3]);
  const gap = Math.min(...signed.map((m) => m![2]!.length)), column = Math.min(...signed.map((m) => m![0].length));
  const all = found.map((m) => (m?.[3] && (m[2]!.length === gap || m[0].length === column) ? sign(m[3]) : "")); // a sign that is further in belongs to the line
  const numbers = found.flatMap((m) => (m ? [Number(m[1])] : []));
  const repeats = numbers.some((n, i) => i > 0 && n <= numbers[i - 1]!);
  const writes = /^wr(ite|ote)/i.test(tool), edits = /edit|update|patch|replace|delete/i.test(tool);
  return all.some(Boolean) && (repeats || edits || (all.includes("+") && !writes)) ? all : undefined;
}

const sign = (c: string | undefined): Sign => (c === "+" || c === "-" ? c : "");
