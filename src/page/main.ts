/** The page's program: reads the data that the page holds, and shows it. */
import type { PageData } from '../prof/html/page-data.js';
import { showDashboard } from './dashboard.js';
import { element } from './document/dom-elements.js';
import { forbidMarkup } from './document/no-markup.js';

forbidMarkup(document.getElementById('charts')?.textContent ?? '');
const holder = document.getElementById('data');
const root = document.getElementById('page');
if (holder !== null && root !== null) {
  const data = JSON.parse(holder.textContent) as PageData;
  // The text may have many megabytes, and is not needed after parsing.
  holder.remove();
  // The dashboard has a header and a main part of its own.
  const page = element('div', { id: 'page' });
  root.replaceWith(page);
  showDashboard(page, data);
  // From here on the page answers: pieces of timelines come after this program.
  performance.mark('ready');
}
