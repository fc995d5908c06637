/** Braces between which nothing else is open: alternatives so far, and patterns of the one that is being read. */
interface Braces {
  readonly from: number;
  alternatives: number;
  patterns: number;
}

const RANGE = /^(-?\w+)\.\.(-?\w+)(?:\.\.-?\d+)?$/;

/** How many patterns the braces of a glob stand for (`{a,b}{1..3}`: 6), without making them. */
export function patternCount(glob: string): number {
  const open: Braces[] = [{ from: 0, alternatives: 0, patterns: 1 }];
  for (let at = 0; at < glob.length; at++) {
    const braces = open[open.length - 1] as Braces;
    const character = glob[at];
    if (character === '\\') at++;
    else if (character === '{') open.push({ from: at + 1, alternatives: 0, patterns: 1 });
    else if (character === ',') {
      braces.alternatives += braces.patterns;
      braces.patterns = 1;
    } else if (character === '}' && open.length > 1) {
      open.pop();
      const around = open[open.length - 1] as Braces;
      around.patterns *= (braces.alternatives + braces.patterns) * rangeLength(glob.slice(braces.from, at));
    }
  }
  return open.reduce((count, { alternatives, patterns }) => count * (alternatives + patterns), 1);
}

/** Numbers or letters of `1..9`; 1 for any other text. */
function rangeLength(text: string): number {
  const [, first, last] = RANGE.exec(text) ?? [];
  if (first === undefined || last === undefined) return 1;
  const [from, to] = [first, last].map((end) => (/^-?\d+$/.test(end) ? Number(end) : end.charCodeAt(0)));
  return Math.abs(Number(to) - Number(from)) + 1;
}
