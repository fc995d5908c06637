/** Folders of records: taken as folders of profiles are, by whatever name the files have. */
import { expect } from 'chai';
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { findInputs } from '../../src/cli/commands/job/find-inputs.js';
import { freshPath } from '../support/fresh-path.js';
import { kernel } from '../support/kernels.js';
import { dataIn } from '../support/pages.js';
import { neuronLines } from '../support/neuron.js';
import { runCli, type Ran } from '../support/run-cli.js';
import { itSlow } from '../support/sets.js';
import { ROOT } from '../support/shared.js';
import { profile } from '../support/trace-events.js';

/** Two ranks of the sample's job, and its truth, which is not a profile. */
const JOB = join(freshPath('-job'), 'job');
const RANKS = ['rank_0.pt.trace.json.gz', 'rank_1.pt.trace.json.gz'];
mkdirSync(JOB, { recursive: true });
for (const name of [...RANKS, 'truth.json']) copyFileSync(join(ROOT, 'samples/job', name), join(JOB, name));

const NET_DICT = "{'kShortName': 'k', 'kLongName': 'k', 'kDuration': 5, 'device': 0, 'stream': 7}\n";

function folderOf(files: Readonly<Record<string, string | Buffer>>): string {
  const folder = freshPath('-records');
  mkdirSync(folder);
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
  return folder;
}

const recordsOf = async (...files: readonly string[]): Promise<string> =>
  (await runCli('dparse', ['-q', ...files])).stdout;

/** The text that the folder's name is in, without it. */
const without = (folder: string, { code, stdout, stderr }: Ran) => ({
  ...{ code, stdout: stdout.replaceAll(folder, 'FOLDER'), stderr: stderr.replaceAll(folder, 'FOLDER') },
});

/** Commands that take several FILEs, with an option for what else would differ by the names of the inputs. */
const OF_SEVERAL: readonly (readonly string[])[] = [
  ...[
    ['-f', 'csv'],
    ['--by', 'rank,op', '-f', 'csv'],
    ['summary', '-f', 'jsonl'],
    ['steps', '-f', 'csv'],
  ],
  ...[['stacks', '-f', 'csv'], ['advise', '-f', 'jsonl'], ['partial'], ['perfetto', '-f', 'chrome-json']],
  ['sql', '-f', 'csv', 'select rank, count(*) n, sum(dur) s from kernel group by all order by all'],
];

describe('a folder of several profiles', () => {
  const files = RANKS.map((name) => join(JOB, name));

  for (const args of OF_SEVERAL) {
    // Commands read folders by the same code.
    const test = ['-f', 'advise', 'sql'].includes(args[0] ?? '') ? it : itSlow;
    test(`stands for each of them: dprof ${args.join(' ').slice(0, 30)}`, async () => {
      const ofFiles = await runCli('dprof', [...args, '-q', ...files]);
      expect([ofFiles.code, ofFiles.stderr]).to.deep.equal([0, '']);
      const ofFolder = await runCli('dprof', [...args, '-q', JOB]);
      // Commands of the advice name an only input; records of `truth.json` there are none.
      const named = ofFolder.stdout.replaceAll(JOB, 'FILE').replaceAll(/\bjob\b/g, 'FILE');
      expect([ofFolder.code, ofFolder.stderr]).to.deep.equal([0, '']);
      expect(named).to.equal(ofFiles.stdout.replaceAll(/\bjob\b/g, 'FILE'));
    });
  }

  it('is a page of all of them', async () => {
    const { code, stdout } = await runCli('dprof', ['html', '-q', JOB]);
    expect(code).to.equal(0);
    const { title, profiles, job } = dataIn(stdout);
    expect([title, profiles.length, job?.ranks.length]).to.deep.equal(['job', RANKS.length, RANKS.length]);
  });
});

