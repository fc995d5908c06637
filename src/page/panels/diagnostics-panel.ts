/** What the profile is, what its reader found odd, and what stays unknown. */
import type { Tally } from '../../prof/summary/summary-data.js';
import { element } from '../document/element.js';
import { figure, namedFigure } from '../charts/figure.js';
import type { PanelContent, Panel, PanelView } from '../panel.js';
import { table, type TableColumn } from '../document/sorted-table.js';
import { written } from '../document/units.js';

interface TallyRow extends Tally {
  readonly at: number;
}

function tallies(title: string, path: string, name: string, list: readonly Tally[]): Node[] {
  if (list.length === 0) return [];
  const columns: TableColumn<TallyRow>[] = [
    { title: name, cell: (row) => row.name },
    { title: 'Count', unit: 'count', cell: ({ count }) => count, field: ({ at }) => `${path}.${at}.count` },
    { title: 'Time', unit: 'ns', cell: ({ time }) => time, field: ({ at }) => `${path}.${at}.time` },
  ];
  const rows = list.map((one, at) => ({ ...one, at }));
  return [element('h3', {}, title), table({ caption: title, columns, rows, sortedBy: 2 })];
}

function facts({ profile: { overview } }: PanelView): HTMLElement {
  const { header } = overview;
  const lines: (readonly [string, string])[] =
    header === null
      ? [['profile', 'the records hold no profile line']]
      : [
          ['file', header.file],
          ['format', header.format],
          ['tool', header.tool ?? 'na'],
          ['rank', header.rank === null ? 'na' : String(header.rank)],
          ['length', written(header.dur, 'ns')],
          ...header.devices.map((device) => [`device ${device.id}`, [device.name ?? 'na', device.arch, device.memBytes === null ? null : written(device.memBytes, 'bytes')].filter((part) => part !== null).join(', ')] as const), // prettier-ignore
          ...Object.entries(header.facts ?? {}).map(([name, value]) => [name, String(value)] as const),
        ];
  return element('dl', { class: 'evidence' }, ...lines.flatMap(([name, value]) => [element('dt', {}, name), element('dd', {}, value)])); // prettier-ignore
}

function make(view: PanelView): PanelContent {
  const { overview } = view.profile;
  const odd = Object.entries(overview.diagnostics);
  const found =
    odd.length === 0
      ? [element('p', {}, 'The reader found nothing odd.')]
      : [element('ul', {}, ...odd.map(([name, count]) => element('li', {}, `${name}: `, namedFigure(`overview.diagnostics.${name}`, count, 'count'))))]; // prettier-ignore
  const { kernels } = overview;
  const about =
    kernels === null
      ? []
      : [
          element('p', {}, 'Kernels without a duration: ', figure(view, 'overview.kernels.untimed', 'count'), '. Kernels above a peak, a defect of a formula or of the profile: ', figure(view, 'overview.kernels.work.impossible', 'count'), '. Kernel time with known FLOPs and bytes: ', figure(view, 'overview.kernels.work.known / overview.kernels.time', 'share'), '.'), // prettier-ignore
          ...tallies('What bounds the kernels', 'overview.kernels.work.bounds', 'Bound', kernels.work.bounds),
          ...tallies(
            'Why no op is known',
            'overview.kernels.unattributed.reasons',
            'Reason',
            kernels.unattributed.reasons,
          ),
        ];
  return [
    element('div', { class: 'pair' }, element('section', {}, element('h3', {}, 'The profile'), facts(view)), element('section', {}, element('h3', {}, 'Found odd by the reader'), ...found, ...about)), // prettier-ignore
  ];
}

export const DIAGNOSTICS: Panel = { id: 'diagnostics', title: 'Profile and diagnostics', width: 6, make };
