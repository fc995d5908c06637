/** The time of each device: parts of its span, and a table. */
import { lacking } from '../capture-hints.js';
import { element, note, section } from '../document/dom-elements.js';
import type { DeviceTime } from '../../prof/summary/summary-data.js';
import { BOUND_SIGNS, fieldsOf, difference, ratio, type Field, type NumberKey } from '../figures/field.js';
import { idleCoresText } from '../../prof/neuron/machine.js';
import { unrecordedCopiesText } from '../../prof/steps/transfers.js';
import { capitalised } from '../document/units.js';
import { figureColumn } from '../figures/listed-rows.js';
import { followsDevices, type Panel, type PanelContent, type PanelView } from '../panel.js';
import { legend, parts, strip, swatch, type StripPart } from '../figures/strip.js';
import { table, type TableColumn } from '../figures/sorted-table.js';
import type { IdleCause } from '../../prof/advise/idle/cause-names.js';
import type { PageProfile } from '../../prof/html/page-data.js';
import { IDLE_NAMES, WORK_NAMES } from '../figures/shown-names.js';

/** @param at index of the device in the profile */
function deviceParts(profile: PageProfile, at: number): StripPart[] {
  const path = `overview.devices.${at}`;
  const device = profile.overview.devices[at];
  const time = fieldsOf(path, device);
  const part = ([name, colour]: readonly [string, string], field: Field): StripPart => ({ name, colour, field });
  const missing = device?.missing ?? null;
  return [
    part(WORK_NAMES.compute, time('compute')),
    part(WORK_NAMES.communication, time('exposed')),
    part(WORK_NAMES.copy, difference(time('busy'), time('compute'), time('exposed'))),
    ...(missing === null ? [] : [part(WORK_NAMES.missing, fieldsOf(`${path}.missing`, missing)('time'))]),
    ...idleParts(profile, at),
  ];
}

/** Idle time of a device by cause, without causes that took no time. */
function idleParts(profile: PageProfile, at: number): StripPart[] {
  const device = profile.overview.devices[at]?.device;
  const place = profile.idle.devices.findIndex((entry) => entry.device === device);
  const times = profile.idle.devices[place]?.times;
  if (times === undefined) return [];
  return (Object.keys(IDLE_NAMES) as IdleCause[])
    .filter((cause) => times[cause] > 0)
    .map((cause) => {
      const [name, colour] = IDLE_NAMES[cause];
      return { name, colour, field: fieldsOf(`idle.devices.${place}.times`, times)(cause) };
    });
}

interface ListedDevice {
  readonly at: number;
  readonly name: string;
}

const COLUMNS: readonly (readonly [title: string, key: NumberKey<DeviceTime>])[] = [
  ['Compute', 'compute'],
  ['Communication', 'communication'],
  ['Exposed communication', 'exposed'],
  ['Copies and memsets', 'memory'],
  ['Waits', 'sync'],
];

