/** What many runs came to: a row a reader, and each finding once. */
import { table } from '../report.js';
import type { ReaderName } from './input.js';
import { isFinding, type Outcome } from './reading.js';

const COLUMNS = [
  'reader',
  'inputs',
  'results',
  'rejections',
  'internal errors',
  'wrong',
  'hangs',
  'most CPU ms',
  'peak MB',
];
const COUNTED = ['result', 'rejection', 'internal error', 'wrong', 'hang'] as const;

interface ReaderTally {
  inputs: number;
  readonly counts: Record<Outcome['is'], number>;
  slowest: number;
  peak: number;
}

interface Finding {
  readonly first: Outcome;
  runs: number;
}

export class Tally {
  runs = 0;
  readonly #readers = new Map<ReaderName, ReaderTally>();
  readonly #findings = new Map<string, Finding>();
  readonly #rejections = new Map<string, number>();

  get findings(): readonly Finding[] {
    return [...this.#findings.values()];
  }

  /** @returns whether it is a finding, and the first of its kind */
  add(outcome: Outcome): boolean {
    this.runs++;
    const counts = { result: 0, rejection: 0, 'internal error': 0, wrong: 0, hang: 0 };
    const of = this.#readers.get(outcome.reader) ?? { inputs: 0, counts, slowest: 0, peak: 0 };
    this.#readers.set(outcome.reader, of);
    of.inputs++;
    of.counts[outcome.is]++;
    if (outcome.milliseconds > of.slowest) of.slowest = outcome.milliseconds;
    if (outcome.peak > of.peak) of.peak = outcome.peak;
    const kind = `${outcome.reader}: ${kindOf(outcome.what)}`;
    if (outcome.is === 'rejection') this.#rejections.set(kind, (this.#rejections.get(kind) ?? 0) + 1);
    if (!isFinding(outcome)) return false;
    const known = this.#findings.get(kind);
    if (known !== undefined) known.runs++;
    else this.#findings.set(kind, { first: outcome, runs: 1 });
    return known === undefined;
  }

  /** Rejections by what they say, the most frequent first. */
  rejections(): string {
    const sorted = [...this.#rejections].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
    return sorted.length === 0 ? '' : table(sorted.map(([what, n]) => [what, String(n)]));
  }

  report(): string {
    const rows = [...this.#readers].map(([reader, { inputs, counts, slowest, peak }]) => [
      reader,
      String(inputs),
      ...COUNTED.map((is) => String(counts[is])),
      slowest.toFixed(0),
      (peak / 1e6).toFixed(0),
    ]);
    const lines = this.findings.map(({ first, runs }) => `${lineOf(first)}${runs > 1 ? ` (${runs} runs)` : ''}`);
    return `${table([COLUMNS, ...rows])}\n${lines.map((line) => `${line}\n`).join('')}`;
  }
}

/** One line: what went wrong, where, and how to see it again. */
export const lineOf = ({ reader, is, base, mutation, what, repeat }: Outcome): string =>
  `${is}: ${reader} ${base}, ${mutation}: ${what.split('\n', 2).join(' ')}; npm run fuzz -- ${repeat}`;

/** Without what differs from run to run: numbers and names of files. */
const kindOf = (what: string): string =>
  what
    .split('\n', 2)
    .join(' ')
    .replace(/\/[^\s:,]*/g, 'FILE')
    .replace(/-?\d[\d.e+]*/g, 'N');
