import { expect } from 'chai';
import {
  copyFileSync,
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pageProgram } from '../../src/cli/commands/html.js';
import type { KernelRecord, ProfileLine } from '../../src/record/record.js';
import { kernel } from '../support/kernels.js';
import { neuronLines } from '../support/neuron.js';
import { arrowsOf, contentsIn, dataIn, eventsOf, piecesOf, shownFirst } from '../support/pages.js';
import { runCli } from '../support/run-cli.js';
import { ROOT } from '../support/shared.js';

const profile = (number: number, rank: number): ProfileLine => ({
  ...{ type: 'profile', v: 1, profile: number, format: 'kineto', tool: null, file: `rank${rank}.json`, rank },
  ...{ startUnixNs: null, dur: null, devices: [] },
});
const at = (start: number, dur: number, fields: Partial<KernelRecord> = {}): KernelRecord =>
  kernel({ start, dur, launch: { api: 'cudaLaunchKernel', start: start - 50, dur: 10 }, ...fields });
const RECORDS = [
  profile(0, 3),
  { type: 'range', profile: 0, start: 900, dur: 2000, pid: 10, tid: 100, domain: null, text: 'ProfilerStep#1' },
  at(1000, 200, { id: 1, step: 1, layer: ['net', 'conv'] }),
  at(1500, 100, { id: 2, step: 1, layer: ['net'] }),
  at(4000, 250, { id: 3, step: 2, layer: ['net'] }),
] as const satisfies readonly ProfileLine[];

/** Each profile with its end, as dparse writes them. */
const complete = (records: readonly ProfileLine[]): ProfileLine[] =>
  records.flatMap((record, i) => {
    const next = records[i + 1];
    if (records[0]?.type !== 'profile' || (next !== undefined && next.type !== 'profile')) return [record];
    return [record, { type: 'end', profile: record.profile, counts: {}, diagnostics: {} }];
  });

const html = (records: readonly ProfileLine[] | string, ...args: string[]) =>
  runCli('dprof', ['html', ...args], { input: typeof records === 'string' ? records : neuronLines(complete(records)) });

/** The page of a run that went well. */
async function dataOf(records: readonly ProfileLine[], ...args: string[]) {
  const { stdout, stderr, code } = await html(records, ...args);
  expect({ stderr, code }).to.deep.equal({ stderr: '', code: 0 });
  return contentsIn(stdout);
}

const isBuilt = existsSync(join(ROOT, 'dist/page/report.js'));

