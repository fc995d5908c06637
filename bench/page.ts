/**
 * How soon the page of `dprof html` is there, and how smoothly its timeline moves: in a headless Chromium, which CHROME_PATH
 * names or which is found in its usual places, each in turn with a page that has nothing but a heading.
 *
 *   npm run build && npm run bench page                          1,000, 100,000 and 1,000,000 kernels in 1, 10 and 100 steps
 *                                                                of one rank, and in 10 steps of 8 ranks together
 *   npm run bench page -- --kernels 50000 --steps 10 my.dict     the records of another profile, repeated
 *
 * The page is that which dprof writes by default: the timeline opens at the step of median length. Each profile has a
 * curve of its device's memory beside its kernels.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { findBrowser, startBrowser } from '../test/support/browser.js';
import { built, fromRoot } from './built-tools.js';
import { turnsOf, turnsTable } from './page/turns.js';
import { writeRepeatedRecords } from './repeat-records.js';
import { temporaryFolder } from './measure.js';

const SAMPLE = 'samples/lenet.pt.trace.json.gz';
/** Of several ranks. */
const STEPS_OF_RANKS = 10;
/** Values of the memory in each copy of the profile. */
const SAMPLES = 32;

interface Job {
  /** Of all ranks together. */
  readonly kernels: number;
  readonly steps: number;
  readonly ranks: number;
}

const { values, positionals } = parseArgs({
  options: {
    kernels: { type: 'string', multiple: true, default: ['1000', '100000', '1000000'] },
    steps: { type: 'string', multiple: true, default: ['1', '10', '100'] },
    ranks: { type: 'string', default: '8' },
  },
  allowPositionals: true,
});

function recordsOf(input: string): string {
  if (/\.(dict|jsonl)$/.test(input)) return readFileSync(input, 'utf8');
  const args = [fromRoot('bin/dparse.js'), '-q', '--ranges', input];
  return execFileSync(process.execPath, args, { encoding: 'utf8', maxBuffer: 2 ** 29 });
}

const jobs: readonly Job[] = values.kernels
  .map(Number)
  .flatMap((kernels) => [
    ...values.steps.map((steps) => ({ kernels, steps: Number(steps), ranks: 1 })),
    { kernels, steps: STEPS_OF_RANKS, ranks: Number(values.ranks) },
  ]);

/** Writes a page of the job, and no more than the page. */
function writePage({ kernels, steps, ranks }: Job, text: string, folder: string): string {
  const page = join(folder, 'page.html');
  const files = Array.from({ length: ranks }, (_, rank) => join(folder, `rank_${rank}.jsonl`));
  for (const [rank, path] of files.entries()) {
    const of = ranks === 1 ? {} : { rank: { rank, worldSize: ranks } };
    writeRepeatedRecords(text, kernels / ranks, path, { steps, samples: SAMPLES, ...of });
  }
  execFileSync(process.execPath, [fromRoot('bin/dprof.js'), 'html', '-q', '-o', page, ...files]);
  for (const path of files) rmSync(path);
  return page;
}

const nameOf = ({ kernels, steps, ranks }: Job): string =>
  `${kernels} kernels, ${steps} steps${ranks === 1 ? '' : `, ${ranks} ranks`}`;

const found = findBrowser();
if (found === null) throw new Error('no Chromium found; CHROME_PATH names one');
if (!built()) throw new Error('the tools are not built: npm run build');
const folder = temporaryFolder();
const browser = await startBrowser(found);
try {
  const text = recordsOf(positionals[0] ?? fromRoot(SAMPLE));
  const heading = join(folder, 'heading.html');
  writeFileSync(
    heading,
    `<!doctype html><meta charset="utf-8"><h1>dprof</h1><script>performance.mark('ready')</script>`,
  );
  const turns = new Map<string, Awaited<ReturnType<typeof turnsOf>>>();
  for (const job of jobs) {
    turns.set(nameOf(job), await turnsOf(browser, writePage(job, text, folder), heading));
    process.stderr.write(`${nameOf(job)} done\n`);
  }
  process.stdout.write(`\n${browser.version()}, Node ${process.versions.node}\n\n${turnsTable(turns)}\n`);
} finally {
  await browser.close();
}
