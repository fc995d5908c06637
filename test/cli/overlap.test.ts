import { expect } from 'chai';
import { A100, profileOn } from '../support/devices.js';
import { kernel } from '../support/kernels.js';
import { neuronLines } from '../support/neuron.js';
import { runCli } from '../support/run-cli.js';
import { itEachShared } from '../support/shared.js';

/** Stream 7 works from 0 to 4 ms, stream 8 from 3 to 5 ms. */
const input = neuronLines([
  { ...profileOn(A100), file: 'net.json', format: 'kineto' },
  kernel({ id: 1, start: 0, dur: 4_000_000, stream: 7 }),
  kernel({ id: 2, start: 3_000_000, dur: 2_000_000, stream: 8 }),
  { type: 'end', profile: 0, counts: { kernel: 2 }, diagnostics: {} },
]);
const run = (...args: string[]) => runCli('dprof', ['overlap', ...args], { input });

interface Kind {
  readonly kind: string;
  readonly count: number;
  readonly active: number;
  readonly alone: number;
  readonly both: Readonly<Record<string, number>>;
}

describe('dprof overlap', () => {
  it('shows a square of shares', async () => {
    const { stdout, code } = await run();
    expect(code).to.equal(0);
    expect(stdout).to.equal(
      [
        '# profile 0: net.json (kineto), device 0',
        'stream  active  alone%    1%    2%',
        '1 7       4 ms    75.0        25.0',
        '2 8       2 ms    50.0  50.0',
        '',
      ].join('\n'),
    );
    expect((await run('--top', '1')).stdout).to.include('\n(1 more kind with less time: --top N, or -f csv)\n');
  });

  it('limits the kinds in JSON too', async () => {
    const { stdout } = await run('-f', 'jsonl', '--top', '1');
    const { kinds } = JSON.parse(stdout) as { readonly kinds: readonly Kind[] };
    expect(kinds.map(({ kind, active, both }) => [kind, active, both])).to.deep.equal([['7', 4_000_000, { 7: 4_000_000 }]]);
  });

  it('has a row per pair, and an object per device', async () => {
    const { stdout } = await run('-f', 'csv', '-c', 'kind,active,alone,other,both,share');
    expect(stdout).to.equal(
      'Kind,Active(ns),Alone(ns),Other,Both(ns),Share%\n7,4000000,3000000,8,1000000,25\n8,2000000,1000000,7,1000000,50\n',
    );
    const { stdout: json } = await run('-f', 'jsonl');
    expect(JSON.parse(json)).to.deep.equal({
      ...{ profile: 0, file: 'net.json', rank: null, device: 0 },
      kinds: [
        { kind: '7', count: 1, active: 4_000_000, alone: 3_000_000, both: { '7': 4_000_000, '8': 1_000_000 } },
        { kind: '8', count: 1, active: 2_000_000, alone: 1_000_000, both: { '7': 1_000_000, '8': 2_000_000 } },
      ],
    });
  });

  // Counted apart from this project: unions and intersections of the times in the JSON, and in the tables by SQL.
  const COUNTED: Readonly<Record<string, object>> = {
    'data/kineto/a100_rank3of8_training.json.gz': {
      7: [8964, 280_227_000, 176_923_000, { 20: 1_996_000, 21: 76_268_000, 22: 34_003_000 }],
      21: [60, 163_535_000, 86_554_000, { 7: 76_268_000, 20: 0, 22: 9_676_000 }],
      22: [144, 50_640_000, 15_924_000, { 7: 34_003_000, 20: 0, 21: 9_676_000 }],
      20: [282, 7_165_000, 5_169_000, { 7: 1_996_000, 21: 0, 22: 0 }],
    },
    'data/amd/rocprofsys/transpose_w7800_rocpd.db': {
      1: [526, 2_319_401_533, 59_294_805, { 2: 2_260_106_728 }],
      2: [526, 2_316_813_653, 56_706_925, { 1: 2_260_106_728 }],
    },
  };
  itEachShared(
    Object.keys(COUNTED),
    [],
    (name) => `has the times counted in ${name}`,
    async (path, name) => {
      const { stdout } = await runCli('dprof', ['overlap', '-q', '-f', 'jsonl', path]);
      const { kinds } = JSON.parse(stdout) as { readonly kinds: readonly Kind[] };
      const found = kinds.map(({ kind, count, active, alone, both: { [kind]: own, ...others } }) => {
        expect(own).to.equal(active);
        return [kind, [count, active, alone, others]] as const;
      });
      expect(Object.fromEntries(found)).to.deep.equal(COUNTED[name]);
    },
  );
});
