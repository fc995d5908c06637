/** Finds where a late rank spends more time than its peers in the same steps. */
import { elementAt } from '../../../containers/element.js';
import { median } from '../../../record/statistics.js';
import { WORK_KEYS, type RankPart, type StepColumns, type WorkKey } from '../part/rank-part.js';
import type { OwnWork } from './own-work.js';

/** Time per step in one part, op or kernel, of the late rank and of the median of its peers, in ns. */
export interface Excess {
  readonly name: string;
  readonly time: number;
  readonly peers: number;
  readonly excess: number;
}

/** Parts of a step that may make a rank late. */
type LateBy = 'kernels' | 'copies' | 'host gaps' | 'data loading';

export interface Reasons {
  /** Components of the lateness, largest first. */
  readonly parts: readonly (Excess & { readonly name: LateBy })[];
  /** Layers, ops and kernels that take longer, largest difference first. */
  readonly work: Readonly<Record<WorkKey, readonly Excess[]>>;
  /** Common factor by which nearly all kernels are slower, as with a lower clock; null when there is none. */
  readonly slowdown: number | null;
  /** FLOPs per step divided by those of the peers, which distinguishes more work from slower work; null when unknown. */
  readonly flopsRatio: number | null;
}

/** Minimum share of the lateness. A smaller share is within the variation of the kernels. */
const LEAST_OF_LATE = 0.1;

/** Whether kernels are worth mentioning as a reason; they are not for a rank that waits for its data. */
export const isByKernels = ({ parts }: Reasons): boolean => {
  const kernels = parts.find(({ name }) => name === 'kernels');
  return kernels !== undefined && kernels.excess > LEAST_OF_LATE * (parts[0]?.excess ?? Infinity);
};

/** Maximum number of names to list for each key. */
const LISTED = 8;

/** The late row, and the steps in which it is late. */
interface LateRow {
  readonly row: number;
  /** Rows that are also late, so that they are not used as peers. */
  readonly together: readonly number[];
  /** Columns of the steps. */
  readonly columns: readonly number[];
}

/** @param given the work of ranks that do the same work */
export function reasonsOf(parts: readonly RankPart[], given: OwnWork, { row, together, columns }: LateRow): Reasons {
  const work = restricted(given, new Set(together.filter((other) => other !== row)), row, columns);
  // The late rank comes first.
  const late = 0;
  const stepsOf = (value: (steps: StepColumns, index: number) => number | null): Omit<Excess, 'name'> =>
    excessOf(
      work.parts.map((part, row) => meanOver(work, row, (index) => value(elementAt(parts, part).steps, index))),
      late,
    );
  const compared: (Excess & { readonly name: LateBy })[] = [
    { name: 'kernels', ...stepsOf(({ compute }, index) => elementAt(compute, index)) },
    { name: 'copies', ...stepsOf(({ copies }, index) => elementAt(copies, index)) },
    { name: 'host gaps', ...stepsOf(({ idle }, index) => elementAt(idle, index)) },
    { name: 'data loading', ...stepsOf(betweenSteps) },
  ];
  const tables = WORK_KEYS.map((key) => [key, listed(workExcess(parts, work, late, key))]);
  const flops = work.parts.map((part, row) =>
    meanOver(work, row, (index) => elementAt(parts, part).steps.flops[index] ?? NaN),
  );
  const ofFlops = excessOf(flops, late);
  return {
    // Idle time may be unknown.
    parts: compared.filter(({ excess }) => !Number.isNaN(excess)).sort((a, b) => b.excess - a.excess),
    work: Object.fromEntries(tables) as Reasons['work'],
    slowdown: slowdownOf(parts, work, late),
    flopsRatio: ofFlops.peers > 0 && Number.isFinite(ofFlops.time) ? ofFlops.time / ofFlops.peers : null,
  };
}

type Compared = Pick<OwnWork, 'parts' | 'steps' | 'at'>;

/** Maximum number of peers to compare with, because more peers hardly change the medians. */
const MOST_PEERS = 64;

