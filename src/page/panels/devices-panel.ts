/** Where the time of each device went. */
import { deviceParts } from '../charts/device-parts.js';
import { element } from '../document/element.js';
import type { PanelContent, Panel, PanelView } from '../panel.js';
import { parts, strip, swatch } from '../charts/strip.js';
import { table, type TableColumn } from '../document/sorted-table.js';

interface DeviceRow {
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
  if (devices.length === 0) return 'The profile holds no work of a device.';
  const names = devices.map(({ device, name }) => `${device}${name === null ? '' : ` · ${name}`}`);
  const legend = deviceParts(devices.find(({ gaps }) => gaps !== null) ?? (devices[0] as (typeof devices)[number]), 0);
  const strips = devices.map((device, at) =>
    element(
      'div',
      { class: 'labelled' },
      element('span', { class: 'text' }, `Device ${names[at] ?? ''}`),
      strip(view, `Device ${names[at] ?? ''}`, deviceParts(device, at), `overview.devices.${at}.span`),
    ),
  );
  const [only] = devices;
  const split =
    devices.length === 1 && only !== undefined
      ? parts(view, 'Parts of the device’s time', deviceParts(only, 0), 'overview.devices.0.span')
      : element(
          'ul',
          { class: 'legend' },
          ...legend.map(({ name, colour }) => element('li', {}, swatch(colour), name)),
        );
  const read = (at: number, path: string): number | null => {
    const [first = '', second = ''] = path.split('.');
    const device: object | undefined = devices[at];
    const found = (device as Readonly<Record<string, unknown>> | undefined)?.[first];
    const value = second === '' ? found : (found as Readonly<Record<string, unknown>> | null)?.[second];
    return typeof value === 'number' ? value : null;
  };
  const columns: TableColumn<DeviceRow>[] = [
    { title: 'Device', cell: ({ name }) => name },
    ...COLUMNS.map(([title, path]): TableColumn<DeviceRow> => ({
      title,
      unit: 'ns',
      cell: ({ at }) => read(at, path),
      field: ({ at }) => `overview.devices.${at}.${path}`,
    })),
  ];
  return [
    ...strips,
    split,
    table({ caption: 'Time by device', columns, rows: names.map((name, at) => ({ at, name })), sortedBy: devices.length > 1 ? 0 : null }), // prettier-ignore
  ];
}

export const DEVICES: Panel = { id: 'devices', title: 'Devices: active and idle', width: 6, make };
