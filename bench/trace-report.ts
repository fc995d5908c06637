/** Figures of the tools on PyTorch traces, as text. */
import type { Usage } from './measure.js';
import { ratio, table } from './report.js';

export const READERS = ['parse', 'dparse', 'dprof'] as const;
export type TraceReader = (typeof READERS)[number];

/** What one size of trace took. */
export interface TraceResult {
  readonly copies: number;
  readonly bytes: number;
  readonly events: number;
  readonly usages: ReadonlyMap<TraceReader, Usage>;
}

const NAMES: Readonly<Record<TraceReader, string>> = {
  parse: 'JSON.parse in pieces',
  dparse: 'dparse -o',
  dprof: 'dprof --csv',
};

/** The trace and number of copies that others' figures are known for. */
export const KNOWN = { file: 'h100_owlv2.json.gz', copies: 16 } as const;

/** Time and memory that other tools needed to load KNOWN. Measured elsewhere: they are not run here. */
const OTHERS = [
  { name: 'HTA', seconds: 58, peakMegabytes: 3232 },
  { name: 'TraceLens', seconds: 89.4, peakMegabytes: 9139 },
] as const;

/** What dparse promises for KNOWN, and for any number of copies. */
const LIMITS = { timesFasterThanHta: 5, peakMegabytes: 800 } as const;

const megabytes = (bytes: number | null | undefined): string =>
  bytes === null || bytes === undefined ? 'na' : (bytes / 1e6).toFixed(0);

/** One size: seconds, megabytes (10^6 bytes), and the trace's bytes and events a second. */
export function sizeTable({ copies, bytes, events, usages }: TraceResult): string {
  const parse = usages.get('parse')?.seconds;
  const rows = [...usages].map(([who, { seconds, peakBytes }]) => [
    NAMES[who],
    seconds.toFixed(2),
    megabytes(peakBytes),
    (bytes / 1e6 / seconds).toFixed(0),
    (events / 1e6 / seconds).toFixed(2),
    ratio(seconds, parse),
  ]);
  const head = [`x${copies}: ${megabytes(bytes)} MB, ${events} events`, 'seconds', 'peak MB'];
  return table([[...head, 'MB/s', 'M events/s', '/ JSON.parse'], ...rows]);
}

/** Time a copy over that of the smallest size (1.00 is linear), and peak memory over its peak (1.00 is constant). */
export function growthTable(results: readonly TraceResult[]): string {
  const [smallest] = results;
  const rows = results.map(({ copies, usages }) => [
    `x${copies}`,
    ...[...usages].flatMap(([who, { seconds, peakBytes }]) => {
      const first = smallest?.usages.get(who);
      const scale = copies / (smallest?.copies ?? NaN);
      return [ratio(seconds, (first?.seconds ?? NaN) * scale), ratio(peakBytes ?? undefined, first?.peakBytes ?? NaN)];
    }),
  ]);
  const head = [...(smallest?.usages.keys() ?? [])].flatMap((who) => [`${who} time/copy`, 'peak']);
  return table([['', ...head], ...rows]);
}

/** dparse compared with the others; null where those are not known. */
export function othersTable(results: readonly TraceResult[]): string | null {
  const ours = results.find(({ copies }) => copies === KNOWN.copies)?.usages.get('dparse');
  if (ours === undefined) return null;
  const rows = OTHERS.map(({ name, seconds, peakMegabytes }) => [
    `${name} (measured elsewhere, not run here)`,
    seconds.toFixed(1),
    String(peakMegabytes),
    ratio(seconds, ours.seconds),
    ratio(peakMegabytes * 1e6, ours.peakBytes ?? undefined),
  ]);
  const own = ['dparse', ours.seconds.toFixed(1), megabytes(ours.peakBytes), '', ''];
  return table([[`x${KNOWN.copies}`, 'seconds', 'peak MB', '/ dparse', '/ dparse'], ...rows, own]);
}

/** One line for each promise: what was measured, the limit, and whether it is kept. */
export function promises(results: readonly TraceResult[], known: boolean): string {
  const verdict = (kept: boolean): string => (kept ? 'kept' : 'NOT KEPT');
  const rows = results.flatMap(({ copies, usages }) => {
    const usage = usages.get('dparse');
    if (usage === undefined || copies < KNOWN.copies) return [];
    const peak = usage.peakBytes === null ? NaN : usage.peakBytes / 1e6;
    const lines = [
      [
        `dparse at x${copies}, peak MB`,
        megabytes(usage.peakBytes),
        `at most ${LIMITS.peakMegabytes}`,
        Number.isNaN(peak) ? 'not measured' : verdict(peak <= LIMITS.peakMegabytes),
      ],
    ];
    if (!known || copies !== KNOWN.copies) return lines;
    const times = OTHERS[0].seconds / usage.seconds;
    const faster = [`HTA over dparse at x${copies}`, times.toFixed(2), `at least ${LIMITS.timesFasterThanHta}`];
    return [...lines, [...faster, verdict(times >= LIMITS.timesFasterThanHta)]];
  });
  return table(rows);
}