function make(view: PanelView): PanelContent {
  const { devices } = view.profile.overview;
  if (devices.length === 0) return lacking(view, 'work');
  const rows: ListedDevice[] = devices.map(({ device, name }, at) => ({
    at,
    name: `${device}${name === null ? '' : ` · ${name}`}`,
  }));
  const fieldOf = (at: number, key: NumberKey<DeviceTime>): Field =>
    fieldsOf(`overview.devices.${at}`, devices[at])(key);
  const strips = rows.map(({ at, name }) =>
    element(
      'div',
      { class: 'labelled' },
      element('span', { class: 'text' }, `Device ${name}`),
      strip(`Device ${name}`, deviceParts(view.profile, at), fieldOf(at, 'span')),
    ),
  );
  const bounded = (title: string, key: keyof typeof BOUND_SIGNS): TableColumn<ListedDevice> =>
    figureColumn(
      title,
      'ns',
      ({ at }) => {
        const bounds = devices[at]?.bounds;
        return bounds === undefined ? fieldOf(at, key) : fieldsOf(`overview.devices.${at}.bounds`, bounds)(key);
      },
      { worded: ({ at }, text) => `${devices[at]?.bounds === undefined ? '' : BOUND_SIGNS[key]}${text}` },
    );
  const columns: TableColumn<ListedDevice>[] = [
    { title: 'Device', cell: ({ name }) => name },
    figureColumn('Span', 'ns', ({ at }) => fieldOf(at, 'span')),
    bounded('Busy', 'busy'),
    bounded('Idle', 'idle'),
    ...COLUMNS.map(([title, key]) => figureColumn<ListedDevice>(title, 'ns', ({ at }) => fieldOf(at, key))),
    figureColumn('Longest gap', 'ns', ({ at }) =>
      fieldsOf(`overview.devices.${at}.gaps`, devices[at]?.gaps)('longest'),
    ),
  ];
  if (devices.length > 1) columns.push(...idleColumns(view, rows));
  const notes = [idleCoresText(view.profile.overview.header, devices), unrecordedCopiesText(devices)];
  return [
    ...notes.flatMap((text) => (text === null ? [] : [element('p', {}, `${capitalised(text)}.`)])),
    ...strips,
    partsOf(view),
    table({ caption: 'Time by device', columns, rows, sortedBy: devices.length > 1 ? 0 : null }),
    ...engineTimes(devices),
  ];
}

interface ListedEngine {
  readonly device: number;
  readonly engine: string;
  readonly active: Field;
  readonly share: Field;
}

/** How long each engine of a device was active; nothing for devices without engines. */
function engineTimes(devices: readonly DeviceTime[]): HTMLElement[] {
  const rows = devices.flatMap((device, at) =>
    (device.engines ?? []).map((time, place): ListedEngine => {
      const active = fieldsOf(`overview.devices.${at}.engines.${place}`, time)('active');
      const share = ratio(active, fieldsOf(`overview.devices.${at}`, device)('span'));
      return { device: device.device, engine: time.engine, active, share };
    }),
  );
  if (rows.length === 0) return [];
  const columns: TableColumn<ListedEngine>[] = [
    { title: 'Engine', cell: ({ engine }) => engine },
    figureColumn('Active', 'ns', ({ active }) => active),
    figureColumn('Of span', 'share', ({ share }) => share, { bar: ({ share }) => share.value }),
  ];
  if (devices.length > 1) columns.unshift({ title: 'Device', cell: ({ device }) => device });
  return [
    section('Engines', table({ caption: 'Active time by engine', columns, rows, sortedBy: null })),
    note('Engines run at the same time, so their times do not add up to the busy time. Waits do not count.'),
  ];
}

/** Idle time by cause, with the names used in the verdict. */
function idleColumns(view: PanelView, rows: readonly ListedDevice[]): TableColumn<ListedDevice>[] {
  const fields = rows.map(({ at }) => new Map(idleParts(view.profile, at).map(({ name, field }) => [name, field])));
  const names = new Set(fields.flatMap((byName) => [...byName.keys()]));
  return [...names].map((title) => ({
    title,
    unit: 'ns',
    cell: ({ at }) => (fields[at]?.has(title) === true ? (fields[at].get(title)?.value ?? null) : 0),
  }));
}

/** The parts of one device with their figures; for several devices only the names of the parts. */
function partsOf(view: PanelView): HTMLElement {
  const { devices } = view.profile.overview;
  if (devices.length === 1)
    return parts(
      'Breakdown of device time',
      deviceParts(view.profile, 0),
      fieldsOf('overview.devices.0', devices[0])('span'),
    );
  const colours = new Map(
    devices.flatMap((_, at) => deviceParts(view.profile, at)).map(({ name, colour }) => [name, colour]),
  );
  return legend([...colours].map(([name, colour]) => [swatch(colour), name]));
}

export const DEVICES: Panel = {
  id: 'devices',
  title: 'Devices: active and idle',
  width: 6,
  make,
  follows: followsDevices,
};
