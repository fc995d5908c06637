import { expect } from 'chai';
import { writeFileSync } from 'node:fs';
import { freshPath } from '../support/fresh-path.js';
import { kernel } from '../support/kernels.js';
import { runCli } from '../support/run-cli.js';
import { itSlow } from '../support/sets.js';

const MANY = 130_000;
const texts = (): string[] => Array.from({ length: MANY }, (_, i) => `t${i}`);
const numbers = (): number[] => Array.from({ length: MANY }, (_, i) => i);
/** Objects take ten times as long as lists. */
const keys = (): string[] => texts().slice(0, 20_000);
const call = (args: readonly unknown[], op = 'mm'): object => ({ mod: 'torch', op, args });
const tensor = (more: object): object => ({ name: '', type: 'tensor', shape: [2, 2], dtype: 'float32', ...more });

const MM = { mod: ['torch'], op: ['mm'] };

/** Kernels, and other records, with lists of more entries than a call of a function takes arguments. */
const RECORDS: Readonly<Record<string, () => readonly object[]>> = {
  'around a kernel': () => {
    const around = { layer: texts(), trace: texts(), ranges: texts(), callerRanges: texts(), mod: texts(), op: texts() };
    const ids = { seqMarker: texts(), seq: numbers(), altSeq: numbers(), callIds: numbers(), callKernels: numbers() };
    const counters = Object.fromEntries(keys().map((name, i) => [name, i]));
    const labels = Object.fromEntries(keys().map((name) => [name, name]));
    return [
      { ...kernel({ start: 100, ...around, repr: texts() }), counters, labels },
      kernel({ id: 2, start: 200, ...MM, ...ids, dir: 'bprop' }),
      kernel({ id: 3, start: 300, ...MM, ...ids }),
      { type: 'sample', profile: 0, start: 1, device: 0, metric: 'execution_errors_total', value: 1, unit: 'count', labels: { report: 1, ...labels } },
      { type: 'collective', profile: 0, name: 'all', op: 'all_reduce', kind: 'all_reduce', bytes: 4, dtype: 'f', group: 'g', ranks: numbers(), start: 1, dur: 2, device: 0 },
    ];
  },
  'of calls and their arguments': () => [
    { ...kernel({ start: 100, ...MM }), calls: Array.from({ length: MANY }, () => call([])) },
    ...['add', 'cat'].map((op, i) => ({
      ...kernel({ id: i + 2, start: 100 * i, mod: ['torch'], op: [op] }),
      calls: [call(Array.from({ length: MANY }, () => tensor({})), op)],
    })),
  ],
  'of extents and values': () =>
    ['add', 'sum'].map((op, i) => ({
      ...kernel({ id: i + 1, start: 100 * i, mod: ['torch'], op: [op] }),
      calls: [
        call([tensor({ shape: numbers(), strides: numbers() }), { name: '', type: 'list', value: numbers() }], op),
      ],
    })),
}; // prettier-ignore

/** The profile line, with long lists of its own or without. */
const header = (isLong: boolean): object => ({
  ...{ type: 'profile', v: 1, profile: 0, format: 'nsight', tool: null, file: 'net', rank: null, startUnixNs: null },
  ...{ dur: null, devices: isLong ? numbers().map((id) => ({ id, vendor: 'nvidia', name: 'A100' })) : [] },
  ...(isLong ? { facts: Object.fromEntries(keys().map((name) => [name, name])) } : {}),
});

const TABLE = ['-f', 'table', '-c', 'idx,layer,op,kernel,params,trace,flops,bytes'];

const ANSWERS: readonly (readonly string[])[] = [
  TABLE,
  ['--by', 'layer,op', '--tree'],
  ['--explain', '1'],
  ['summary'],
  ['steps'],
  ['stacks'],
  ['advise'],
  ['monitor', '-f', 'prometheus'],
  ['html', '-o', freshPath('.html')],
  ['perfetto', '-o', freshPath('.pftrace')],
];

/** Arguments of calls reach no command but by the one work of a kernel. */
const OF_CALLS = ANSWERS.filter((args) => ['-f', '--explain', 'html'].includes(args[0] ?? ''));

/** Writes the records and asks each command about them. */
async function expectAnswers(what: string, answers: typeof ANSWERS): Promise<void> {
  const path = freshPath('.dict');
  const listed = [...(RECORDS[what]?.() ?? [])];
  const counts: Record<string, number> = {};
  for (const { type } of listed as readonly { readonly type: string }[]) counts[type] = (counts[type] ?? 0) + 1;
  const records = [header(what === 'around a kernel'), ...listed, { type: 'end', profile: 0, counts, diagnostics: {} }];
  writeFileSync(path, records.map((record) => `${JSON.stringify(record)}\n`).join(''));
  for (const args of answers) {
    const { code, stderr } = await runCli('dprof', [...args, path]);
    const asked = `${args.join(' ')}: ${stderr.slice(0, 500)}`;
    expect(stderr, asked).to.not.include('please report');
    if (args[0] !== 'monitor') expect(code, asked).to.equal(0);
  }
}

describe('very long lists', () => {
  for (const what of Object.keys(RECORDS)) {
    const answers = what === 'around a kernel' ? ANSWERS : OF_CALLS;
    it(`${what}: a table is written`, () => expectAnswers(what, [TABLE]));
    itSlow(`${what}: every other command answers, or says in one line why not`, () =>
      expectAnswers(what, answers.filter((args) => args !== TABLE))); // prettier-ignore
  }
});
