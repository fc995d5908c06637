/** Collective operations by kind, and how much of their time is exposed. */
import type { CollectiveOperations } from '../../prof/summary/summary-data.js';
import { element } from '../document/dom-elements.js';
import { figure } from '../figures/figure.js';
import type { PanelContent, Panel, PanelView } from '../panel.js';
import { table, type TableColumn } from '../figures/sorted-table.js';

interface CollectiveRow extends CollectiveOperations {
  readonly at: number;
}

const field =
  (key: 'count' | 'time' | 'bytes') =>
  ({ at }: CollectiveRow): string =>
    `overview.collectives.${at}.${key}`;

function make(view: PanelView): PanelContent {
  const { collectives } = view.profile.overview;
  if (collectives.length === 0) return 'The profile holds no collective operations.';
  const most = Math.max(...collectives.map(({ time }) => time));
  const columns: TableColumn<CollectiveRow>[] = [
    { title: 'Operation', cell: ({ name }) => name },
    { title: 'Count', unit: 'count', cell: ({ count }) => count, field: field('count') },
    { title: 'Time', unit: 'ns', cell: ({ time }) => time, field: field('time'), bar: ({ time }) => time / most },
    {
      title: 'Mean',
      unit: 'ns',
      cell: ({ time, count }) => (count > 0 ? time / count : null),
      field: (row) => `${field('time')(row)} / ${field('count')(row)}`,
    },
    { title: 'Size', unit: 'bytes', cell: ({ bytes }) => bytes, field: field('bytes') },
    { title: 'Groups', cell: ({ groups }) => (groups.length === 0 ? null : groups.join(', ')) },
  ];
  const exposed = element(
    'p',
    {},
    'Communication ',
    figure(view, 'sum(overview.devices.*.communication)', 'ns'),
    ', while nothing is computed ',
    figure(view, 'sum(overview.devices.*.notUnderCompute)', 'ns'),
    ', while nothing else runs ',
    figure(view, 'sum(overview.devices.*.exposed)', 'ns'),
    '.',
  );
  const rows = collectives.map((one, at) => ({ ...one, at }));
  return [exposed, table({ caption: 'Collectives', columns, rows, sortedBy: 2 })];
}

export const COLLECTIVES: Panel = { id: 'collectives', title: 'Collectives', width: 3, make };
