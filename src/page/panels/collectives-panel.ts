/** Collective operations by kind, size and group: how long, how fast, and how long no computation ran meanwhile. */
import type { CollectiveRow, PageProfile } from '../../prof/html/page-data.js';
import { meaningOf } from '../../record/glossary.js';
import { element, note } from '../document/dom-elements.js';
import { quantityText } from '../document/units.js';
import { sumOf } from '../figures/field.js';
import { figure } from '../figures/figure.js';
import { listed, meanTimes, numbersOf, type Listed } from '../figures/listed-rows.js';
import { table, type TableColumn } from '../figures/sorted-table.js';
import { followsDevices, type Panel, type PanelContent, type PanelView } from '../panel.js';

const PATH = 'collectives.shown';
const number = numbersOf<CollectiveRow>(PATH);

const groupText = ({ group, groupSize }: CollectiveRow): string | null =>
  group === null && groupSize === null ? null : `${group ?? ''}${groupSize === null ? '' : ` (${groupSize} ranks)`}`;

const RATES = `${meaningOf('bandwidth with waiting')} Bus bandwidth: ${meaningOf('bus bandwidth')}`;

const OF_SPAN = 'Sizes, groups and bandwidths are known only for the whole profile.';

function make(view: PanelView): PanelContent {
  const { shown, count } = view.profile.collectives;
  if (count === 0) return 'The profile has no collective operations.';
  const most = shown.reduce((longest, { time }) => Math.max(longest, time ?? 0), 0);
  const has = (key: keyof CollectiveRow): boolean => shown.some((row) => row[key] !== null);
  const columns: TableColumn<Listed<CollectiveRow>>[] = [
    { title: 'Operation', cell: ({ kind, name }) => kind ?? name },
    ...(has('size') ? [{ title: 'Size from', cell: ({ size }: CollectiveRow) => sizeText(size) }] : []),
    ...(has('group') || has('groupSize') ? [{ title: 'Group', cell: groupText }] : []),
    number('Count', 'count', 'count'),
    number('Time', 'ns', 'time', { bar: ({ time }) => (most > 0 ? (time ?? 0) / most : 0) }),
    meanTimes(PATH),
    number('Exposed', 'ns', 'notUnderCompute'),
    ...(has('bytes')
      ? [
          number('Size', 'bytes', 'bytes'),
          number('Algorithm bandwidth with waiting', 'bytes/s', 'algorithmBandwidth'),
          number('Bus bandwidth with waiting', 'bytes/s', 'busBandwidth'),
        ]
      : []),
  ];
  const { devices } = view.profile.overview;
  const path = 'overview.devices.*';
  const exposed = element(
    'p',
    {},
    'Communication ',
    figure(sumOf(path, devices, 'communication'), 'ns'),
    ', exposed (while no compute runs) ',
    figure(sumOf(path, devices, 'exposed'), 'ns'),
    '.',
  );
  const sortedBy = columns.findIndex(({ title }) => title === 'Time');
  return [
    exposed,
    table({ caption: 'Collectives', columns, rows: listed(shown), sortedBy }),
    note('Exposed: time of the operation while no compute runs; overlapping operations count separately.'),
    note(
      view.span !== null
        ? OF_SPAN
        : has('bytes')
          ? RATES
          : 'The profile does not record message sizes, so bandwidths are unknown.',
    ),
  ];
}

const sizeText = (size: number | null): string | null => (size === null ? null : quantityText(size, 'memory'));

/** Operations that NCCL kernels named SendRecv may implement. */
const OF_SEND_RECEIVE: ReadonlySet<string> = new Set(['all-to-all', 'gather', 'scatter']);

/**
 * Events have fewer names of operations than kernels. The table of a span must have the same names as that of the whole
 * profile.
 */
function follows(whole: PageProfile, within: PageProfile): boolean {
  const namesOf = ({ collectives }: PageProfile) =>
    new Set<string>(collectives.shown.map(({ kind, name }) => kind ?? name));
  const [all, inside] = [namesOf(whole), namesOf(within)];
  const isUnsure = inside.has('send-receive') && [...all].some((name) => OF_SEND_RECEIVE.has(name));
  return followsDevices(whole) && !isUnsure && [...inside].every((name) => all.has(name));
}

export const COLLECTIVES: Panel = { id: 'collectives', title: 'Collectives', width: 6, make, follows };
