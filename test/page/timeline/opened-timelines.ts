/** A timeline alone on a page, opened in a browser. */
import { expect } from 'chai';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { rolldown } from 'rolldown';
import { freshFolder } from '../../support/fresh-path.js';
import type { Timeline } from '../../../src/prof/html/timeline/timeline-data.js';
import type { OpenFile } from '../../support/browser.js';
import { ROOT } from '../../support/shared.js';
import { simple } from './on-screen.js';

const ENTRY = `
import { loadEvents } from ${JSON.stringify(join(ROOT, 'src/page/timeline/events/events.ts'))};
import { loadExtras } from ${JSON.stringify(join(ROOT, 'src/page/timeline/tracks/load-tracks.ts'))};
import { showTimeline } from ${JSON.stringify(join(ROOT, 'src/page/timeline/timeline.ts'))};
const data = JSON.parse(document.getElementById('data').textContent);
const load = async () => {
  const events = await loadEvents(data);
  return { events, extras: await loadExtras(data, events) };
};
const shown = showTimeline(document.getElementById('page'), load, { file: 'net.jsonl' });
shown.ready.then(() => document.body.dataset.ready = 'yes');
globalThis.closeTimeline = shown.close;
`;

async function bundled(entry: string, folder: string): Promise<string> {
  const path = join(folder, 'entry.ts');
  writeFileSync(path, entry);
  const bundle = await rolldown({ input: path, platform: 'browser', logLevel: 'warn' });
  const { output } = await bundle.generate({ format: 'iife' });
  await bundle.close();
  return output[0].code;
}

const stylesOf = (): string => readFileSync(join(ROOT, 'src/page/timeline/timeline.css'), 'utf8');

interface OpenedTimelines {
  /** Of the pages. */
  readonly folder: string;
  /** @param fragment of the address */
  readonly openSimple: (
    fragment?: string,
    timeline?: Timeline,
  ) => Promise<{ readonly page: Page; readonly complaints: readonly string[] }>;
}

/** To be called once for the tests of a `describe`: prepares before them, and cleans up after them. */
export function opensTimelines(open: OpenFile): OpenedTimelines {
  const folder = freshFolder();
  let script = '';
  const write = (name: string, timeline: Timeline): string => {
    const json = JSON.stringify(timeline).replaceAll('<', '\\u003c');
    const path = join(folder, `${name}.html`);
    writeFileSync(
      path,
      `<!doctype html><meta charset="utf-8"><style>${stylesOf()}</style><body><div id="page"></div>` +
        `<script type="application/json" id="data">${json}</script><script>${script}</script>`,
    );
    return path;
  };
  const openSimple: OpenedTimelines['openSimple'] = async (fragment = '', timeline = simple()) => {
    const { page, complaints, requests } = await open(
      write('simple', timeline),
      { viewport: { width: 1200, height: 900 } },
      fragment,
    );
    await page.waitForSelector('body[data-ready]');
    expect(requests).to.have.length(1);
    return { page, complaints };
  };

  before(async () => {
    script = await bundled(ENTRY, folder);
  });
  return { folder, openSimple };
}
