/** Activities of the devices: count, time and share of the devices' spans. Each moment is in one activity. */
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
  /** Fields of a device whose sum is the time that no row above has, those to be taken off behind a minus. */
  readonly time: readonly string[];
}

const WORK: readonly ActivityGroup[] = [
  { name: 'Compute', colour: 'var(--compute)', counts: ['kernels', 'graphs'], time: ['compute'] },
  {
    ...{ name: 'Communication, nothing computed', colour: 'var(--communication)' },
    ...{ counts: ['communications'], time: ['notUnderCompute'] },
  },
  {
    ...{ name: 'Copies, neither of these', colour: 'var(--memory)', counts: ['copies'] },
    time: ['copiesAlone'],
  },
  { name: 'Sets, nothing else', colour: 'var(--hue-8)', counts: ['sets'], time: ['setsAlone'] },
];
const IDLE: ActivityGroup = { name: 'Idle', colour: 'var(--idle)', counts: [], time: ['idle'] };
const IDLE_AND_WAITS: readonly ActivityGroup[] = [
  { name: 'Idle, in a wait', colour: 'var(--idle-queue)', counts: ['syncs'], time: ['idleInWaits'] },
  { name: 'Idle otherwise', colour: 'var(--idle)', counts: [], time: ['idle', '-idleInWaits'] },
];
const MISSING: ActivityGroup = {
  name: 'Not in the trace',
  colour: 'var(--missing)',
  counts: [],
  time: ['missing.time'],
};

const DEVICES = 'overview.devices.*';
const countOf = ({ counts }: ActivityGroup): string =>
  counts.map((name) => `sum(${DEVICES}.counts.${name})`).join(' + ');
const timeOf = ({ time }: ActivityGroup): string =>
  time.map((name) => `${name.startsWith('-') ? ' - ' : ''}sum(${DEVICES}.${name.replace('-', '')})`).join('');
const shareOf = (kind: ActivityGroup): string => `${timeOf(kind)} / sum(${DEVICES}.span)`;

function make(view: PanelView): PanelContent {
  const { devices, syncs } = view.profile.overview;
  if (devices.length === 0) return lacking(view, 'work');
  const isPositive = (field: string): boolean => Number(valueOf(view, field)) > 0;
  const hasWaits = syncs.length > 0 && valueOf(view, `sum(${DEVICES}.idleInWaits)`) !== null;
  const all = [...WORK, ...(hasWaits ? IDLE_AND_WAITS : [IDLE]), MISSING];
  const kinds = all.filter((kind) => isPositive(timeOf(kind)) || isPositive(countOf(kind)));
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
  const overlap = note('Each moment of a device is in one row, the first that it fits: the rows add up to the span.');
  return [
    made,
    overlap,
    ...(waits.length === 0 ? [] : [element('h3', {}, 'Waits by kind'), element('ul', {}, ...waits)]),
  ];
}

export const ACTIVITY: Panel = { id: 'activity', title: 'Activities', width: 2, make };
