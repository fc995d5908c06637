/** Kinds of work on the devices: how often, and during how much of their span. */
import type { Work } from '../../prof/summary/summary-data.js';
import { element } from '../document/element.js';
import { namedFigure } from '../charts/figure.js';
import { valueOf } from '../document/field.js';
import type { PanelContent, Panel, PanelView } from '../panel.js';
import { swatch } from '../charts/strip.js';
import { table, type TableColumn } from '../document/sorted-table.js';

interface ActivityKind {
  readonly name: string;
  readonly colour: string;
  readonly counts: readonly Work[];
  readonly time: string;
}

const KINDS: readonly ActivityKind[] = [
  { name: 'Compute', colour: 'var(--compute)', counts: ['kernels', 'graphs'], time: 'compute' },
  { name: 'Communication', colour: 'var(--communication)', counts: ['communications'], time: 'communication' },
  { name: 'Copies and sets', colour: 'var(--memory)', counts: ['copies', 'sets'], time: 'memory' },
  { name: 'Waits', colour: 'var(--idle-queue)', counts: ['syncs'], time: 'sync' },
  { name: 'Idle', colour: 'var(--idle)', counts: [], time: 'idle' },
];

const DEVICES = 'overview.devices.*';
const countOf = ({ counts }: ActivityKind): string =>
  counts.map((name) => `sum(${DEVICES}.counts.${name})`).join(' + ');
const timeOf = ({ time }: ActivityKind): string => `sum(${DEVICES}.${time})`;
const shareOf = (kind: ActivityKind): string => `${timeOf(kind)} / sum(${DEVICES}.span)`;

function make(view: PanelView): PanelContent {
  const { devices, syncs } = view.profile.overview;
  if (devices.length === 0) return 'The profile holds no work of a device.';
  const kinds = KINDS.filter((kind) => (valueOf(view, timeOf(kind)) ?? 0) > 0 || (valueOf(view, countOf(kind)) ?? 0) > 0); // prettier-ignore
  const columns: TableColumn<ActivityKind>[] = [
    { title: 'Activity', cell: ({ name }) => name, before: ({ colour }) => swatch(colour) },
    { title: 'Count', unit: 'count', cell: (kind) => (kind.counts.length === 0 ? null : valueOf(view, countOf(kind))), field: countOf }, // prettier-ignore
    { title: 'Time', unit: 'ns', cell: (kind) => valueOf(view, timeOf(kind)), field: timeOf },
    { title: 'Of span', unit: 'share', cell: (kind) => valueOf(view, shareOf(kind)), field: shareOf, bar: (kind) => valueOf(view, shareOf(kind)) }, // prettier-ignore
  ];
  const made = table({ caption: 'Activities', columns, rows: kinds, sortedBy: null });
  const waits = syncs.map(
    (sync, at) =>
    element('li', {}, `${sync.name}: `, namedFigure(`overview.syncs.${at}.count`, sync.count, 'count'), ' times, ', namedFigure(`overview.syncs.${at}.time`, sync.time, 'ns')), // prettier-ignore
  );
  const note = element('p', { class: 'note' }, 'Activities run at the same time: their shares may add up to more than 100 %.'); // prettier-ignore
  return [made, note, ...(waits.length === 0 ? [] : [element('h3', {}, 'Waits by kind'), element('ul', {}, ...waits)])];
}

export const ACTIVITY: Panel = { id: 'activity', title: 'Activities', width: 2, make };
