/** `dprof html --index`: a page that lists other pages, and jobs. */
import { expect } from 'chai';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { JobIndex } from '../../src/prof/html/job/job-data.js';
import type { ProfileLine } from '../../src/record/record.js';
import { describeInBrowser } from '../support/browser.js';
import { freshFolder } from '../support/fresh-path.js';
import { kernel } from '../support/kernels.js';
import { neuronLines } from '../support/neuron.js';
import { runCli } from '../support/run-cli.js';
import { ROOT } from '../support/shared.js';

const HOSTILE = `<b>"x" & 'y'#1?.html`;

const written = (path: string, text: string): void => {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
};

/** A page of one rank: two kernels of 100 ns in a span of 400 ns. */
async function writePage(path: string, rank: number, startUnixNs: string | null, title: string): Promise<void> {
  const records: ProfileLine[] = [
    {
      ...{
        type: 'profile',
        v: 1,
        profile: 0,
        format: 'kineto',
        tool: null,
        file: 'r.json',
        rank,
        startUnixNs,
        dur: null,
      },
      devices: [],
    },
    kernel({ start: 1000, dur: 100, id: 1 }),
    kernel({ start: 1300, dur: 100, id: 2 }),
    { type: 'end', profile: 0, counts: {}, diagnostics: {} },
  ];
  mkdirSync(dirname(path), { recursive: true });
  const ran = await runCli('dprof', ['html', '-q', '-o', path, '--title', title], { input: neuronLines(records) });
  expect(ran).to.include({ code: 0, stderr: '' });
}

/** A rank of a job: busy for a quarter of 400 ns, steps of 80 ns, the second rank's of 120 ns. */
const summaryOf = (rank: number): object => ({
  profile: rank,
  header: { rank, startUnixNs: '1700000000000000000' },
  devices: [{ name: 'H100', busy: 100, span: 400 }],
  steps: { host: rank === 0 ? { median: 80 } : null, device: { median: 120 } },
});

function writeJob(folder: string, lines: readonly unknown[]): void {
  written(join(folder, 'tasks.jsonl'), '');
  written(join(folder, 'report/ranks.txt'), 'ranks\n');
  written(join(folder, 'report/summary.json'), lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
}

const index = (...args: string[]) => runCli('dprof', ['html', '--index', ...args]);

function listIn(path: string): JobIndex {
  const [, text = ''] = /id="data">(.*?)<\/script>/s.exec(readFileSync(path, 'utf8')) ?? [];
  return JSON.parse(text) as JobIndex;
}

const isBuilt = existsSync(join(ROOT, 'dist/page/report.js'));
const folder = freshFolder();
const list = join(folder, 'index.html');

async function writeAll(): Promise<void> {
  await writePage(join(folder, 'old.html'), 3, '1600000000000000000', 'old <i>run</i>');
  await writePage(join(folder, 'in a', HOSTILE), 0, null, 'no time');
  writeJob(join(folder, 'jobs/one'), [summaryOf(0), summaryOf(1), { doubts: [] }]);
}

(isBuilt ? describe : describe.skip)('dprof html --index', () => {
  before(writeAll);

  it('lists pages and jobs, newest first, with links relative to itself', async () => {
    // The second time its own file stands there.
    for (let i = 0; i < 2; i++) expect(await index('-o', list, folder)).to.include({ code: 0, stderr: '', stdout: '' });
    expect(listIn(list).jobs).to.deep.equal([
      {
        ...{ title: 'one', when: 1_700_000_000_000, profiles: 2, ranks: 2, devices: 2, deviceNames: ['H100'] },
        // The mean of the medians of both ranks; 200 of 800.
        ...{ step: 100, busy: 0.25, href: 'jobs/one/report/ranks.txt', path: 'jobs/one' },
      },
      {
        ...{ title: 'old <i>run</i>', when: 1_600_000_000_000, profiles: 1, ranks: 1, devices: 1, deviceNames: [] },
        ...{ step: null, busy: 0.5, href: 'old.html', path: 'old.html' },
      },
      {
        ...{ title: 'no time', when: null, profiles: 1, ranks: 1, devices: 1, deviceNames: [], step: null, busy: 0.5 },
        ...{ href: "in%20a/%3Cb%3E%22x%22%20%26%20'y'%231%3F.html", path: `in a/${HOSTILE}` },
      },
    ]);
  });

  it('counts files other than its pages, and names jobs that cannot be read', async () => {
    const other = freshFolder();
    written(join(other, 'x.html'), '<html>');
    written(join(other, 'y.htm'), '<script type="application/json" id="card">{"title":1}</script>');
    for (const [name, lines] of [
      ['bad', ['text']],
      ['none', []],
    ] as const)
      writeJob(join(other, name), lines);
    const { code, stderr } = await index('-o', join(other, 'index.html'), other);
    expect(code).to.equal(1);
    for (const name of ['bad', 'none'])
      expect(stderr).to.include(`${join(other, name)}: its report/summary.json cannot`);
    expect(stderr).to.include('no dprof html pages and no dprof job folders found');
    const both = await index('-o', join(other, 'index.html'), other, join(folder, 'old.html'));
    expect(both.code).to.equal(0);
    expect(both.stderr).to.include('2 HTML files left out');
    expect(listIn(join(other, 'index.html')).jobs.map(({ title }) => title)).to.deep.equal(['old <i>run</i>']);
  });

  it('refuses what it cannot mean, and to replace a page that it lists', async () => {
    expect(await index('--step', '3', '-o', list, folder)).to.include({ code: 2 });
    expect((await index('-o', list, join(folder, 'missing'))).stderr).to.include('missing');
    const page = join(folder, 'old.html');
    const before = readFileSync(page, 'utf8');
    const { code, stderr } = await index('-o', page, join(folder, 'in a'));
    expect({ code, stderr }).to.deep.equal({
      code: 1,
      stderr: `dprof: ${page}: is a profile page: not overwriting it with a list (choose another name for -o)\n`,
    });
    expect(readFileSync(page, 'utf8')).to.equal(before);
  });
});

describeInBrowser('a list of jobs', (open) => {
  it('is a table that can be sorted, with links that lead to the reports', async () => {
    await writeAll();
    await index('-o', list, folder);
    const { page, complaints } = await open(list);
    const titles = (): Promise<string[]> => page.locator('tbody tr td:first-child, tbody tr th').allInnerTexts();
    expect(await titles()).to.deep.equal(['one', 'old <i>run</i>', 'no time']);
    await page.getByRole('button', { name: 'Job', exact: true }).click();
    expect(await titles()).to.not.deep.equal(['one', 'old <i>run</i>', 'no time']);
    await page.getByRole('link', { name: 'no time' }).click();
    await page.locator('[data-panel="verdict"]').waitFor();
    expect(complaints).to.deep.equal([]);
  });
});
