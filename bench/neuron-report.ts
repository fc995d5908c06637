/** Figures of the Neuron readers, as text. */
import type { Usage } from './measure.js';
import { ratio, table } from './report.js';

export const NEURON_READERS = ['sum', 'reader', 'dparse'] as const;
export type NeuronReader = (typeof NEURON_READERS)[number];

/** What one size of trace took. */
export interface NeuronResult {
  readonly bytes: number;
  readonly copies: number;
  readonly usages: ReadonlyMap<NeuronReader, Usage>;
}

const NAMES: Readonly<Record<NeuronReader, string>> = {
  sum: 'cat FILE | sha256sum',
  reader: 'reader alone (records made, none written)',
  dparse: 'dparse FILE > /dev/null',
};

/** What the reader promises: a row of two records, 32 bytes of the file, is held in 48, beside what dparse takes for any input. */
const LEAST_SPEED = 100;
const mostMemory = (bytes: number): number => 400e6 + 1.5 * bytes;

const megabytes = (bytes: number | null | undefined): string =>
  bytes === null || bytes === undefined ? 'na' : (bytes / 1e6).toFixed(0);

const rate = (bytes: number, seconds: number | null): string =>
  seconds === null ? 'na' : (bytes / 1e6 / seconds).toFixed(0);

/** One size: seconds, megabytes (10^6 bytes), time over that of a checksum. */
export function sizeTable({ bytes, copies, usages }: NeuronResult): string {
  const sum = usages.get('sum')?.seconds;
  const rows = [...usages].map(([who, { seconds, cpuSeconds, peakBytes }]) => [
    NAMES[who],
    seconds.toFixed(2),
    cpuSeconds?.toFixed(2) ?? 'na',
    rate(bytes, seconds),
    rate(bytes, cpuSeconds),
    megabytes(peakBytes),
    ratio(seconds, sum),
  ]);
  const head = [
    `${megabytes(bytes)} MB (x${copies})`,
    'seconds',
    'CPU s',
    'MB/s',
    'MB/CPU s',
    'peak MB',
    '/ sha256sum',
  ];
  return table([head, ...rows]);
}

/** Time a byte over that of the smallest size (1.00 is linear), and peak memory over its peak (1.00 is constant). */
export function growthTable(results: readonly NeuronResult[]): string {
  const [smallest] = results;
  const rows = results.map(({ bytes, usages }) => [
    `${megabytes(bytes)} MB`,
    ...[...usages].flatMap(([who, { seconds, cpuSeconds, peakBytes }]) => {
      const first = smallest?.usages.get(who);
      const scale = bytes / (smallest?.bytes ?? NaN);
      return [
        ratio(seconds, (first?.seconds ?? NaN) * scale),
        ratio(cpuSeconds ?? undefined, (first?.cpuSeconds ?? NaN) * scale),
        ratio(peakBytes ?? undefined, first?.peakBytes ?? NaN),
      ];
    }),
  ]);
  const head = [...(smallest?.usages.keys() ?? [])].flatMap((who) => [`${who} time/byte`, 'CPU/byte', 'peak']);
  return table([['', ...head], ...rows]);
}

/** One line for each promise: what was measured, the limit, and whether it is kept. */
export function promises(results: readonly NeuronResult[]): string {
  const verdict = (isKept: boolean): string => (isKept ? 'kept' : 'NOT KEPT');
  const rows = results.flatMap(({ bytes, usages }) =>
    [...usages].flatMap(([who, { cpuSeconds, peakBytes }]) => {
      if (who === 'sum') return [];
      const size = `${who} at ${megabytes(bytes)} MB`;
      const speed = cpuSeconds === null ? NaN : bytes / 1e6 / cpuSeconds;
      const fast = [`${size}, MB/CPU s`, speed.toFixed(0), `at least ${LEAST_SPEED}`, verdict(speed >= LEAST_SPEED)];
      const small = [
        `${size}, peak MB`,
        megabytes(peakBytes),
        `at most ${megabytes(mostMemory(bytes))}`,
        verdict((peakBytes ?? NaN) <= mostMemory(bytes)),
      ];
      return who === 'reader' ? [fast, small] : [small];
    }),
  );
  return table(rows);
}
