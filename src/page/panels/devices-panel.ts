/** The time of each device: parts of its span, and a table. */
import { lacking } from '../capture-hints.js';
import { deviceParts } from '../figures/device-parts.js';
import { elementAt } from '../../containers/element.js';
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
  ['Exposed', 'exposed'],
  ['Copies and sets', 'memory'],
  ['Waits', 'sync'],
  ['Launch-bound', 'gaps.host'],
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
      strip(view, `Device ${name}`, deviceParts(elementAt(devices, at), at), `overview.devices.${at}.span`),
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
  return [
    ...strips,
    partsOf(view),
    table({ caption: 'Time by device', columns, rows, sortedBy: devices.length > 1 ? 0 : null }),
  ];
}

/** The parts of one device with their figures; of several devices the names of the parts. */
function partsOf(view: PanelView): HTMLElement {
  const { devices } = view.profile.overview;
  const withGaps = devices.find(({ gaps }) => (gaps?.host ?? null) !== null) ?? elementAt(devices, 0);
  const list = deviceParts(withGaps, 0);
  if (devices.length === 1) return parts(view, 'Parts of the device’s time', list, 'overview.devices.0.span');
  return legend(list.map(({ name, colour }) => [swatch(colour), name]));
}

export const DEVICES: Panel = { id: 'devices', title: 'Devices: active and idle', width: 6, make };
