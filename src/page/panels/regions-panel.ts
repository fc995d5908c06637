/** Regions of the program: where the time of each annotation went on a device, and how its passes vary. */
import type { RegionTotal } from '../../prof/html/page-data.js';
import { meaningOf } from '../../record/glossary.js';
import { replaceContents } from '../charts/chart.js';
import { histogramOfBins } from '../charts/histogram-chart.js';
import { button, element, note, section } from '../document/dom-elements.js';
import { ofRange } from '../document/timeline-target.js';
import { eventsLink } from '../document/timeline-link.js';
import { listed, numbersOf, withValues, type Listed } from '../figures/listed-rows.js';
import { table, type TableColumn } from '../figures/sorted-table.js';
import type { PanelContent, Panel, PanelView } from '../panel.js';

type Row = Listed<RegionTotal>;

const PATH = 'regions.shown';
const number = numbersOf<RegionTotal>(PATH);

function columnsOf(view: PanelView, rows: readonly Row[], show: (row: Row) => void): TableColumn<Row>[] {
  const several = new Set(rows.map(({ device }) => device)).size > 1;
  const toggle = (row: Row): HTMLElement => {
    const label = `Show the passes of ${row.region}`;
    return button('≡', () => show(row), { class: 'toggle', title: label, 'aria-label': label });
  };
  const quantile = (share: number): string => `Span that ${share} % of the passes do not exceed. ${meaningOf('span of a pass')}`; // prettier-ignore
  const columns: TableColumn<Row>[] = [
    {
      ...{ title: 'Region', about: meaningOf('region'), cell: ({ region }) => region, before: toggle },
      link: ({ region }, text) => eventsLink(view, text, ofRange(region, [region])),
    },
    ...(several ? [{ title: 'Device', cell: ({ device }: Row) => String(device) }] : []),
    number('Passes', 'count', 'passes', { about: meaningOf('pass') }),
    number('Span, p50', 'ns', 'spanP50', { about: quantile(50) }),
    number('p90', 'ns', 'spanP90', { about: quantile(90) }),
    number('p99', 'ns', 'spanP99', { about: quantile(99) }),
    number('Busy', 'ns', 'busy', { about: meaningOf('busy') }),
    number('Idle', 'ns', 'idle', { about: meaningOf('idle of a step') }),
    number('Idle: launches', 'ns', 'idleHost', { about: meaningOf('launch-bound') }),
    number('Idle: queued', 'ns', 'idleQueue', { about: 'Idle time in gaps between queued kernels.' }),
    number('Exposed', 'ns', 'exposed', { about: meaningOf('exposed communication') }),
    number('MFU', 'share', 'mfu', { about: meaningOf('MFU') }),
    number('Pacing, p50', 'ns', 'iterationP50', {
      ...{ about: 'Median time from the start of a pass on the CPU to the start of the next.', isExtra: true },
    }),
    number('Span, total', 'ns', 'span', { about: meaningOf('span of a pass'), isExtra: true }),
    number('Kernels', 'count', 'kernels', { isExtra: true }),
    number('Collectives', 'count', 'collectives', { isExtra: true }),
  ];
  return withValues(columns, rows);
}

function shownOf({ region, device, bins }: Row, several: boolean): readonly [heading: HTMLElement, ...Node[]] {
  const heading = element('h3', { tabindex: -1, class: 'text annotation' }, several ? `${region}, device ${device}` : region); // prettier-ignore
  return [heading, section('Spans of its passes', histogramOfBins('span of a pass', bins, 180))];
}

const TOO_MANY = 'The annotations have too many passes for the page: dprof steps --by annotation --from MS --to MS shows a part of them.'; // prettier-ignore

function make(view: PanelView): PanelContent {
  const { regions } = view.profile;
  if (regions === null) return TOO_MANY;
  const rows = listed(regions.shown);
  const place = element('div', { class: 'annotation-detail' });
  const several = new Set(rows.map(({ device }) => device)).size > 1;
  const columns = columnsOf(view, rows, (row) => {
    const contents = shownOf(row, several);
    replaceContents(place, ...contents);
    contents[0].scrollIntoView({ block: 'nearest' });
    contents[0].focus({ preventScroll: true });
  });
  const [first] = rows;
  if (first !== undefined) replaceContents(place, ...shownOf(first, several));
  const sortedBy = columns.findIndex(({ title }) => title === 'Busy');
  const made = table({ caption: 'Regions', columns, rows, sortedBy });
  made.classList.add('with-toggles');
  const rest = regions.count - rows.length;
  const further = `${rest} more regions, those with the least busy time, are not on this page.`;
  return [
    made,
    place,
    ...(rest > 0 ? [note(further)] : []),
    note(
      'Times are sums over the passes. Regions may be nested, so they do not add up. For layers: dprof steps --by layer --histogram.',
    ),
  ];
}

export const REGIONS: Panel = {
  ...{ id: 'regions', title: 'Regions', width: 6, make },
  isFor: ({ profile: { regions } }) => regions === null || regions.shown.length > 0,
};
