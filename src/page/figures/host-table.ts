/** What the host did where no work of a device is recorded: in place of that work. */
import type { HostSummary, HostTally } from '../../prof/summary/summary-data.js';
import { note } from '../document/dom-elements.js';
import type { PanelView } from '../panel.js';
import { listed, numbersOf, type Listed } from './listed-rows.js';
import { table, type TableColumn } from './sorted-table.js';

type HostList = Extract<keyof HostSummary, 'ops' | 'layers'>;

/** Whether a device worked is not known where nothing of it was recorded. */
export const hostTimesOnly = (): HTMLElement => note('No work of a device is recorded: these are times of the host.');

/** Null where the profile has none. @param what name of the list: `Ops` */
export function hostTable({ profile }: PanelView, list: HostList, what: string): HTMLElement[] | null {
  const { host } = profile.overview;
  const tallies = host?.[list] ?? [];
  if (host === null || tallies.length === 0) return null;
  const number = numbersOf<HostTally>(`overview.host.${list}`);
  const columns: TableColumn<Listed<HostTally>>[] = [
    { title: what, cell: ({ name }) => name },
    number('Time of its own', 'ns', 'time', { bar: ({ time }) => (host.time > 0 ? time / host.time : 0) }),
    number('Count', 'count', 'count'),
    number('Time', 'ns', 'total'),
  ];
  const rows = listed(tallies);
  return [hostTimesOnly(), table({ caption: `${what} of the host`, columns, rows, sortedBy: 1 })];
}
