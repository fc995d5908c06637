/** What the host did where no work of a device is recorded: in place of that work. */
import type { HostTally } from '../../prof/summary/summary-data.js';
import { note } from '../document/dom-elements.js';
import { ofRange } from '../document/timeline-conditions.js';
import { eventsLink } from '../document/timeline-link.js';
import type { PanelView } from '../panel.js';
import { listed, numbersOf, type Listed } from './listed-rows.js';
import { table, type TableColumn } from './sorted-table.js';

/** Whether a device worked is not known where nothing of it was recorded. */
export const hostTimesOnly = (): HTMLElement => note('No work of a device is recorded: these are times of the host.');

/** Layers by their time on the host; null where the profile has none. */
export function hostLayers(view: PanelView): HTMLElement[] | null {
  const { host } = view.profile.overview;
  if (host === null || host.layers.length === 0) return null;
  const number = numbersOf<HostTally>('overview.host.layers');
  const columns: TableColumn<Listed<HostTally>>[] = [
    {
      title: 'Layer',
      cell: ({ name }) => name,
      link: ({ name }, text) => eventsLink(view, text, ofRange(name, [name])),
    },
    number('Time of its own', 'ns', 'time', { bar: ({ time }) => (host.time > 0 ? time / host.time : 0) }),
    number('Count', 'count', 'count'),
    number('Time', 'ns', 'total'),
  ];
  return [hostTimesOnly(), table({ caption: 'Layers of the host', columns, rows: listed(host.layers), sortedBy: 1 })];
}
