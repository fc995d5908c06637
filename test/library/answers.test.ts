/** The answers of the library are those that the commands print with `-f json`, of paths and of records. */
import { expect } from 'chai';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  advise,
  check,
  chooseColumns,
  criticalPath,
  diff,
  kernels,
  memory,
  open,
  overlap,
  queues,
  ranks,
  sequences,
  steps,
  summary,
  UserError,
} from '../../src/index.js';
import { rowObject } from '../../src/table/column.js';
import { freshPath } from '../support/fresh-path.js';
import { runCli } from '../support/run-cli.js';
import { ROOT } from '../support/shared.js';

const sample = (name: string): string => join(ROOT, 'samples', name);
const NSIGHT = sample('lenet.nsys.sqlite');
const NVPROF = sample('lenet.nvprof.sql');
const TRACE = sample('lenet.pt.trace.json.gz');
const JOB = sample('job');
const ASCEND = sample('ascend_pytorch_profiler_0.db');

/** The lines of an answer, without the one about losses and doubts. */
async function printed(...args: readonly string[]): Promise<unknown[]> {
  const { stdout } = await runCli('dprof', [...args, '-q', '-f', 'jsonl']);
  return stdout
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('{"doubts":'))
    .map((line) => JSON.parse(line) as unknown);
}

/** An answer as JSON has it: numbers that are not finite are null. */
const asJson = (answer: unknown): unknown => JSON.parse(JSON.stringify(answer));

const lineOf = (answer: Promise<unknown>): Promise<string> =>
  answer.then(
    () => 'no error',
    (error: unknown) => (error instanceof UserError ? error.line : String(error)),
  );

