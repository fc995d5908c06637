/** Files of a folder that are not read as profiles of their own: what is said of them. */
import { expect } from 'chai';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import Database from 'better-sqlite3';
import { freshPath } from '../support/fresh-path.js';
import { NsightDatabase } from '../support/nsight-database.js';
import { runCli, type Ran } from '../support/run-cli.js';

/** A trace with one kernel of 2 us. */
const trace = (name = 'k'): string =>
  `{"schemaVersion":1,"traceEvents":[{"ph":"X","cat":"kernel","name":"${name}","pid":0,"tid":7,"ts":1,"dur":2,` +
  '"args":{"device":0,"stream":7,"correlation":1}}]}\n';

function folderOf(files: Readonly<Record<string, Buffer | string>>): string {
  const folder = freshPath('-leavings');
  mkdirSync(folder);
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
  return folder;
}

const kernelsOf = ({ stdout }: Ran): number => stdout.split('\n').filter((line) => line.startsWith('{"type":"kernel"')).length; // prettier-ignore

/** Kernels of a folder by `dprof summary`, and what is said. */
async function summaryOf(folder: string): Promise<unknown[]> {
  const { code, stdout, stderr } = await runCli('dprof', ['summary', '-f', 'jsonl', folder]);
  const profiles = stdout.trim().split('\n').map((line) => JSON.parse(line) as { kernels: { count: number } }); // prettier-ignore
  return [code, profiles.map(({ kernels }) => kernels.count), stderr];
}

describe('a folder with a trace beside its compressed copy', () => {
  const LEFT_OUT = '1 compressed copy left out, whose original is next to it: trace.json.gz';

  it('has the trace once, which is said', async () => {
    const folder = folderOf({ 'trace.json': trace(), 'trace.json.gz': gzipSync(trace()) });
    for (const input of [folder, join(folder, '*')]) {
      const parsed = await runCli('dparse', [input]);
      expect([parsed.code, kernelsOf(parsed)]).to.deep.equal([0, 1]);
      expect(parsed.stderr).to.match(new RegExp(`^dparse: [^\\n]*trace\\.json: 1 kernel[^\\n]*\\ndparse: [^\\n]*: ${LEFT_OUT}\\n$`)); // prettier-ignore
    }
    expect(await summaryOf(folder)).to.deep.equal([0, [1], `dprof: ${folder}: ${LEFT_OUT}\n`]);
    // A command that takes one profile takes the folder.
    expect((await runCli('dprof', ['-q', '-c', 'kernel', folder])).code).to.equal(0);
  });

  it('has the trace once where the copy has several members, or bytes behind', async () => {
    const [all, more] = [trace(), trace('l')];
    const members = Buffer.concat([gzipSync(all.slice(0, 50)), gzipSync(all.slice(50))]);
    const padded = Buffer.concat([gzipSync(all), Buffer.alloc(512)]);
    for (const packed of [members, padded]) {
      const ran = await runCli('dparse', [folderOf({ 'trace.json': all, 'trace.json.gz': packed })]);
      expect([ran.code, kernelsOf(ran)]).to.deep.equal([0, 1]);
      expect(ran.stderr).to.include(LEFT_OUT);
      // Of one size, but another kernel.
      const both = await runCli('dparse', [folderOf({ 'trace.json': more, 'trace.json.gz': packed })]);
      expect([both.code, kernelsOf(both)]).to.deep.equal([0, 2]);
    }
  });

  it('has both where they differ in size, in content, or in name', async () => {
    const files = { 'a.json': trace(), 'a.json.gz': gzipSync(trace('longer')), 'b.json.gz': gzipSync(trace()) };
    const ofOneSize = { 'c.json': trace('k'), 'c.json.gz': gzipSync(trace('l')) };
    const ran = await runCli('dparse', [folderOf({ ...files, ...ofOneSize })]);
    expect([ran.code, kernelsOf(ran)]).to.deep.equal([0, 5]);
    expect(ran.stderr).not.to.include('left out');
  });

  it('has records once too', async () => {
    const { stdout } = await runCli('dparse', [join(folderOf({ 'a.json': trace() }), 'a.json')]);
    const folder = folderOf({ 'a.jsonl': stdout, 'a.jsonl.gz': gzipSync(stdout), 'b.jsonl': stdout, 'b.jsonl.gz': gzipSync(stdout) }); // prettier-ignore
    const said = '2 compressed copies left out, whose originals are next to them: a.jsonl.gz and 1 more';
    expect(await summaryOf(folder)).to.deep.equal([0, [1, 1], `dprof: ${folder}: ${said}\n`]);
  });
});

