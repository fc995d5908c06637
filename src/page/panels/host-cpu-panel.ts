/** CPU activity of a job's processes on the cores of their machines, when a profiler recorded it. */
import type { CpuSummary, CpuTally } from '../../prof/summary/summary-data.js';
import { lacking } from '../capture-hints.js';
import { section } from '../document/dom-elements.js';
import { fieldsOf, ratio, type Field, type NumberKey } from '../figures/field.js';
import { figureColumn, listed, numbersOf } from '../figures/listed-rows.js';
import { table, type TableColumn } from '../figures/sorted-table.js';
import type { DisplayUnit } from '../document/units.js';
import type { Panel, PanelContent, PanelView } from '../panel.js';
import { rankNames } from '../profile-labels.js';

interface RankOnHost {
  /** Index of its profile on the page. */
  readonly at: number;
  readonly name: string;
  readonly node: string | null;
  readonly cores: number;
}

const COLUMNS: readonly (readonly [title: string, unit: DisplayUnit, key: NumberKey<CpuSummary>])[] = [
  ['CPU time', 'ns', 'time'],
  ['Traced', 'ns', 'traced'],
  ['Switches', 'count', 'switches'],
  ['Samples', 'count', 'samples'],
];

/** A row for each rank, with its machine. */
function ranks(view: PanelView, rows: readonly RankOnHost[]): HTMLElement {
  const fieldOf = ({ at }: RankOnHost, key: NumberKey<CpuSummary>): Field =>
    fieldsOf(`profiles.${at}.overview.cpu`, view.data.profiles[at]?.overview.cpu)(key);
  const isKnown = (key: NumberKey<CpuSummary>): boolean => rows.some((row) => fieldOf(row, key).value !== null);
  const columns: TableColumn<RankOnHost>[] = [
    { title: 'Rank', cell: ({ name }) => name },
    ...(rows.some(({ node }) => node !== null) ? [{ title: 'Machine', cell: ({ node }: RankOnHost) => node }] : []),
    { title: 'Cores used', unit: 'count', cell: ({ cores }) => cores },
    ...COLUMNS.filter(([, , key]) => isKnown(key)).map(([title, unit, key]) =>
      figureColumn<RankOnHost>(title, unit, (row) => fieldOf(row, key)),
    ),
    figureColumn('Mean busy cores', 'cores', (row) => ratio(fieldOf(row, 'time'), fieldOf(row, 'traced'))),
  ];
  return table({ caption: 'Cores by rank', columns, rows, sortedBy: null });
}

function make(view: PanelView): PanelContent {
  const names = rankNames(view.data);
  const rows = view.data.profiles.flatMap(({ overview: { cpu } }, at): RankOnHost[] =>
    cpu === null
      ? []
      : [
          {
            ...{ at, name: names[at] ?? String(at), cores: cpu.cores.length },
            node: view.data.job?.ranks.find(({ profile }) => profile === at)?.node ?? null,
          },
        ],
  );
  if (rows.length === 0) return lacking(view, 'cores');
  const { cpu } = view.profile.overview;
  if (cpu === null) return [ranks(view, rows)];
  const number = numbersOf<CpuTally>('overview.cpu.cores');
  const most = cpu.cores.reduce((longest, { time }) => Math.max(longest, time ?? 0), 0);
  const cores = table({
    caption: 'Cores of the shown rank',
    columns: [
      { title: 'Core', cell: ({ id }) => String(id) },
      number('CPU time', 'ns', 'time', { bar: ({ time }) => (most > 0 && time !== null ? time / most : null) }),
      number('Switches', 'count', 'switches'),
      number('Samples', 'count', 'samples'),
    ],
    rows: listed(cpu.cores),
    sortedBy: 1,
  });
  return [ranks(view, rows), section('By core', cores)];
}

export const HOST_CPU: Panel = { id: 'host-cpu', title: 'CPU cores in use', width: 6, make };
