/** Pages and traces of several ranks: how long they take to write, how large they are, how soon a page is there. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { findBrowser, startBrowser } from '../../test/support/browser.js';
import { table } from '../report.js';
import { jobOf, writeRecords } from './simulated-ranks.js';
import { dprof, type Stage } from './stages.js';

/** Of each page so many times; the middle one counts. */
const TIMES = 3;

/** ms from the navigation until the program is done, so that the page answers; null without a browser. */
async function readyMs(path: string): Promise<number | null> {
  const found = findBrowser();
  if (found === null) return null;
  const browser = await startBrowser(found);
  const times: number[] = [];
  try {
    for (let i = 0; i < TIMES; i++) {
      const context = await browser.newContext({ offline: true, viewport: { width: 1280, height: 900 } });
      const page = await context.newPage();
      await page.goto(pathToFileURL(path).href, { waitUntil: 'load' });
      times.push(await page.evaluate<number>(`performance.getEntriesByName("ready")[0].startTime`));
      await context.close();
    }
  } finally {
    await browser.close();
  }
  return times.sort((a, b) => a - b)[Math.floor(TIMES / 2)] ?? null;
}

const rowOf = (name: string, { seconds, peakBytes }: Stage, path: string, ready: number | null): string[] => [
  ...[name, seconds.toFixed(1), (peakBytes / 1e6).toFixed(0), (statSync(path).size / 1e6).toFixed(1)],
  ready === null ? 'na' : (ready / 1000).toFixed(2),
];

/** @param sizes numbers of ranks */
export async function pagesTable(folder: string, sizes: readonly number[]): Promise<string> {
  const rows: string[][] = [['', 'seconds', 'peak MB', 'MB', 'ready s']];
  for (const ranks of sizes) {
    const job = jobOf(ranks);
    const files = job.ranks.map(({ rank }) => join(folder, `rank_${rank}.jsonl`));
    for (const [rank, path] of files.entries()) writeRecords(job, rank, path);
    const [page, trace] = [join(folder, 'page.html'), join(folder, 'job.pftrace')];
    const written = await dprof(folder, 'html', '-q', ...files, '-o', page);
    rows.push(rowOf(`html, ${ranks} ranks`, written, page, await readyMs(page)));
    const chosen = ['--align', 'job', '--steps', '2-3'];
    const traced = await dprof(folder, 'perfetto', '-q', ...chosen, ...files, '-o', trace);
    rows.push(rowOf(`perfetto, ${ranks} ranks, 2 steps`, traced, trace, null));
    process.stderr.write(`pages of ${ranks} ranks done\n`);
  }
  return table(rows);
}
