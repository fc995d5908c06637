/** The page's program: reads the data in the page, and shows it. */
import { showDashboard } from './dashboard.js';
import { element } from './document/dom-elements.js';
import { loadOutline } from './profile-loading.js';
import type { JobIndex, ListedJob } from '../prof/html/job/job-data.js';
import { themeButton } from './document/theme.js';
import { table, type TableColumn } from './figures/sorted-table.js';

/** `2026-11-28 13:47` in UTC, which also sorts correctly as text. */
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

function showIndex(root: HTMLElement, { tool, title, jobs }: JobIndex): void {
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
    element('footer', {}, `Written by ${tool.name} ${tool.version}. Its links lead to files next to it.`),
  );
}

interface TrustedTypes {
  readonly createPolicy: (name: 'default', rules: Readonly<Record<'createHTML' | 'createScript', Rule>>) => unknown;
}

/** Returns the text if it is allowed, else null. */
type Rule = (text: string) => string | null;

/**
 * Sets a trusted types policy that forbids markup. Libraries may set the empty string to empty elements. Browsers without
 * trusted types ignore it.
 * @param held the only script that may be run
 */
function forbidMarkup(held: string): void {
  const { trustedTypes } = globalThis as { readonly trustedTypes?: TrustedTypes };
  trustedTypes?.createPolicy('default', {
    createHTML: (text) => (text === '' ? '' : null),
    createScript: (text) => (text === held ? text : null),
  });
}

async function show(root: HTMLElement): Promise<void> {
  const data = await loadOutline();
  if ('jobs' in data) {
    const page = element('div', { id: 'page' });
    root.replaceWith(page);
    showIndex(page, data);
    return;
  }
  // The dashboard has its own header and main part.
  const page = element('div', { id: 'page' });
  root.replaceWith(page);
  await showDashboard(page, data);
  // From here on the page responds; other profiles and pieces of timelines follow after this program.
  performance.mark('ready');
}

forbidMarkup(document.getElementById('charts')?.textContent ?? '');
const root = document.getElementById('page');
if (root !== null) void show(root);