/** Tests of pages need the page's program, which `npm run build` bundles. */
(isBuilt ? describe : describe.skip)('dprof html', () => {
  let folder = '';
  before(() => (folder = mkdtempSync(join(tmpdir(), 'dprof-html-'))));
  after(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  it('is called by the folder of the profiles, not by a file in it', async () => {
    for (const place of ['ascend_pt', 'ascend_pt/ASCEND_PROFILER_OUTPUT', 'job']) {
      const { title } = (await dataOf([], join(ROOT, 'samples', place))).data;
      expect(title).to.equal(place.split('/')[0]);
    }
  });

  it('is called by the run and the file, if the profiler uses the same names in every run', async () => {
    const trace = join(ROOT, 'samples/ascend_pt/ASCEND_PROFILER_OUTPUT/trace_view.json');
    const copy = join(folder, 'trace_view.json');
    copyFileSync(trace, copy);
    const names = [trace, copy].map(async (path) => {
      const { title, profiles } = (await dataOf([], path)).data;
      return [title, profiles[0]?.overview.header?.file];
    });
    expect(await Promise.all(names)).to.deep.equal([
      ['ascend_pt/trace_view.json', 'ascend_pt/trace_view.json'],
      ['trace_view.json', 'trace_view.json'],
    ]);
  });

  it('draws no critical path where nothing has one, and says so in one line', async () => {
    const page = join(folder, 'monitor.html');
    const { code, stderr } = await runCli('dprof', ['html', '--critical-path', '-o', page, join(ROOT, 'samples/neuron-monitor.jsonl')]); // prettier-ignore
    expect(code).to.equal(0);
    expect(stderr).to.match(/^dprof: .*: no device activity and no CPU ranges; no critical path is drawn\n/);
    expect(readFileSync(page, 'utf8')).to.include('<title>');
  });

  it('writes a page with the data of all panels', async () => {
    const contents = await dataOf(RECORDS);
    const { v, tool, title, profiles } = contents.data;
    expect({ v, name: tool.name, title }).to.deep.equal({ v: 1, name: 'dprof', title: 'rank3.json' });
    const [page, ...others] = profiles;
    expect(others).to.have.length(0);
    if (page === undefined) expect.fail();
    expect(page.overview.header).to.include({ file: 'rank3.json', rank: 3 });
    expect(page.kernels.shown).to.have.length(1);
    expect(page.kernels.shown[0]).to.deep.include({ name: 'k', count: 3, time: 550, max: 250, min: 100, tc: null });
    expect(page.kernels.shown[0]?.launch).to.deep.include({
      grid: { extent: [2, 1, 1], different: 1 },
      registers: null,
    });
    expect(page.ops).to.include({ time: 550, restTime: 0 });
    expect(page.layers.shown.map(({ path, time, own }) => [path.join('/'), time, own])).to.deep.equal([
      ['net', 550, 350],
      ['net/conv', 200, 200],
    ]);
    expect(page.annotations.shown.map(({ text, samples }) => [text, samples])).to.deep.equal([
      // Steps 1 and 2.
      ['net', [300, 250]],
      ['conv', [200]],
    ]);
    // From the first range at 900 to the end of step 2.
    expect(shownFirst(contents)).to.include({ what: 'whole profile', start: 900, end: 4250 });
  });

  it('shows the step that is asked for, with ranges and arrows', async () => {
    const timeline = shownFirst(await dataOf(RECORDS, '--step', '1', '--title', 'My <net>'));
    expect(timeline.what).to.equal('step 1');
    expect(eventsOf(timeline).map(({ kind }) => kind)).to.deep.equal(['range', 'launch', 'kernel', 'launch', 'kernel']);
    expect(arrowsOf(timeline)).to.have.length(2);
  });

  it('shows a time, and no more events than asked for', async () => {
    const given = ['--from', '0.0014', '--to', '0.01'];
    expect(shownFirst(await dataOf(RECORDS, ...given))).to.include({
      what: '0.001 to 0.004 ms',
      events: 5,
      start: 1400,
    });
    const [pieces = []] = piecesOf(await dataOf(RECORDS, ...given, '--events', '1'));
    for (const piece of pieces.slice(1)) expect(piece?.events ?? 0).to.be.at.most(1);
    expect(pieces[0]?.events).to.equal(7);
  });

  it('makes one page of several ranks', async () => {
    const second = [profile(1, 4), at(1000, 70, { profile: 1 })];
    const { profiles } = (await dataOf([...RECORDS, ...second])).data;
    expect(profiles.map(({ overview }) => overview.header?.rank)).to.deep.equal([3, 4]);
    expect(profiles.map(({ kernels }) => kernels.shown[0]?.time)).to.deep.equal([550, 70]);
  });

  it('is called by the folder that is one profile, and not by the file in it', async () => {
    const { stdout, code } = await runCli('dprof', ['html', '-q', 'samples/ascend_pt/']);
    expect({ title: contentsIn(stdout).data.title, code }).to.deep.equal({ title: 'ascend_pt', code: 0 });
  });

  it('reads a profile itself, with the ranges of the host', async () => {
    const path = join(folder, 'lenet.html');
    const { stdout, stderr, code } = await runCli('dprof', ['html', '-q', '-o', path, 'samples/lenet.nsys.sqlite']);
    expect({ stdout, stderr, code }).to.deep.equal({ stdout: '', stderr: '', code: 0 });
    const contents = contentsIn(readFileSync(path, 'utf8'));
    expect(contents.data.title).to.equal('lenet.nsys.sqlite');
    const kinds = new Set(eventsOf(shownFirst(contents)).map(({ kind }) => kind));
    expect([...kinds]).to.include.members(['kernel', 'launch', 'range']);
  });

  it('takes hostile names for names', async () => {
    const name = '</script><script>alert(1)</script><!--\u2028=cmd()';
    const { stdout } = await html([profile(0, 0), at(100, 5, { name, short: name, layer: [name], ranges: [name] })]);
    // Its row of a list, the library of charts, the only profile, the data, the program, the tables and the only piece.
    expect(stdout.match(/<script/gi)).to.have.length(7);
    const contents = contentsIn(stdout);
    const [page] = contents.data.profiles;
    const shown = name.replace('\u2028', String.raw`\u2028`);
    expect(page?.kernels.shown[0]?.name).to.equal(shown);
    expect(page?.layers.shown[0]?.path).to.deep.equal([shown]);
    expect(shownFirst(contents).texts).to.include(shown);
  });

  it('makes a page of one kernel, of work without launches or steps, and of a clock that jumps', async () => {
    const one = await dataOf([kernel({ start: 0, dur: 0, launch: null })]);
    expect(shownFirst(one)).to.include({ what: 'whole profile', events: 1 });
    expect(one.data.profiles[0]?.utilisation.host).to.equal(null);
    const jumping = await html([at(5000, 10), at(9e15, 10), at(100, 10), at(9e15 + 5, 10)]);
    expect(jumping.code).to.equal(0);
    expect(jumping.stderr).to.equal(
      'dprof: 1 record around which utilisation is too low: not in order of start time\n',
    );
    const { utilisation } = dataIn(jumping.stdout).profiles[0] ?? expect.fail();
    for (const { busy } of utilisation.devices) {
      expect(busy.length).to.be.within(1, 1000);
      expect(busy.every((part) => part >= 0 && part <= 1)).to.equal(true);
    }
  });

  type Answer = readonly [input: readonly ProfileLine[] | string, args: readonly string[], answer: RegExp];

  async function expectAnswers(code: number, answers: readonly Answer[]): Promise<void> {
    for (const [input, args, answer] of answers) {
      const ran = await html(input, ...args);
      expect(ran.stderr, args.join(' ')).to.match(answer);
      expect(ran).to.include({ stdout: '', code });
    }
  }

  it('says which steps there are, and when nothing ran', () =>
    expectAnswers(1, [
      [RECORDS, ['--step', '7'], /^dprof: stdin: no step 7: there are 2, from 1 to 2\n$/],
      [[at(100, 5)], ['--step', '7'], /^dprof: stdin: no step 7: the records have no steps\n$/],
      [RECORDS, ['--from', '5'], /^dprof: stdin: nothing ran between --from and --to\n$/],
    ]));

  it('answers records of which nothing can be shown', () =>
    expectAnswers(1, [
      [
        [profile(0, 0)],
        [],
        /^dprof: stdin: nothing to show: no kernels, no ranges, no samples \(dparse --ranges .*\)\n$/,
      ],
      [
        "{'kShortName': 'k', 'kDuration': 5, 'device': 0}\n",
        [],
        /^dprof: stdin: no record has both a start .*net\.dict/,
      ],
      ['', [], /^dprof: stdin: is empty/],
    ]));

  it('answers an output that cannot be written, and leaves nothing behind', async () => {
    await expectAnswers(1, [
      [RECORDS, ['-o', join(folder, 'none/x.html')], /^dprof: .*none\/x\.html: cannot write: [^\n]+\n$/],
      [RECORDS, ['-o', folder], /^dprof: .*: is a directory [^\n]+\n$/],
    ]);
    expect(readdirSync(folder).filter((name) => name.endsWith('.part'))).to.deep.equal([]);
  });

  it('looks whether it can write before it reads', async () => {
    const report = join(folder, 'kept.html');
    writeFileSync(report, 'of yesterday');
    // The input is no records at all: what is said first was found first.
    const broken = 'no record\n';
    await expectAnswers(1, [
      [broken, ['-o', join(folder, 'none/x.html')], /none\/x\.html: cannot write: no such file or directory\n$/],
      [broken, ['-o', join(report, 'x.html')], /x\.html: cannot write: a part of the path is not a directory\n$/],
      [broken, ['-o', folder], /^dprof: .*: is a directory \(-o takes a file\)\n$/],
      [broken, ['-o', report], /^dprof: stdin:1: not a record/],
    ]);
    if (process.getuid?.() !== 0) {
      chmodSync(report, 0o444);
      await expectAnswers(1, [[broken, ['-o', report], /kept\.html: cannot write: permission denied\n$/]]);
    }
    expect(readFileSync(report, 'utf8')).to.equal('of yesterday');
  });

  it('leaves the report of before when its input is cut off, or is the report itself', async () => {
    const [report, cut, whole] = ['before.html', 'cut.dict', 'whole.dict'].map((name) => join(folder, name)) as [string, string, string]; // prettier-ignore
    const text = neuronLines(complete(RECORDS));
    writeFileSync(report, 'of yesterday');
    writeFileSync(cut, text.slice(0, -100));
    writeFileSync(whole, text);
    await expectAnswers(1, [
      ['', ['-o', report, cut], /^dprof: .*cut\.dict:\d+: broken record: it is cut off; .*before\.html is unchanged/],
      [
        '',
        ['-o', report, whole, cut],
        /^dprof: .*cut\.dict:\d+: broken record: it is cut off; .*before\.html is unchanged/,
      ],
      ['', ['-o', report, whole, join(folder, 'gone.dict')], /gone\.dict: no such file\n$/],
      ['', ['-o', whole, cut, whole], /whole\.dict: is the input/],
    ]);
    expect(readFileSync(report, 'utf8')).to.equal('of yesterday');
    expect(readFileSync(whole, 'utf8')).to.equal(text);
    expect(readdirSync(folder).filter((name) => name.endsWith('.part'))).to.deep.equal([]);
  });

  it('makes one page of several files, whose profiles all have the number 0', async () => {
    const [first, second] = ['rank3.dict', 'rank4.dict'].map((name) => join(folder, name)) as [string, string];
    writeFileSync(first, neuronLines(complete(RECORDS)));
    writeFileSync(second, neuronLines(complete([profile(0, 4), at(1000, 70)])));
    const { title, profiles } = (await dataOf([], first, second)).data;
    expect(title).to.equal('rank3.dict and 1 more');
    expect(profiles.map(({ overview }) => [overview.profile, overview.header?.rank])).to.deep.equal([[0, 3], [1, 4]]); // prettier-ignore
    expect(profiles.map(({ kernels }) => kernels.shown[0]?.time)).to.deep.equal([550, 70]);
    // Joined by `cat` they are the same.
    const { data: joined } = await dataOf([...RECORDS, profile(0, 4), at(1000, 70)]);
    expect(joined.profiles).to.deep.equal(profiles);
  });

  it('has the roofs of the device that is given, for every device of the profile', async () => {
    const records = [0, 1].map((device) => at(1000 + device, 200, { id: device + 1, device }));
    const { data } = await dataOf([profile(0, 0), ...records], '--peaks', 'B200');
    const given = data.profiles[0]?.roofline.roofs.map(({ device, name, origin }) => ({ device, name, origin }));
    expect(given).to.deep.equal([0, 1].map((device) => ({ device, name: 'B200', origin: 'given' })));
  });

  it('draws the reports of a monitor', async () => {
    const alone = await runCli('dprof', ['html', '-q', 'samples/neuron-monitor.jsonl']);
    expect(alone.code).to.equal(0);
    expect(dataIn(alone.stdout).profiles[0]?.monitor?.reports).to.be.above(0);
    // Several hosts, or a profile beside, make one page.
    const both = await runCli('dprof', ['html', '-q', 'samples/neuron-monitor.jsonl', 'samples/lenet.nsys.sqlite']);
    expect(both.code).to.equal(0);
    expect(dataIn(both.stdout).profiles.map(({ monitor }) => monitor !== null)).to.deep.equal([true, false]);
  });

  it('answers arguments that cannot be meant', () =>
    expectAnswers(2, [
      [RECORDS, ['--from', 'x'], /^dprof: --from takes milliseconds, not 'x'/],
      [RECORDS, ['--step', '1', '--to', '2'], /^dprof: --step cannot be combined with --from or --to/],
      [RECORDS, ['--from', '2', '--to', '1'], /^dprof: --from must be before --to/],
      [RECORDS, ['--events', '9000000'], /^dprof: --events must be at most 3000000/],
      [RECORDS, ['--format', 'json'], /^dprof: unknown option --format/],
      [RECORDS, ['-', '-'], /^dprof: stdin \(-\) can be read only once/],
    ]));
});

describe('program of a page', () => {
  it('is missed in one clear line', () => {
    const folder = mkdtempSync(join(tmpdir(), 'dprof-package-'));
    writeFileSync(join(folder, 'package.json'), '{}');
    try {
      expect(() => pageProgram(folder)).to.throw('the page scripts are missing');
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
