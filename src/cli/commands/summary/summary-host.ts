/** What the host did where no device worked, as sections of a summary. */
import type { HostSummary, HostTally } from '../../../prof/summary/summary-data.js';
import { TimeUnit } from '../../../record/units.js';
import { grouped, many } from '../../../record/plural.js';
import { plain, share, spreadText, TABLE, type About, type Section } from './summary-section.js';

const COLUMNS = '-c passes,host,hostself --sort hostself';

/** The lists, and the key of `--by` that shows all of each. */
const LISTS = [
  ['ops', 'Ops', 'op'],
  ['annotations', 'Annotations', 'ranges'],
  ['layers', 'Layers', 'layer'],
] as const;

export function hostSections({ next }: About, host: HostSummary): Section[] {
  const unit = new TimeUnit(host.time);
  const ranges = host.kinds.reduce((sum, { count }) => sum + count, 0);
  const title = `Host: no work of a device is recorded; ${many(ranges, 'range')} of ${many(host.threads, 'thread')}, ${unit.text(host.time)}`;
  const rows = host.kinds.map(({ name, count, time }) => [
    name,
    unit.text(time),
    share(time, host.time),
    grouped(count),
  ]);
  const heads = { head: ['kind', 'time of its own', 'share', 'ranges'], isHeaded: true, right: [1, 2, 3] };
  return [
    ...(ranges === 0 ? [] : [{ ...plain(title, null), ...heads, rows }]),
    ...LISTS.flatMap(([list, what, key]) =>
      host[list].length === 0
        ? []
        : [listSection(`${what} of the host`, next(`--by ${key} ${COLUMNS} ${TABLE}`), host[list], host.time)],
    ),
    ...stepSections(next, host),
  ];
}

function listSection(title: string, next: string | null, tallies: readonly HostTally[], all: number): Section {
  const unit = new TimeUnit(all);
  return {
    ...plain(title, next),
    head: ['time of its own', 'share', 'count', 'total', 'name'],
    isHeaded: true,
    right: [0, 1, 2, 3],
    rows: tallies.map(({ name, count, time, total }) => [
      unit.text(time),
      share(time, all),
      grouped(count),
      unit.text(total),
      name,
    ]),
  };
}

function stepSections(next: About['next'], { steps }: HostSummary): Section[] {
  if (steps === null) return [];
  const rows = [[spreadText(steps, new TimeUnit(steps.max))]];
  return [{ ...plain(`Steps: ${grouped(steps.count)}`, next('steps')), head: [''], rows }];
}
