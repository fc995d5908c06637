/** Facts of the profile, diagnostics of its reader, and the amount of unknown data. */
import type { ProfileSummary, Tally } from '../../prof/summary/summary-data.js';
import { capitalised, quantityText } from '../document/units.js';
import { definitions, element, section } from '../document/dom-elements.js';
import { fieldsOf, ratio } from '../figures/field.js';
import { figure } from '../figures/figure.js';
import { listed, numbersOf, type Listed } from '../figures/listed-rows.js';
import type { PanelContent, Panel, PanelView } from '../panel.js';
import { table, type TableColumn } from '../figures/sorted-table.js';

function tallies(title: string, path: string, name: string, list: readonly Tally[]): Node[] {
  if (list.length === 0) return [];
  const number = numbersOf<Tally>(path);
  const columns: TableColumn<Listed<Tally>>[] = [
    { title: name, cell: (row) => row.name },
    number('Count', 'count', 'count'),
    number('Time', 'ns', 'time'),
  ];
  return [element('h3', {}, title), table({ caption: title, columns, rows: listed(list), sortedBy: 2 })];
}

function factsOf(header: ProfileSummary['header']): (readonly [name: string, value: string])[] {
  if (header === null) return [['Profile', 'the records contain no profile line']];
  const devices = header.devices.map(({ id, name, arch, memBytes }) => {
    const memory = memBytes === null ? null : quantityText(memBytes, 'memory');
    return [`Device ${id}`, [name ?? 'na', arch, memory].filter((part) => part !== null).join(', ')] as const;
  });
  return [
    ['File', header.file],
    ['Format', header.format],
    ['Tool', header.tool ?? 'na'],
    ['Rank', header.rank === null ? 'na' : String(header.rank)],
    ['Length', quantityText(header.dur, 'ns')],
    ...devices,
    ...Object.entries(header.facts ?? {}).map(
      ([name, value]) => [capitalised(name.replaceAll('_', ' ')), String(value)] as const,
    ),
  ];
}

function make(view: PanelView): PanelContent {
  const { overview, check } = view.profile;
  const diagnostics = Object.entries(overview.diagnostics).map(([name, count]) => {
    const said = view.profile.diagnosticTexts[name];
    const number = figure({ name: `overview.diagnostics.${name}`, value: count }, 'count');
    if (said === undefined) return element('li', {}, `${name}: `, number);
    const level = check.reasons.find((reason) => reason.check === name)?.level;
    const text = level === undefined ? [capitalised(said)] : [element('strong', {}, `${capitalised(level)}: `), said];
    return element('li', { title: name }, ...text, ': ', number);
  });
  const found =
    diagnostics.length === 0
      ? [element('p', {}, 'The reader reported no problems.')]
      : [element('ul', {}, ...diagnostics)];
  const { kernels } = overview;
  const kernel = fieldsOf('overview.kernels', kernels);
  const work = fieldsOf('overview.kernels.work', kernels?.work);
  const about =
    kernels === null
      ? []
      : [
          element(
            'p',
            {},
            'Kernels without duration: ',
            figure(kernel('untimed'), 'count'),
            '. Kernels faster than the hardware peak (a formula or a recorded time is wrong): ',
            figure(work('impossible'), 'count'),
            '. FLOPs and bytes known (0 included) for ',
            figure(ratio(work('known'), kernel('time')), 'share'),
            ' of kernel time.',
          ),
          ...tallies('What bounds the kernels', 'overview.kernels.work.bounds', 'Bound', kernels.work.bounds),
          ...tallies(
            'Why no op is known',
            'overview.kernels.unattributed.reasons',
            'Reason',
            kernels.unattributed.reasons,
          ),
        ];
  const facts = element('dl', { class: 'evidence' }, ...definitions(factsOf(overview.header)));
  const profile = section('The profile', facts);
  const reader = section('Diagnostics of the reader', ...found, ...about);
  return [element('div', { class: 'pair' }, profile, reader)];
}

export const DIAGNOSTICS: Panel = { id: 'diagnostics', title: 'Profile and diagnostics', width: 6, make };