describe('a folder with a file that has the extension of its profile', () => {
  const otherDatabase = (): Buffer => {
    const path = freshPath('.db');
    new Database(path).exec('CREATE TABLE a (b)').close();
    return readFileSync(path);
  };
  const database = (): Buffer => readFileSync(new NsightDatabase().launch(1, []).write());
  const broken = async (files: Readonly<Record<string, Buffer | string>>): Promise<[unknown, number, string[]]> => {
    const ran = await runCli('dparse', [folderOf(files)]);
    const lines = ran.stderr.split('\n').filter((line) => line.startsWith('dparse: ') && !line.includes(' kernel'));
    return [ran.code, kernelsOf(ran), lines.map((line) => line.replace(/ \(.*/, '').replace(/.*\//, ''))];
  };

  it('names it where it is empty, cut off, or not what the extension says', async () => {
    for (const [profile, name, content, said] of [
      ['a.sqlite', 'b.sqlite', '', 'file is empty'],
      ['a.sqlite', 'b.sqlite', 'x'.repeat(500), 'is text'],
      ['a.sqlite', 'b.sqlite.gz', gzipSync('x'.repeat(500)), 'is text'],
      ['a.db', 'b.db', 'x'.repeat(500), 'is text'],
      ['a.sql', 'other.sql', '', 'file is empty'],
      ['a.sqlite', 'b.nsys-rep', '', 'file is empty'],
      ['a.sqlite', 'b.ncu-rep', 'xyz', 'is text'],
    ] as const)
      expect(await broken({ [profile]: database(), [name]: content }), name).to.deep.equal([
        1,
        1,
        [`${name}: ${said}`],
      ]);
    for (const [name, content, said] of [
      ['other.json', '', 'file is empty'],
      ['other.json.gz', '', 'file is empty'],
      ['other.json', 'lr: 0.1', 'is text'],
      ['other.json', '{"lr": 0.1\n', 'is JSON without "traceEvents"'],
    ] as const)
      expect(await broken({ 'a.json': trace(), [name]: content }), name).to.deep.equal([1, 1, [`${name}: ${said}`]]);
  });

  it('names it among records, too', async () => {
    const { stdout } = await runCli('dparse', [join(folderOf({ 'a.json': trace() }), 'a.json')]);
    const folder = folderOf({ 'a.jsonl': stdout, 'other.jsonl': '' });
    const { code, stderr } = await runCli('dprof', ['summary', folder]);
    expect([code, stderr.includes('other.jsonl: ')]).to.deep.equal([1, true]);
  });

  it('passes it over where it holds something else, or has another extension', async () => {
    const others = {
      'settings.json': '{"lr": 0.1}\n',
      'other.json': '{}',
      'notes.txt': '',
      'b.sqlite': otherDatabase(),
      'empty.csv': '',
    };
    expect(await broken({ 'a.json': trace(), 'a.sqlite': database(), ...others })).to.deep.equal([0, 2, []]);
  });
});

describe('a folder with JSON of other data beside a trace', () => {
  const OTHERS = '2 JSON files skipped, not profiles: 1.json and 1 more';
  const files = { '0.json': trace(), '1.json': '{"lr": 0.1}', '2.json': '[1, 2]' };

  it('has the trace, and counts the others', async () => {
    const folder = folderOf(files);
    const { code, stderr, ...ran } = await runCli('dparse', [folder]);
    expect([code, kernelsOf({ code, stderr, ...ran })]).to.deep.equal([0, 1]);
    expect(stderr).to.match(new RegExp(`^dparse: [^\\n]*0\\.json: 1 kernel[^\\n]*\\ndparse: [^\\n]*: ${OTHERS}\\n$`));
    expect(await summaryOf(folder)).to.deep.equal([0, [1], `dprof: ${folder}: ${OTHERS}\n`]);
  });

  it('names that of a rank', async () => {
    const ran = await runCli('dparse', [folderOf({ 'rank_0.json': trace(), 'rank_1.json': '{"error": "no space"}' })]);
    expect([ran.code, kernelsOf(ran)]).to.deep.equal([1, 1]);
    expect(ran.stderr).to.include('rank_1.json: ');
  });

  it('counts one that is compressed, beside a trace that is not, and the other way round', async () => {
    const packed = gzipSync('{"lr": 0.1}');
    for (const others of [
      { '0.json': trace(), '1.json.gz': packed },
      { '0.json.gz': gzipSync(trace()), '1.json': '{"lr": 0.1}' },
    ]) {
      const ran = await runCli('dparse', [folderOf(others)]);
      expect([ran.code, kernelsOf(ran)]).to.deep.equal([0, 1]);
      expect(ran.stderr).to.match(/: 1 JSON file skipped, not a profile: 1\.json(\.gz)?\n$/);
    }
  });

  it('names what may be a profile: by its name, damaged, or no JSON', async () => {
    for (const [name, content] of [
      ['1.pt.trace.json', '{"lr": 0.1}'],
      ['trace_view.json', '{"lr": 0.1}'],
      ['3.json', '{"lr": 0.1'],
      ['3.json', 'lr: 0.1'],
      ['3.json', ''],
      ['3.json', '{}'],
      ['3.json', '[]'],
      // Of one kind whatever they are compressed by.
      ['3.json.gz', gzipSync('lr: 0.1')],
      ['3.json.zst', Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0])],
    ] as const) {
      const ran = await runCli('dparse', [folderOf({ ...files, [name]: content })]);
      expect([ran.code, kernelsOf(ran)], name).to.deep.equal([1, 1]);
      expect(ran.stderr).to.include(`${name}: `).and.to.include(OTHERS);
    }
  });
});
