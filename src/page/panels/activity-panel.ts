/** Activities of the devices: count, time and share of the devices' spans. Each moment counts for only one activity. */
import { lacking } from '../capture-hints.js';
import type { DeviceTime, WorkKind } from '../../prof/summary/summary-data.js';
import { element, note } from '../document/dom-elements.js';
import {
  boundedTimeOf,
  difference,
  fieldsOf,
  ratio,
  sumOf,
  total,
  wholeSumOf,
  type Field,
  type NumberKey,
} from '../figures/field.js';
import { figure } from '../figures/figure.js';
import { figureColumn } from '../figures/listed-rows.js';
import { followsDevices, type Panel, type PanelContent, type PanelView } from '../panel.js';
import { swatch } from '../figures/strip.js';
import { table, type TableColumn } from '../figures/sorted-table.js';

interface ActivityGroup {
  readonly name: string;
  readonly colour: string;
  readonly counts: readonly WorkKind[];
  /** The time that no row above includes. */
  readonly time: (devices: readonly DeviceTime[]) => Field;
  /** The sign before its time and its share, if they may be bounds. */
  readonly sign?: (devices: readonly DeviceTime[]) => string;
}

const DEVICES = 'overview.devices.*';
const sumsOf =
  (key: NumberKey<DeviceTime>): ActivityGroup['time'] =>
  (devices) =>
    wholeSumOf(DEVICES, devices, key);
/** Unknown of devices whose work is missing. */
const idleInWaits: ActivityGroup['time'] = (devices) => sumOf(DEVICES, devices, 'idleInWaits');

const WORK: readonly ActivityGroup[] = [
  { name: 'Compute', colour: 'var(--compute)', counts: ['kernels', 'graphs'], time: sumsOf('compute') },
  {
    ...{ name: 'Exposed communication', colour: 'var(--communication)' },
    ...{ counts: ['communications'], time: sumsOf('exposed') },
  },
  {
    ...{ name: 'Exposed copies', colour: 'var(--memory)', counts: ['copies'] },
    time: sumsOf('copiesAlone'),
  },
  { name: 'Exposed memsets', colour: 'var(--hue-8)', counts: ['sets'], time: sumsOf('setsAlone') },
];
const IDLE: ActivityGroup = {
  ...{ name: 'Idle', colour: 'var(--idle)', counts: [] },
  time: (devices) => boundedTimeOf(DEVICES, devices, 'idle').field,
  sign: (devices) => boundedTimeOf(DEVICES, devices, 'idle').sign,
};
const IDLE_AND_WAITS: readonly ActivityGroup[] = [
  { name: 'Idle in waits', colour: 'var(--idle-queue)', counts: ['syncs'], time: idleInWaits },
  {
    ...{ name: 'Other idle time', colour: 'var(--idle)', counts: [] },
    time: (devices) => difference(sumsOf('idle')(devices), idleInWaits(devices)),
  },
];
const MISSING: ActivityGroup = {
  name: 'Not in the trace',
  colour: 'var(--missing)',
  counts: [],
  time: (devices) =>
    sumOf(
      `${DEVICES}.missing`,
      devices.map(({ missing }) => missing),
      'time',
    ),
};

/** What the CPU or a stream waits for, by the kinds of `sync` records. */
const WAITED_FOR: Readonly<Record<string, string>> = {
  context: 'for all work of a device',
  stream: 'for a stream',
  event: 'for an event',
  'stream-wait-event': 'for an event, by a stream',
};

function make(view: PanelView): PanelContent {
  const { devices, syncs } = view.profile.overview;
  if (devices.length === 0) return lacking(view, 'work');
  const counted = devices.map(({ counts }) => counts);
  const countOf = ({ counts }: ActivityGroup): Field =>
    total(...counts.map((name) => sumOf(`${DEVICES}.counts`, counted, name)));
  const timeOf = ({ time }: ActivityGroup): Field => time(devices);
  const shareOf = (kind: ActivityGroup): Field => ratio(timeOf(kind), sumOf(DEVICES, devices, 'span'));
  const isPositive = ({ value }: Field): boolean => Number(value) > 0;
  const isKnown = devices.every(({ bounds }) => bounds === undefined);
  const hasWaits = isKnown && syncs.length > 0 && idleInWaits(devices).value !== null;
  const all = [...WORK, ...(hasWaits ? IDLE_AND_WAITS : [IDLE]), MISSING];
  const kinds = all.filter((kind) => isPositive(timeOf(kind)) || isPositive(countOf(kind)));
  const worded = ({ sign }: ActivityGroup, text: string): string => `${sign?.(devices) ?? ''}${text}`;
  const columns: TableColumn<ActivityGroup>[] = [
    { title: 'Activity', cell: ({ name }) => name, before: ({ colour }) => swatch(colour) },
    figureColumn('Count', 'count', countOf),
    figureColumn('Time', 'ns', timeOf, { worded }),
    figureColumn('Of span', 'share', shareOf, { bar: (kind) => shareOf(kind).value, worded }),
  ];
  const made = table({ caption: 'Activities', columns, rows: kinds, sortedBy: null });
  const waits = syncs.map((sync, at) => {
    const fieldOf = fieldsOf(`overview.syncs.${at}`, sync);
    const times = sync.count === 1 ? ' time, ' : ' times, ';
    const name = WAITED_FOR[sync.name] ?? sync.name;
    return element('li', {}, `${name}: `, figure(fieldOf('count'), 'count'), times, figure(fieldOf('time'), 'ns'));
  });
  const overlap = note('Overlapping time counts only in the first row that applies, so the rows add up to the span.');
  return [
    made,
    overlap,
    ...(waits.length === 0 ? [] : [element('h3', {}, 'Waits by kind'), element('ul', {}, ...waits)]),
  ];
}

export const ACTIVITY: Panel = { id: 'activity', title: 'Activities', width: 2, make, follows: followsDevices };
