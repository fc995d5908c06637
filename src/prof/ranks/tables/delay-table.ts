/** A row a delayed step of a rank: how late it was, why, and who waited for it. */
import { elementAt } from '../../../containers/element.js';
import { column, int, real, str } from '../../../table/column-kinds.js';
import type { Column } from '../../../table/column.js';
import type { StepWaits } from '../delay-waits.js';
import type { JobReport } from '../job-report.js';
import type { RankPart } from '../part/rank-part.js';
import type { Delay, DelayedStep } from '../stragglers/delays.js';

interface DelayRow extends DelayedStep {
  readonly part: RankPart;
  readonly node: string | null;
  readonly delay: Delay;
  readonly waits: StepWaits | null;
}

export const delayRows = ({ parts, ranks, lateness, delayWaits }: JobReport): DelayRow[] =>
  lateness.delays.flatMap((delay, index) =>
    delay.delayed.map((delayed, at) => ({
      ...{ ...delayed, delay, part: elementAt(parts, delay.part), node: elementAt(ranks, delay.part).node },
      waits: delayWaits[index]?.steps[at] ?? null,
    })),
  );

const NS = int(12, 'ns');

export const DELAY_COLUMNS: readonly Column<DelayRow>[] = [
  column('rank', 'rank', int(5), 'rank that is delayed', ({ part }) => part.rank),
  column('file', 'file', str(20), 'its profile', ({ part }) => part.file, { machineOnly: true }),
  column('node', 'node', str(8), 'its machine', ({ node }) => node),
  column('step', 'step', int(6), 'number of the step', ({ step }) => step),
  column('late', 'late_ns', NS, 'own work beyond what it otherwise takes longer than its peers', ({ late }) =>
    Math.round(late),
  ),
  column(
    'by',
    'by',
    str(12),
    'most of it, over all of its delayed steps',
    ({ delay }) => delay.reasons.parts[0]?.name ?? null,
  ),
  column(
    'waiters',
    'waiters',
    int(7),
    'ranks that waited for it by at least half of that',
    ({ waits }) => waits?.waiters ?? null,
  ),
  column('waited', 'waited_ns', NS, 'sum of their waits', ({ waits }) =>
    waits === null ? null : Math.round(waits.waited),
  ),
  column(
    'q',
    'q',
    { ...real(8), significant: 2 },
    'expected share of false ones among the delays that are named',
    ({ q }) => q,
  ),
];

/** Columns of screens. */
export const DELAY_SCREEN: readonly string[] = ['rank', 'node', 'step', 'late', 'by', 'waiters', 'waited', 'q'];
