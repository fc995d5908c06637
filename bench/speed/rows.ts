/** Measured works as rows of a table. */
import type { Usage } from '../measure.js';
import { ratio } from '../report.js';
import type { Work } from './works.js';

export interface Measured {
  readonly work: Work;
  /** Of the input; null where there is none. */
  readonly bytes: number | null;
  readonly ours: Usage;
  readonly beside: Usage;
}

const HEADS = ['', 'what', 's', 'MB/s', 'peak MB', 'beside', 's', 'ratio', 'goal', ''];

const megabytes = (bytes: number | null): number => (bytes === null ? NaN : bytes / 1e6);
const whole = (value: number): string => (Number.isNaN(value) ? '' : value.toFixed(0));

/** What is wanted, and whether it is there. */
function verdictOf({ work: { goal }, bytes, ours, beside }: Measured): [goal: string, verdict: string] {
  const each = [
    { text: 'ratio', most: goal.ratio, is: ours.seconds / beside.seconds },
    { text: 'MB', most: goal.memory, is: megabytes(ours.peakBytes) },
  ].flatMap(({ text, most, is }) => (most === undefined ? [] : [{ text: `${text} ≤ ${most}`, isKept: is <= most }]));
  const { speed } = goal;
  if (speed !== undefined) each.push({ text: `MB/s ≥ ${speed}`, isKept: megabytes(bytes) / ours.seconds >= speed });
  if (each.length === 0) return ['', ''];
  return [each.map(({ text }) => text).join(', '), each.every(({ isKept }) => isKept) ? 'kept' : 'NOT KEPT'];
}

/** One work a row: seconds, 10^6 bytes of input a second, peak memory, the seconds of what stands beside it, and the goal. */
export const workRows = (all: readonly Measured[]): string[][] => [
  HEADS,
  ...all.map((measured) => {
    const { work, bytes, ours, beside } = measured;
    return [
      ...[work.name, work.ours.what, ours.seconds.toFixed(2), whole(megabytes(bytes) / ours.seconds)],
      ...[whole(megabytes(ours.peakBytes)), work.beside.what, beside.seconds.toFixed(2)],
      ...[ratio(ours.seconds, beside.seconds), ...verdictOf(measured)],
    ];
  }),
];

/** Seconds at several sizes over those at the smallest, and over the factor: 1.00 is linear. */
export const growthRows = (results: readonly (readonly Measured[])[], factors: readonly number[]): string[][] => [
  ['', 'what', ...factors.map((factor) => `x${factor}`)],
  ...(results[0] ?? []).map(({ work, ours }, i) => [
    work.name,
    work.ours.what,
    ...factors.map((factor, at) => ratio(results[at]?.[i]?.ours.seconds, ours.seconds * factor)),
  ]),
];