/** Selected steps, without some rows, and with the first peers only when there are many. */
function restricted(
  { parts, steps, at }: OwnWork,
  left: ReadonlySet<number>,
  row: number,
  columns: readonly number[],
): Compared {
  const rows = [row, ...parts.keys()].filter((other, index) => index === 0 || (other !== row && !left.has(other)));
  const stepsOf = (other: number): number[] => columns.map((column) => elementAt(elementAt(at, other), column));
  // Peers that have most of these steps are the most informative.
  const lacks = (other: number): number => stepsOf(other).filter((index) => index < 0).length;
  const peers = rows
    .slice(1)
    .map((other) => ({ other, lacking: lacks(other) }))
    .filter(({ lacking }) => lacking < columns.length)
    .sort((a, b) => a.lacking - b.lacking || a.other - b.other);
  const kept = [row, ...peers.slice(0, MOST_PEERS).map(({ other }) => other)];
  return {
    parts: kept.map((other) => elementAt(parts, other)),
    steps: columns.map((column) => steps[column] ?? null),
    at: kept.map(stepsOf),
  };
}

/** Time between the end of the previous step and the first work of this one. */
function betweenSteps({ start, end, preparing }: StepColumns, index: number): number {
  if (index === 0) return Math.max(0, preparing[index] ?? 0);
  return Math.max(0, elementAt(start, index) - elementAt(end, index - 1));
}

/** Mean over the compared steps that the row has. */
function meanOver({ at }: Compared, row: number, value: (index: number) => number | null): number {
  const indices = elementAt(at, row).filter((index) => index >= 0);
  const values = indices.flatMap((index) => value(index) ?? []);
  if (values.length === 0 && indices.length > 0) return NaN;
  return values.reduce((sum, amount) => sum + amount, 0) / Math.max(1, values.length);
}

/** One of several values compared with the median of the others. */
function excessOf(values: readonly number[], late: number): Omit<Excess, 'name'> {
  const time = elementAt(values, late);
  const others = values.filter((value, row) => row !== late && !Number.isNaN(value));
  const peers = median(others) ?? NaN;
  return { time, peers, excess: time - peers };
}

/** For each name of the late rank: its time per step compared with the median of all peers. */
function workExcess(parts: readonly RankPart[], work: Compared, late: number, key: WorkKey): Excess[] {
  const means = work.parts.map((part, row) => {
    const { names, times } = elementAt(parts, part).work[key];
    return new Map(
      names.map((name, index) => [name, meanOver(work, row, (step) => elementAt(times, index)[step] ?? 0)] as const),
    );
  });
  return [...elementAt(means, late).keys()].map((name) => ({
    name,
    ...excessOf(
      means.map((byName) => byName.get(name) ?? 0),
      late,
    ),
  }));
}

const listed = (all: readonly Excess[]): Excess[] =>
  all
    .filter(({ excess }) => excess > 0)
    .sort((a, b) => b.excess - a.excess || (a.name < b.name ? -1 : 1))
    .slice(0, LISTED);

/** A lower clock makes all kernels slower by the same factor, memory-bound ones by less. */
const ALIKE = { /** Share of the time. */ share: 0.75, /** Distance from the common factor. */ within: 0.25 };
const LEAST_SLOWDOWN = 1.01;

/**
 * The common factor of kernels, if it is also the factor of layers: a slow layer slows all kernels of one name by the same
 * factor.
 */
function slowdownOf(parts: readonly RankPart[], work: Compared, late: number): number | null {
  const factor = commonFactor(workExcess(parts, work, late, 'kernel'));
  const layers = workExcess(parts, work, late, 'layer');
  return factor === null || (layers.length > 1 && commonFactor(layers) === null) ? null : factor;
}

function commonFactor(work: readonly Excess[]): number | null {
  const known = work.filter(({ peers, time }) => peers > 0 && time > 0);
  const total = known.reduce((sum, { peers }) => sum + peers, 0);
  const factor = weightedMedian(known.map(({ time, peers }) => ({ value: time / peers, weight: peers })));
  if (factor === null || factor < LEAST_SLOWDOWN || known.length < 2) return null;
  const alike = known
    .filter(({ time, peers }) => Math.abs(time / peers - factor) <= ALIKE.within * (factor - 1))
    .reduce((sum, { peers }) => sum + peers, 0);
  return alike >= ALIKE.share * total ? factor : null;
}

function weightedMedian(values: readonly { readonly value: number; readonly weight: number }[]): number | null {
  const sorted = [...values].sort((a, b) => a.value - b.value);
  let left = sorted.reduce((sum, { weight }) => sum + weight, 0) / 2;
  for (const { value, weight } of sorted) {
    left -= weight;
    if (left <= 0) return value;
  }
  return null;
}
