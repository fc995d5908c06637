/** A page that lists jobs, each with a link to its report. */
import type { JobIndex, ListedJob } from '../prof/html/job/job-data.js';
import { element } from './document/dom-elements.js';
import { themeButton } from './document/theme.js';
import { table, type TableColumn } from './figures/sorted-table.js';

/** `2026-11-28 13:47` in UTC, so that it sorts as text. */
const momentText = (ms: number): string => new Date(ms).toISOString().slice(0, 16).replace('T', ' ');

const COLUMNS: readonly TableColumn<ListedJob>[] = [
  {
    title: 'Job',
    cell: ({ title }) => title,
    link: ({ href }, text) => element('a', { href }, text),
  },
  { title: 'When (UTC)', cell: ({ when }) => (when === null ? null : momentText(when)) },
  { title: 'Profiles', unit: 'count', cell: ({ profiles }) => profiles },
  { title: 'Ranks', unit: 'count', cell: ({ ranks }) => ranks },
  { title: 'Devices', unit: 'count', cell: ({ devices }) => devices },
  { title: 'Device', cell: ({ deviceNames }) => (deviceNames.length === 0 ? null : deviceNames.join(', ')) },
  { title: 'Step, median', unit: 'ns', cell: ({ step }) => step },
  { title: 'Busy', unit: 'share', cell: ({ busy }) => busy, bar: ({ busy }) => busy },
  { title: 'Report', cell: ({ path }) => path },
];

const MOST_AT_FIRST = 100;

export function showIndex(root: HTMLElement, { tool, title, jobs }: JobIndex): void {
  const list = table({ caption: 'Jobs', columns: COLUMNS, rows: jobs, sortedBy: null, most: MOST_AT_FIRST });
  const panel = element('section', { class: 'panel wide-6', 'data-panel': 'jobs' }, element('h2', {}, 'Jobs'), list);
  root.replaceChildren(
    element(
      'header',
      {},
      element('div', { class: 'titles' }, element('h1', {}, title)),
      element('div', { class: 'controls' }, themeButton()),
    ),
    element('main', { id: 'main' }, element('div', { class: 'panels' }, panel)),
    element('footer', {}, `Written by ${tool.name} ${tool.version}. Its links lead to the files beside it.`),
  );
}