describe('answers of the library', () => {
  for (const path of [NSIGHT, TRACE, ASCEND, sample('attention.ntff')]) {
    it(`are those of the commands: ${path.slice(ROOT.length + 1)}`, async () => {
      expect(asJson(await summary(path))).to.deep.equal(await printed('summary', path));
      expect(asJson(await steps(path))).to.deep.equal(await printed('steps', path));
      expect(asJson(await advise(path))).to.deep.equal(await printed('advise', path));
    });
  }

  for (const path of [NSIGHT, TRACE, sample('decoder.pt.trace.json.gz')]) {
    it(`are those of the commands, for parts of the time too: ${path.slice(ROOT.length + 1)}`, async () => {
      expect(asJson(await check(path))).to.deep.equal(await printed('check', path));
      expect(asJson(await criticalPath(path))).to.deep.equal(await printed('critical-path', path));
      expect(asJson(await overlap(path))).to.deep.equal(await printed('overlap', path));
      expect(asJson(await queues(path))).to.deep.equal(await printed('queues', path));
      expect(asJson(await sequences(path))).to.deep.equal(await printed('sequences', path));
      expect(asJson(await steps(path, { by: 'step' }))).to.deep.equal(await printed('steps', '--by', 'step', path));
    });
  }

  it('are those of the commands for the ranks of a job', async () => {
    expect([asJson(await ranks(JOB))]).to.deep.equal(await printed('ranks', JOB));
  });

  it('are the same of records, with the ranges that an answer needs', async () => {
    const records = (): ReturnType<typeof open> => open(NSIGHT, { ranges: true });
    expect(await summary(await records())).to.deep.equal(await summary(NSIGHT));
    expect(await steps(await records())).to.deep.equal(await steps(NSIGHT));
    expect(await advise(await records())).to.deep.equal(await advise(NSIGHT));
  });

  it('have memory over time', async () => {
    for (const path of [ASCEND, sample('attention.neuron.json')]) {
      expect(asJson(await memory(path))).to.deep.equal(await printed('memory', path));
      expect(asJson(await memory(await open(path)))).to.deep.equal(await printed('memory', path));
    }
    expect(asJson(await memory(ASCEND, { points: 4 }))).to.deep.equal(await printed('memory', '--points', '4', ASCEND));
  });

  it('have all kernels with their columns, also the last', async () => {
    const keys = 'idx,op,dir,sil,flops,bytes,tc';
    const columns = chooseColumns(keys);
    for (const input of [NSIGHT, await open(NSIGHT)]) {
      const rows: unknown[] = [];
      for await (const row of kernels(input)) rows.push(rowObject(columns, row));
      expect(rows).to.deep.equal(await printed('-c', keys, NSIGHT));
    }
    for await (const { record } of kernels(NSIGHT)) {
      expect(record.id).to.equal(1);
      break;
    }
  });

  it('compare two inputs, and judge conditions', async () => {
    expect(asJson(await diff(NSIGHT, NVPROF))).to.deep.equal(await printed('diff', NSIGHT, NVPROF));
    expect(asJson(await diff(await open(NSIGHT), await open(NVPROF)))).to.deep.equal(
      (await printed('diff', NSIGHT, NVPROF)).map(withHeading('BASE records', 'NEW records')),
    );
    const options = { by: ['kernel', 'dir'], top: 3, minEffect: 0.05, failIf: ['total>+5%', 'op:none>+1%'] };
    const args = ['--by', 'kernel,dir', '--top', '3', '--min-effect', '5%', '--fail-if', 'total>+5%', '--fail-if', 'op:none>+1%']; // prettier-ignore
    const judged = await diff(NSIGHT, NVPROF, options);
    expect(asJson(judged)).to.deep.equal(await printed('diff', ...args, NSIGHT, NVPROF));
    expect(judged.flatMap((line) => (line.row === 'condition' ? [line.met] : []))).to.deep.equal([false, null]);
    expect(asJson(await diff(NSIGHT, NVPROF, { by: 'tree' }))).to.deep.equal(
      await printed('diff', '--by', 'tree', NSIGHT, NVPROF),
    );
    const missing = await diff(NSIGHT, 'none.json', { failIf: ['total>+5%'] });
    expect(asJson(missing)).to.deep.equal(await printed('diff', '--fail-if', 'total>+5%', NSIGHT, 'none.json'));
  });

  it('take the options of their commands', async () => {
    expect(asJson(await summary(NSIGHT, { top: 2, device: 'H100 SXM' }))).to.deep.equal(
      await printed('summary', '--top', '2', '--peaks', 'H100 SXM', NSIGHT),
    );
    expect(
      asJson(await advise(TRACE, { top: 2, rules: ['copies', 'fp32-product'], minShare: 0, all: true })),
    ).to.deep.equal(
      await printed('advise', '--top', '2', '--rule', 'copies,fp32-product', '--min-share', '0', '--all', TRACE),
    );
  });

  it('take the options of the commands about parts of the time', async () => {
    const same = async (answer: Promise<unknown>, ...args: readonly string[]): Promise<void> => {
      expect(asJson(await answer)).to.deep.equal(await printed(...args));
    };
    await same(steps(NSIGHT, { by: 'range', device: 'H100 SXM' }), 'steps', '--by', 'range', '--peaks', 'H100 SXM', NSIGHT); // prettier-ignore
    await same(check(NSIGHT, { device: 'H100 SXM' }), 'check', '--peaks', 'H100 SXM', NSIGHT);
    await same(overlap(NSIGHT, { by: 'category' }), 'overlap', '--by', 'category', NSIGHT);
    await same(queues(NSIGHT, { points: 3 }), 'queues', '--points', '3', NSIGHT);
    const options = { by: ['op', 'dir'], kernels: 2, where: 'op!=relu', top: 3 };
    await same(sequences(NSIGHT, options), 'sequences', '--by', 'op,dir', '-k', '2', '--where', 'op!=relu', '--top', '3', NSIGHT); // prettier-ignore
    const changes = { steps: [1], whatIf: ['launch: 0'] };
    await same(criticalPath(NSIGHT, changes), 'critical-path', '--step', '1', '--what-if', 'launch: 0', NSIGHT);
    expect(await lineOf(steps(NSIGHT, { by: 'ranges' }))).to.match(/^unknown kind of region 'ranges'/);
    expect(await lineOf(sequences(NSIGHT, { kernels: 9 }))).to.equal('kernels is a whole number from 2 to 8, not 9');
  });

  it('are of partial answers too', async () => {
    const part = freshPath('.part');
    await runCli('dprof', ['partial', '-q', NSIGHT, '-o', part]);
    expect(asJson(await summary(part))).to.deep.equal(await printed('summary', part));
    expect(await steps(await open(part))).to.deep.equal(await steps(NSIGHT));
  });

  it('say in one line what cannot be answered', async () => {
    const counts = 'is a whole number of at least';
    const cases: [() => Promise<unknown>, string][] = [
      [() => summary('none.json'), 'none.json: no such file'],
      [() => memory(NSIGHT), `${NSIGHT}: no memory samples (record them with nsys profile --cuda-memory-usage=true)`],
      [
        () => diff(NSIGHT, JOB),
        `${JOB}: holds 4 profiles (give one of them, or the records of all: dparse ${JOB} > FILE)`,
      ],
      [() => diff(NSIGHT, NVPROF, { by: ['opp'] }), "unknown column 'opp' (did you mean op?)"],
      [() => summary(NSIGHT, { device: 'H10' }), "unknown device 'H10' (did you mean 'H100 PCIe' or 'H100 NVL' or 'H100 SXM'?)"], // prettier-ignore
      [() => summary(NSIGHT, { top: 0 }), `top ${counts} 1, not 0`],
      [() => memory(TRACE, { points: 3 }), `points ${counts} 4, not 3`],
      [() => advise(TRACE, { minShare: 2 }), 'minShare is a number from 0 to 1, not 2'],
      [() => diff(NSIGHT, NVPROF, { minEffect: -1 }), 'minEffect is a number from 0 to 1, not -1'],
      [() => diff(NSIGHT, NVPROF, { minSamples: 0 }), `minSamples ${counts} 1, not 0`],
      [() => summary(sample('neuron-summary.json')), `${sample('neuron-summary.json')}: only vendor metrics, no activities (dprof summary -f json has them)`], // prettier-ignore
    ];
    for (const [answer, line] of cases) expect(await lineOf(answer())).to.equal(line);
  });

  it('have notes on what is left out', async () => {
    const notes: string[] = [];
    await ranks([TRACE, TRACE], { onNote: (line) => notes.push(line) });
    const { stderr } = await runCli('dprof', ['ranks', '-f', 'jsonl', TRACE, TRACE]);
    expect(notes.map((line) => `dprof: ${line}\n`).join('')).to.equal(stderr);
    const { stdout } = await runCli('dparse', ['-q', TRACE]);
    const path = freshPath('.dict');
    writeFileSync(path, stdout.replace(/.*\n$/, ''));
    const errors: string[] = [];
    await summary(path, { onError: ({ line }) => errors.push(line) });
    expect(errors).to.deep.equal([`${path}: the records are cut off: a profile has no end; the part before was read`]);
  });
});

/** The comparison with other names of its inputs. */
const withHeading =
  (...names: readonly string[]) =>
  (line: unknown): unknown => {
    const { heading, ...others } = line as { readonly heading?: readonly string[] };
    if (heading === undefined) return line;
    const named = heading.map((text, i) => (names[i] === undefined ? text : text.replace(/^\w+ \S+/, names[i])));
    return { ...others, heading: named };
  };
