/** Figures as text. */
import type { Contestant, Result } from './contestants.js';

/**
 * Times of PyProf2 (commit b2ac338) for a profile of 100,000 kernels, in seconds.
 * Source: PyProf2 at 100,000 kernels, measured by its reference run; another machine than this one.
 */
export const PYPROF2_AT_100000 = { kernels: 100_000, parse: 509, prof: 145 } as const;

/** What the tools promise for 1,000,000 kernels. */
const LIMITS = { dparsePerBaseline: 2, dparseBytes: 2 ** 30, dprofPerDparse: 1, dprofBytes: 300e6 } as const;

const cells = (row: readonly string[], widths: readonly number[]): string =>
  row.map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0))).join('  ');

/** Rows with the first column to the left, the others to the right. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, i) => Math.max(...rows.map((row) => row[i]?.length ?? 0)));
  return rows.map((row) => cells(row, widths).trimEnd()).join('\n');
}

/** `a` over `b`. */
export const ratio = (a: number | undefined, b: number | undefined): string =>
  a === undefined || b === undefined ? 'na' : (a / b).toFixed(2);

const NAMES: Readonly<Record<Contestant, string>> = {
  baseline: 'sqlite3 -json (3 tables)',
  dparse: 'dparse -o',
  dprof: 'dprof --csv',
};

/** One size: seconds, megabytes (10^6 bytes), time over the baseline's and over dparse's. */
export function resultTable(result: Result): string {
  const seconds = (who: Contestant): number | undefined => result.get(who)?.seconds;
  const rows = [...result].map(([who, usage]) => [
    NAMES[who],
    usage.seconds.toFixed(2),
    usage.peakBytes === null ? 'na' : (usage.peakBytes / 1e6).toFixed(0),
    ratio(usage.seconds, seconds('baseline')),
    ratio(usage.seconds, seconds('dparse')),
  ]);
  return table([['', 'seconds', 'peak MB', '/ baseline', '/ dparse'], ...rows]);
}

/** One line for each promise: what was measured, the limit, and whether it is kept. */
export function verdicts(result: Result): string {
  const of = (who: Contestant): { seconds: number; peak: number } => ({
    seconds: result.get(who)?.seconds ?? NaN,
    peak: result.get(who)?.peakBytes ?? NaN,
  });
  const [baseline, dparse, dprof] = [of('baseline'), of('dparse'), of('dprof')];
  const line = (what: string, measured: number, limit: number, digits: number): string[] => [
    what,
    Number.isNaN(measured) ? 'na' : measured.toFixed(digits),
    `limit ${limit.toFixed(digits)}`,
    Number.isNaN(measured) ? 'not measured' : measured <= limit ? 'kept' : 'NOT KEPT',
  ];
  return table([
    line('dparse, time over sqlite3 -json', dparse.seconds / baseline.seconds, LIMITS.dparsePerBaseline, 2),
    line('dparse, peak MB', dparse.peak / 1e6, LIMITS.dparseBytes / 1e6, 0),
    line('dprof, time over dparse', dprof.seconds / dparse.seconds, LIMITS.dprofPerDparse, 2),
    line('dprof, peak MB', dprof.peak / 1e6, LIMITS.dprofBytes / 1e6, 0),
  ]);
}

/** Times at several sizes, and the time per kernel over the smallest size's (1.00 is linear). */
export function linearityTable(results: readonly (readonly [kernels: number, result: Result])[]): string {
  const [smallest] = results;
  const rows = results.map(([kernels, result]) => [
    String(kernels),
    ...[...result].flatMap(([who, { seconds }]) => {
      const first = smallest?.[1].get(who)?.seconds ?? NaN;
      const scale = kernels / (smallest?.[0] ?? NaN);
      return [seconds.toFixed(2), (seconds / first / scale).toFixed(2)];
    }),
  ]);
  const head = [...(smallest?.[1].keys() ?? [])].flatMap((who) => [`${who} s`, 'per kernel']);
  return table([['kernels', ...head], ...rows]);
}

/** Our times compared with PyProf2's, at the size for which its times are known. */
export function pyprofTable(result: Result): string {
  const { parse, prof } = PYPROF2_AT_100000;
  const row = (name: string, theirs: number, who: Contestant): string[] => {
    const ours = result.get(who)?.seconds;
    return [
      name,
      String(theirs),
      ours?.toFixed(2) ?? 'na',
      ours === undefined ? 'na' : `${(theirs / ours).toFixed(0)} x`,
    ];
  };
  const rows = [row('parse / dparse', parse, 'dparse'), row('prof / dprof', prof, 'dprof')];
  return table([['100,000 kernels', 'PyProf2 s', 'ours s', 'faster'], ...rows]);
}
