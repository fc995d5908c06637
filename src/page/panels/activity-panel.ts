/** Kinds of activities on the devices: count, time, and share of the devices' spans. */
import { lacking } from '../capture-hints.js';
import type { WorkKind } from '../../prof/summary/summary-data.js';
import { element, note } from '../document/dom-elements.js';
import { namedFigure } from '../figures/figure.js';
import { valueOf } from '../figures/field.js';
import type { PanelContent, Panel, PanelView } from '../panel.js';
import { swatch } from '../figures/strip.js';
import { table, type TableColumn } from '../figures/sorted-table.js';

interface ActivityGroup {
  readonly name: string;
  readonly colour: string;
  readonly counts: readonly WorkKind[];
  readonly time: string;
}

const KINDS: readonly ActivityGroup[] = [
  { name: 'Compute', colour: 'var(--compute)', counts: ['kernels', 'graphs'], time: 'compute' },
  { name: 'Communication', colour: 'var(--communication)', counts: ['communications'], time: 'communication' },
  { name: 'Copies and sets', colour: 'var(--memory)', counts: ['copies', 'sets'], time: 'memory' },
  { name: 'Waits', colour: 'var(--idle-queue)', counts: ['syncs'], time: 'sync' },
  { name: 'Idle', colour: 'var(--idle)', counts: [], time: 'idle' },
];

const DEVICES = 'overview.devices.*';
const countOf = ({ counts }: ActivityGroup): string =>
  counts.map((name) => `sum(${DEVICES}.counts.${name})`).join(' + ');
const timeOf = ({ time }: ActivityGroup): string => `sum(${DEVICES}.${time})`;
const shareOf = (kind: ActivityGroup): string => `${timeOf(kind)} / sum(${DEVICES}.span)`;

function make(view: PanelView): PanelContent {
  const { devices, syncs } = view.profile.overview;
  if (devices.length === 0) return lacking(view, 'work');
  const isPositive = (field: string): boolean => Number(valueOf(view, field)) > 0;
  const kinds = KINDS.filter((kind) => isPositive(timeOf(kind)) || isPositive(countOf(kind)));
  const share = (kind: ActivityGroup): number | null => valueOf(view, shareOf(kind));
  const columns: TableColumn<ActivityGroup>[] = [
    { title: 'Activity', cell: ({ name }) => name, before: ({ colour }) => swatch(colour) },
    {
      title: 'Count',
      unit: 'count',
      cell: (kind) => (kind.counts.length === 0 ? null : valueOf(view, countOf(kind))),
      field: countOf,
    },
    { title: 'Time', unit: 'ns', cell: (kind) => valueOf(view, timeOf(kind)), field: timeOf },
    { title: 'Of span', unit: 'share', cell: share, field: shareOf, bar: share },
  ];
  const made = table({ caption: 'Activities', columns, rows: kinds, sortedBy: null });
  const waits = syncs.map((sync, at) => {
    const count = namedFigure(`overview.syncs.${at}.count`, sync.count, 'count');
    const time = namedFigure(`overview.syncs.${at}.time`, sync.time, 'ns');
    return element('li', {}, `${sync.name}: `, count, ' times, ', time);
  });
  const overlap = note('Activities run at the same time: their shares may add up to more than 100 %.');
  return [
    made,
    overlap,
    ...(waits.length === 0 ? [] : [element('h3', {}, 'Waits by kind'), element('ul', {}, ...waits)]),
  ];
}

export const ACTIVITY: Panel = { id: 'activity', title: 'Activities', width: 2, make };
