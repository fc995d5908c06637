/** The time of each device: parts of its span, and a table. */
import { lacking } from '../capture-hints.js';
import { deviceParts, idleParts } from '../figures/device-parts.js';
import { element } from '../document/dom-elements.js';
import { valueOf } from '../figures/field.js';
import type { PanelContent, Panel, PanelView } from '../panel.js';
import { legend, parts, strip, swatch } from '../figures/strip.js';
import { table, type TableColumn } from '../figures/sorted-table.js';

interface ListedDevice {
  readonly at: number;
  readonly name: string;
}

const COLUMNS: readonly (readonly [title: string, field: string])[] = [
  ['Span', 'span'],
  ['Busy', 'busy'],
  ['Idle', 'idle'],
  ['Compute', 'compute'],
  ['Communication', 'communication'],
  ['Exposed communication', 'exposed'],
  ['Copies and sets', 'memory'],
  ['Waits', 'sync'],
  ['Longest gap', 'gaps.longest'],
];

function make(view: PanelView): PanelContent {
  const { devices } = view.profile.overview;
  if (devices.length === 0) return lacking(view, 'work');
  const rows: ListedDevice[] = devices.map(({ device, name }, at) => ({
    at,
    name: `${device}${name === null ? '' : ` · ${name}`}`,
  }));
  const strips = rows.map(({ at, name }) =>
    element(
      'div',
      { class: 'labelled' },
      element('span', { class: 'text' }, `Device ${name}`),
      strip(view, `Device ${name}`, deviceParts(view, at), `overview.devices.${at}.span`),
    ),
  );
  const fieldOf = (path: string, { at }: ListedDevice): string => `overview.devices.${at}.${path}`;
  const columns: TableColumn<ListedDevice>[] = [
    { title: 'Device', cell: ({ name }) => name },
    ...COLUMNS.map(([title, path]): TableColumn<ListedDevice> => ({
      title,
      unit: 'ns',
      cell: (row) => valueOf(view, fieldOf(path, row)),
      field: (row) => fieldOf(path, row),
    })),
  ];
  if (devices.length > 1) columns.push(...idleColumns(view, rows));
  return [
    ...strips,
    partsOf(view),
    table({ caption: 'Time by device', columns, rows, sortedBy: devices.length > 1 ? 0 : null }),
  ];
}

/** Idle time by cause, under the names of the verdict. */
function idleColumns(view: PanelView, rows: readonly ListedDevice[]): TableColumn<ListedDevice>[] {
  const fields = rows.map(({ at }) => new Map(idleParts(view, at).map(({ name, field }) => [name, field])));
  const names = new Set(fields.flatMap((one) => [...one.keys()]));
  return [...names].map((title) => ({
    title,
    unit: 'ns',
    cell: ({ at }) => valueOf(view, fields[at]?.get(title) ?? '0'),
  }));
}

/** The parts of one device with their figures; of several devices the names of the parts. */
function partsOf(view: PanelView): HTMLElement {
  const { devices } = view.profile.overview;
  if (devices.length === 1)
    return parts(view, 'Parts of the device’s time', deviceParts(view, 0), 'overview.devices.0.span');
  const colours = new Map(devices.flatMap((_, at) => deviceParts(view, at)).map(({ name, colour }) => [name, colour]));
  return legend([...colours].map(([name, colour]) => [swatch(colour), name]));
}

export const DEVICES: Panel = { id: 'devices', title: 'Devices: active and idle', width: 6, make };
