/** Collective operations by kind, and how much of their time is exposed. */
import type { CollectiveOperations } from '../../prof/summary/summary-data.js';
import { element } from '../document/dom-elements.js';
import { figure } from '../figures/figure.js';
import { listed, meanTimes, numbersOf, type Listed } from '../figures/listed-rows.js';
import type { PanelContent, Panel, PanelView } from '../panel.js';
import { table, type TableColumn } from '../figures/sorted-table.js';

const PATH = 'overview.collectives';
const number = numbersOf<CollectiveOperations>(PATH);

function make(view: PanelView): PanelContent {
  const { collectives } = view.profile.overview;
  if (collectives.length === 0) return 'The profile holds no collective operations.';
  const most = Math.max(...collectives.map(({ time }) => time));
  const columns: TableColumn<Listed<CollectiveOperations>>[] = [
    { title: 'Operation', cell: ({ name }) => name },
    number('Count', 'count', 'count'),
    number('Time', 'ns', 'time', { bar: ({ time }) => time / most }),
    meanTimes(PATH),
    number('Size', 'bytes', 'bytes'),
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
  return [exposed, table({ caption: 'Collectives', columns, rows: listed(collectives), sortedBy: 2 })];
}

export const COLLECTIVES: Panel = { id: 'collectives', title: 'Collectives', width: 3, make };