describe('a folder of records', () => {
  const profiles = join(JOB);
  let records: Readonly<Record<string, string>> = {};
  before(async () => {
    const texts: Record<string, string> = {};
    for (const name of RANKS) texts[name.replace('.json.gz', '.jsonl')] = await recordsOf(join(profiles, name));
    records = texts;
  });

  it('is answered as one of their profiles', async () => {
    const whole = Object.entries(records);
    const mixed = whole.map(([name, text], i): [string, string | Buffer] =>
      i % 2 === 0 ? [`sub/${i}/${name}`, text] : [`${name}.gz`, gzipSync(text)],
    );
    const expected = await runCli('dprof', ['ranks', '-q', profiles]);
    expect(expected.code).to.equal(0);
    for (const files of [whole, mixed]) {
      const folder = folderOf(Object.fromEntries(files));
      const found = await runCli('dprof', ['ranks', '-q', folder]);
      expect(without(folder, found)).to.deep.equal(without(profiles, expected));
    }
  });

  it('may hold other files as well', async () => {
    const folder = folderOf({
      ...records,
      'notes.txt': 'nothing\n',
      'config.json': '{"type":"module"}\n',
      'empty.csv': '',
    });
    const found = await runCli('dprof', ['ranks', '-q', folder]);
    expect(without(folder, found)).to.deep.equal(without(profiles, await runCli('dprof', ['ranks', '-q', profiles])));
  });

  it('that has profiles as well is one of profiles: records beside them may be theirs', async () => {
    const folder = folderOf({ ...records, 'more/net.dict': NET_DICT });
    for (const name of RANKS) copyFileSync(join(profiles, name), join(folder, name));
    const expected = await runCli('dprof', ['ranks', '-q', profiles]);
    const found = await runCli('dprof', ['ranks', folder]);
    expect([found.code, found.stdout.replaceAll(folder, '')]).to.deep.equal([
      0,
      expected.stdout.replaceAll(profiles, ''),
    ]);
    expect(found.stderr).to.match(
      new RegExp(`^dprof: ${folder}: ${RANKS.length + 1} record files skipped [^\\n]*\\n$`),
    );
    const quiet = await runCli('dprof', ['ranks', '-q', folder]);
    expect([quiet.code, quiet.stderr]).to.deep.equal([0, '']);
  });

  it('of which one is cut off is read up to there, and the file is named', async () => {
    const [first = '', ...others] = Object.keys(records);
    const text = records[first] ?? '';
    const folder = folderOf({
      ...Object.fromEntries(others.map((name) => [name, records[name] ?? ''])),
      [first]: text.slice(0, text.length / 2),
    });
    const { code, stdout, stderr } = await runCli('dprof', ['ranks', '-q', folder]);
    expect(code).to.equal(1);
    expect(stderr)
      .to.include(join(folder, first))
      .and.match(/^dprof: [^\n]*: broken record: it is cut off; the part before was read \([^\n]*\)\n$/);
    expect(stdout).to.match(new RegExp(`of ${RANKS.length} ranks|${RANKS.length} ranks|ranks 0-${RANKS.length - 1}`));
  });

  it('of which one has a broken line is read without the rest of it, and the line is named', async () => {
    const [first = ''] = Object.keys(records);
    const broken = (records[first] ?? '').replace('\n{"type":"kernel"', '\n{"type":"kernel",}\n{"type":"kernel"');
    const folder = folderOf({ ...records, [first]: broken });
    const { code, stdout, stderr } = await runCli('dprof', ['ranks', '-q', folder]);
    expect(code).to.equal(1);
    expect(stderr).to.match(/^dprof: [^\n]*\.jsonl:\d+: [^\n]*\n$/);
    expect(stdout).not.to.equal('');
  });

  it('with one file is that file, for every command', async () => {
    const [[first, text] = ['', '']] = Object.entries(records);
    const folder = folderOf({ [`sub/${first}`]: text, 'notes.txt': 'nothing\n' });
    for (const args of [['summary'], ['--by', 'op'], ['advise'], ['steps'], ['--csv']]) {
      const ofFile = await runCli('dprof', [...args, '-q', join(folder, 'sub', first)]);
      const ofFolder = await runCli('dprof', [...args, '-q', folder]);
      expect(ofFolder.stdout.replaceAll(folder, ''), args.join(' ')).to.equal(
        ofFile.stdout.replaceAll(join(folder, 'sub', first), ''),
      );
      expect([ofFolder.code, ofFolder.stderr]).to.deep.equal([0, '']);
    }
  });

  it('of PyProf and of dprof partial counts too', async () => {
    const dict = folderOf({ 'net.dict': NET_DICT });
    const { code, stdout } = await runCli('dprof', ['-q', '-f', 'csv', '-c', 'kernel,sil', dict]);
    expect([code, stdout]).to.deep.equal([0, 'Kernel,Sil(ns)\nk,5\n']);
    const parts = folderOf({});
    for (const name of RANKS)
      await runCli('dprof', ['partial', '-q', join(profiles, name), '-o', join(parts, `${name}.part`)]);
    const found = await runCli('dprof', ['ranks', '-q', parts]);
    expect(without(parts, found)).to.deep.equal(without(profiles, await runCli('dprof', ['ranks', '-q', profiles])));
  });

  it('makes the tasks of a job', async () => {
    const folder = folderOf({ ...records, 'notes.txt': 'nothing\n' });
    const names = Object.keys(records).map((name) => join(folder, name));
    expect((await findInputs([folder], freshPath('-job'))).tasks.map(({ path }) => path)).to.deep.equal(names);
    const [trace = ''] = RANKS;
    copyFileSync(join(profiles, trace), join(folder, trace));
    const found = await findInputs([folder], freshPath('-job'));
    expect(found.tasks.map(({ path }) => path)).to.deep.equal([join(folder, trace)]);
  });

  it('is refused where one profile is asked for and there are several inputs, or none', async () => {
    const lines = neuronLines([profile(), kernel()]);
    const several = folderOf({ 'a.jsonl': lines, 'b.jsonl': lines });
    const many = await runCli('dprof', ['diff', several, several]);
    expect(many).to.include({ code: 1, stdout: '' });
    expect(many.stderr).to.match(/^dprof: [^\n]*: holds 2 record files \(give one of them, such as [^\n]*\)\n$/);
    for (const [files, reason] of [
      [{}, 'folder is empty'],
      [{ 'a.txt': 'nothing\n', 'b.jsonl': '' }, 'no profile in 2 files'],
    ] as const) {
      const none = await runCli('dprof', ['ranks', folderOf(files)]);
      expect(none).to.include({ code: 1, stdout: '' });
      expect(none.stderr)
        .to.include(reason)
        .and.match(/^[^\n]*\n$/);
    }
  });

  it('beside other inputs keeps profiles apart', async () => {
    const lines = neuronLines([profile(), kernel(), { type: 'end', profile: 0, counts: {}, diagnostics: {} }]);
    const folder = folderOf({ 'a.jsonl': lines });
    const { code, stdout } = await runCli('dprof', ['-q', '--by', 'profile', '-f', 'csv', '-c', 'count', folder, join(folder, 'a.jsonl'), folder]); // prettier-ignore
    expect(code).to.equal(0);
    expect(stdout.trim().split('\n').slice(1).sort()).to.deep.equal(['0,1', '1,1', '2,1']);
  });
});
