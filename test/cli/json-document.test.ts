/** The JSON document of `-f json`: one envelope for every command, also when nothing can be answered. */
import { expect } from 'chai';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freshPath } from '../support/fresh-path.js';
import { runCli } from '../support/run-cli.js';
import { ROOT } from '../support/shared.js';

const at = (name: string): string => join(ROOT, 'samples', name);
const LENET = at('lenet.nsys.sqlite');
const TRACE = at('lenet.pt.trace.json.gz');

interface Document {
  readonly schema: string;
  readonly command: readonly string[];
  readonly inputs: readonly Readonly<Record<string, unknown>>[];
  readonly answer: readonly Readonly<Record<string, unknown>>[];
  readonly window: unknown;
  readonly doubts: readonly Readonly<Record<string, unknown>>[];
  readonly cannot: readonly Readonly<Record<string, unknown>>[];
  readonly leftOut: unknown;
}

const documentOf = (text: string): Document => JSON.parse(text) as Document;

describe('the document of -f json', () => {
  const commands: readonly (readonly [schema: string, ...args: string[]])[] = [
    ['kernels', LENET],
    ['kernels', '--sort', 'sil', '--top', '3', LENET],
    ['groups', '--by', 'op', LENET],
    ['host', '--by', 'api', LENET],
    ['summary', 'summary', LENET],
    ['steps', 'steps', TRACE],
    ['regions', 'steps', '--by', 'range', TRACE],
    ['critical-path', 'critical-path', TRACE],
    ['ranks', 'ranks', at('job')],
    ['sequences', 'sequences', LENET],
    ['overlap', 'overlap', LENET],
    ['queues', 'queues', LENET],
    ['queue-points', 'queues', '--points', '5', LENET],
    ['memory', 'memory', at('decoder.pt.trace.json.gz')],
    ['diff', 'diff', LENET, LENET],
    ['check', 'check', LENET],
    ['advise', 'advise', LENET],
    ['terms', 'terms', 'exposed'],
  ];
  for (const [schema, ...args] of commands)
    it(`holds the rows of -f jsonl: ${args.filter((word) => !word.startsWith('/')).join(' ') || 'dprof'}`, async () => {
      const [json, lines] = [
        await runCli('dprof', [...args, '-f', 'json']),
        await runCli('dprof', [...args, '-f', 'jsonl']),
      ];
      const document = documentOf(json.stdout);
      expect(json.stderr).to.equal(lines.stderr);
      expect(json.code).to.equal(lines.code);
      expect(document.schema).to.equal(`dprof/${schema}/1`);
      expect(document.command).to.deep.equal([...args, '-f', 'json']);
      const rows = lines.stdout.split('\n').filter((line) => line !== '' && !line.startsWith('{"doubts":'));
      expect(document.answer).to.deep.equal(rows.map((line) => JSON.parse(line) as unknown));
      // Each row on a line of its own.
      expect(json.stdout.split('\n').filter((line) => rows.includes(line.replace(/,$/, '')))).to.have.length(
        rows.length,
      );
    });

  it('names the input by its file, size, format and time', async () => {
    const { inputs } = documentOf((await runCli('dprof', ['summary', '-f', 'json', TRACE])).stdout);
    expect(inputs).to.have.length(1);
    expect(inputs[0]).to.include({ profile: 0, file: 'lenet.pt.trace.json.gz', format: 'kineto', rank: 0 });
    expect(inputs[0]?.['bytes']).to.equal(readFileSync(TRACE).length);
  });

  it('names the sides of a comparison', async () => {
    const { inputs } = documentOf((await runCli('dprof', ['diff', '-f', 'json', LENET, TRACE])).stdout);
    expect(inputs.map(({ side, format }) => [side, format])).to.deep.equal([
      ['base', 'nsight'],
      ['new', 'kineto'],
    ]);
  });

  it('has the chosen time under its own key', async () => {
    const { window, answer } = documentOf(
      (await runCli('dprof', ['summary', '-f', 'json', '--from', '0.1', '--to', '0.4', TRACE])).stdout,
    );
    expect(window).to.include({ from: 100_000, to: 400_000 });
    expect(answer).to.have.length(1);
  });

  it('has the reason of a refusal, with the exit code and the line on stderr', async () => {
    const { code, stdout, stderr } = await runCli('dprof', ['memory', '-f', 'json', LENET]);
    const { answer, cannot, inputs } = documentOf(stdout);
    expect([code, answer, inputs.length]).to.deep.equal([1, [], 1]);
    const wayOut = 'record them with nsys profile --cuda-memory-usage=true';
    expect(cannot).to.deep.equal([{ what: 'no memory samples', why: null, wayOut, input: LENET }]);
    expect(stderr).to.equal(`dprof: ${LENET}: no memory samples (${wayOut})\n`);
  });

  it('has the reason when an input does not exist, and nothing after wrong usage', async () => {
    const missing = await runCli('dprof', ['steps', '-f', 'json', 'none.sqlite']);
    expect(documentOf(missing.stdout).cannot).to.deep.equal([
      { what: 'no such file', why: null, wayOut: null, input: 'none.sqlite' },
    ]);
    expect(missing.code).to.equal(1);
    expect(await runCli('dprof', ['steps', '-f', 'json', '-c', 'nothing', LENET])).to.include({ code: 2, stdout: '' });
  });

  it('leaves OUT as it is when there is no answer', async () => {
    const out = freshPath('json');
    expect(await runCli('dprof', ['memory', '-f', 'json', '-o', out, LENET])).to.include({ code: 1, stdout: '' });
    expect(existsSync(out)).to.equal(false);
  });

  it('counts what a report could not compute', async () => {
    const { cannot } = documentOf((await runCli('dprof', ['-q', '-f', 'json', LENET])).stdout);
    expect(cannot).to.deep.equal([
      { what: '20 of 126 kernels with unknown FLOPs', why: null, wayOut: 'dprof --explain ID says why', input: null },
    ]);
  });

  it('is complete when its input stops in the middle of a line', async () => {
    const records = (await runCli('dparse', [LENET])).stdout;
    const path = freshPath('jsonl');
    writeFileSync(path, records.slice(0, records.length / 2));
    const { code, stdout } = await runCli('dprof', ['-q', '-f', 'json', path]);
    const { answer, cannot } = documentOf(stdout);
    expect(code).to.equal(1);
    expect(answer.length).to.be.above(20).and.below(126);
    expect(cannot.map(({ what }) => what).join('\n')).to.include('the part before was read');
  });

  it('is complete when a later input cannot be read', async () => {
    const records = (await runCli('dparse', [LENET])).stdout;
    const [good, bad] = [freshPath('jsonl'), freshPath('jsonl')];
    writeFileSync(good, records);
    writeFileSync(bad, '{"type":"profile","v":99,"profile":0}\n');
    const { code, stdout, stderr } = await runCli('dprof', ['-q', '-f', 'json', good, bad]);
    const { answer, cannot } = documentOf(stdout);
    expect(code).to.equal(1);
    // Kernels of the last op call wait for others of it.
    expect(answer.length).to.be.above(100);
    expect(cannot).to.have.length(1);
    expect(stderr).to.include(String(cannot[0]?.['what']));
  });
});
