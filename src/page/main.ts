/** The page's program: reads the data that the page holds, and shows it. */
import { showDashboard } from './dashboard.js';
import { element } from './document/dom-elements.js';
import { forbidMarkup } from './document/no-markup.js';
import { showIndex } from './job-index.js';
import { loadOutline } from './profile-loading.js';

async function show(root: HTMLElement): Promise<void> {
  const data = await loadOutline();
  if ('jobs' in data) {
    const page = element('div', { id: 'page' });
    root.replaceWith(page);
    showIndex(page, data);
    return;
  }
  // The dashboard has a header and a main part of its own.
  const page = element('div', { id: 'page' });
  root.replaceWith(page);
  await showDashboard(page, data);
  // From here on the page answers: other profiles and pieces of timelines come after this program.
  performance.mark('ready');
}

forbidMarkup(document.getElementById('charts')?.textContent ?? '');
const root = document.getElementById('page');
if (root !== null) void show(root);
