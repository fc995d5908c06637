/** The ranks of a job against each other: who is late and why, waits and clocks, transfers, ranks and steps. */
import type { PageJob, PageStraggler } from '../../prof/html/page-data.js';
import { boxedDefinitions, element, note, section } from '../document/dom-elements.js';
import { quantityText } from '../document/units.js';
import { figure } from './figure.js';
import { heatMaps } from './heat-map.js';
import { listed, numbersOf } from './listed-rows.js';
import { table } from './sorted-table.js';
import type { FieldScope } from './field.js';

const RANKS = 'job.ranks';
const CLASSES = 'job.classes';

export function jobSections(view: FieldScope, job: PageJob): HTMLElement[] {
  return [
    boxedDefinitions([
      ['Matched operations', figure(view, 'job.matched', 'count')],
      ['Without a counterpart', figure(view, 'job.unmatched', 'count')],
      ['Ranks without a profile', figure(view, 'job.missing', 'count')],
    ]),
    section(lateTitle(job), ...(job.late.length === 0 ? [] : [element('ul', {}, ...job.late.map(lateItem))])),
    ...(job.heat.length === 0
      ? []
      : [
          section('Ranks and steps', heatMaps(job)),
          note('Colour: distance from the median of the step, full from 10 % on. A cell says its value.'),
        ]),
    ...(job.matched === 0
      ? []
      : [section('Waits and clocks', waits(job)), section('Waiting and transferring', transfers(job))]),
  ];
}

function lateTitle({ late, isChance, tested }: PageJob): string {
  if (tested === 0) return 'Who is late: too few steps in common to tell';
  if (late.length === 0) return 'Who is late: none';
  return isChance ? 'Who is late: none beyond chance; the latest' : 'Who is late';
}

function lateItem({ name, ranks, late, share, q, steps, by, slowdown, layer, op, kernel }: PageStraggler): HTMLElement {
  const work = (
    [
      ['layer', layer],
      ['op', op],
      ['kernel', kernel],
    ] as const
  ).flatMap(([what, row]) =>
    row === null
      ? []
      : [
          `${what} ${row.name}: ${quantityText(row.excess, 'ns')} more${row.share === null ? '' : ` (${quantityText(row.share, 'share')})`}`,
        ],
  );
  const alike =
    slowdown === null ? [] : [`all kernels ${quantityText(slowdown - 1, 'share')} slower alike: a lower clock?`];
  const cause = by === null ? '' : `, by ${by}`;
  const several = ranks > 1 ? ` (${ranks} ranks)` : '';
  return element(
    'li',
    {},
    `${name}${several}: ${quantityText(late, 'ns')} a step, ${quantityText(share, 'share')}, in ${steps} steps, q ${q.toPrecision(2)}${cause}`,
    element('ul', {}, ...[...alike, ...work].map((text) => element('li', {}, text))),
  );
}

function waits({ ranks }: PageJob): HTMLElement {
  const number = numbersOf<PageJob['ranks'][number]>(RANKS);
  return table({
    caption: 'Waits and clocks',
    columns: [
      { title: 'Rank', cell: ({ name }) => name },
      { title: 'Machine', cell: ({ node }) => node },
      number('Waited', 'ns', 'waited', { group: 'waits' }),
      number('Joined last', 'share', 'last'),
      number('Delayed others', 'ns', 'delayed', { group: 'waits' }),
      { title: 'Clock', cell: ({ clock }) => clock },
      number('Clock ahead', 'ns', 'offset', { group: 'offsets' }),
      number('Off by at most', 'ns', 'bound', { group: 'bounds' }),
    ],
    rows: listed(ranks),
    sortedBy: null,
  });
}

function transfers({ classes }: PageJob): HTMLElement {
  const number = numbersOf<PageJob['classes'][number]>(CLASSES);
  return table({
    caption: 'Waiting and transferring',
    columns: [
      { title: 'Operation', cell: ({ kind }) => kind },
      { title: 'Group', cell: ({ groupKind }) => groupKind },
      number('Size from', 'bytes', 'size'),
      number('Count', 'count', 'operations'),
      number('Wait, mean', 'ns', 'wait'),
      number('Transfer, median', 'ns', 'transfer'),
      number('Bus bandwidth', 'bytes/s', 'busBandwidth'),
    ],
    rows: listed(classes),
    sortedBy: null,
  });
}
