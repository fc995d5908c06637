/** The part of the profiles that an answer is about: ranks, devices, streams, steps and a time, on all commands. */
import { expect } from 'chai';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCli } from '../support/run-cli.js';
import { itEachShared } from '../support/shared.js';

let folder: string;
before(() => (folder = mkdtempSync(join(tmpdir(), 'windows-'))));
after(() => rmSync(folder, { recursive: true }));

const line = (type: string, profile: number, fields: object): string => JSON.stringify({ type, profile, ...fields });
/** Times in us. */
const kernel = (profile: number, id: number, start: number, dur: number, more: object = {}): string =>
  line('kernel', profile, { id, start: start * 1e3, dur: dur * 1e3, device: 0, stream: 7, name: `k${id}`, ...more });
const range = (profile: number, text: string, start: number, dur: number, kind = 'annotation'): string =>
  line('range', profile, { kind, start: start * 1e3, dur: dur * 1e3, pid: 1, tid: 1, domain: null, text });
const header = (profile: number, rank: number | null): string =>
  line('profile', profile, { v: 1, format: 'kineto', tool: null, file: `${profile}.json`, rank, devices: [] });
const end = (profile: number): string => line('end', profile, { counts: {}, diagnostics: {} });
const step = (profile: number, value: number, start: number, dur: number): string =>
  line('sample', profile, { metric: 'step', start: start * 1e3, dur: dur * 1e3, device: null, value, unit: null });

/**
 * Rank 0 works from 0 to 100 and from 150 to 300 us on stream 7, and from 200 to 250 us on stream 20 of device 1; rank 1
 * from 40 to 90 us.
 */
const RECORDS = [
  header(0, 0),
  step(0, 1, 0, 140),
  range(0, 'forward', 0, 60),
  kernel(0, 1, 0, 100, { step: 1 }),
  range(0, 'forward', 120, 80),
  step(0, 2, 140, 160),
  kernel(0, 2, 150, 150, { step: 2 }),
  kernel(0, 3, 200, 50, { step: 2, device: 1, stream: 20 }),
  range(0, 'Step#3', 210, 10),
  range(0, 'nn.Module: late', 310, 10, 'layer'),
  end(0),
  header(1, 1),
  range(1, 'forward', 50, 20, 'op'),
  kernel(1, 1, 40, 50, { step: 1 }),
  end(1),
];

const file = (): string => {
  const path = join(folder, 'records.jsonl');
  writeFileSync(path, `${RECORDS.join('\n')}\n`);
  return path;
};
const dprof = (...args: readonly string[]) => runCli('dprof', [...args, file()]);
/** Kernels as `profile:id time` in us. */
const kernels = async (...args: readonly string[]): Promise<string[]> => {
  const { stdout, stderr, code } = await dprof('-q', '--csv', '-c', 'profile,idx,sil', ...args);
  expect({ code, stderr }, args.join(' ')).to.deep.equal({ code: 0, stderr: '' });
  const rows = stdout.trimEnd().split('\n').slice(1);
  return rows.map((row) => row.replace(/^(\d+),(\d+),(\d+)$/, (_, p, id, ns) => `${p}:${id} ${Number(ns) / 1e3}`));
};

describe('a window', () => {
  it('is made of ranks, devices, streams, steps and a time', async () => {
    expect(await kernels('--rank', '1')).to.deep.equal(['1:1 50']);
    expect(await kernels('--rank', '0', '--device', '1')).to.deep.equal(['0:3 50']);
    expect(await kernels('--stream', '20')).to.deep.equal(['0:3 50']);
    expect(await kernels('--step', '2', '--stream', '7')).to.deep.equal(['0:2 150']);
    expect(await kernels('--rank', '0', '--from', '0.05', '--to', '0.2')).to.deep.equal(['0:1 50', '0:2 50']);
  });

  it('is the time of a range in each profile', async () => {
    expect(await kernels('--range', 'forward')).to.deep.equal(['0:1 60', '1:1 20']);
    expect(await kernels('--range', 'forward#1', '--rank', '0')).to.deep.equal(['0:1 60']);
    // Only rank 0 has two of them.
    expect(await kernels('--range', 'forward#2')).to.deep.equal(['0:2 50']);
    // A string that ends in a number itself.
    expect(await kernels('--range', 'Step#3')).to.deep.equal(['0:2 10', '0:3 10']);
    expect(await kernels('--range', 'Step#3#1', '--stream', '20')).to.deep.equal(['0:3 10']);
  });

  it('reports what it cuts, on stderr and in JSON', async () => {
    for (const [command, profiles] of [
      [['summary'], [0]],
      [['--by', 'kernel'], [0]],
      [['steps'], [0]],
      [['advise'], [0]],
      [['check'], [0]],
      [['stacks'], [0]],
    ] as const) {
      const { stdout, stderr } = await dprof(...command, '-f', 'jsonl', '--range', 'forward#2');
      const last = stdout
        .trimEnd()
        .split('\n')
        .find((row) => row.startsWith('{"window"'));
      expect(JSON.parse(last ?? '{}'), command.join()).to.deep.equal({
        window: {
          ...{ range: 'forward', number: 2, cut: 1 },
          profiles: profiles.map((profile) => ({ profile, from: 120e3, to: 200e3 })),
        },
      });
      expect(stderr).to.include("dprof: range 'forward', number 2 of 2: 0.12 to 0.2 ms\n");
      expect(stderr).to.include("dprof: 1 profile left out: no range 'forward#2'\n");
      expect(stderr).to.include('dprof: --range cut one kernel or copy: only the part inside counts\n');
    }
    const { stdout } = await dprof('-f', 'jsonl', '--from', '0.05');
    expect(stdout).to.match(/\{"window":\{"from":50000,"to":null,"cut":2\}\}\n$/);
  });

  it('has edges within a ns, where the clock of a device has picoseconds', async () => {
    // From 5 to 8.1 ns, and from 10.9 to 13.9 ns.
    const [first, second] = [{ start: 5, dur: 3, ps: [0, 100] }, { start: 10, dur: 3, ps: [900, 0] }]; // prettier-ignore
    const records = [header(0, 0), kernel(0, 1, 0, 0, first), kernel(0, 2, 0, 0, second), end(0)].join('\n');
    const inside = async (from: string, to: string): Promise<string[]> => {
      const times = ['--by', 'kernel', '-f', 'csv', '--from', from, '--to', to];
      const { stdout } = await runCli('dprof', ['-q', ...times], { input: records });
      const rows = stdout.trimEnd().split('\n').slice(1);
      // Name, count, mean time.
      return rows.map((row) => row.split(',')).map((cells) => `${cells[0]} ${cells[1]} ${cells[4]}`);
    };
    expect(await inside('0', '0.0000105')).to.deep.equal(['k1 1 3.1']);
    expect(await inside('0.000008', '0.000011')).to.deep.equal(['k1 1 0.1', 'k2 1 0.1']);
  });

  it('cuts the steps at its edges', async () => {
    const { stdout } = await dprof('steps', '-q', '--rank', '0', '--from', '0.05', '--to', '0.2', '-f', 'csv', '-c', 'device,step,busy,span,iteration'); // prettier-ignore
    // Step 1 lasts from 50 us to the start of step 2 at 140 us, which is cut at 200 us.
    expect(stdout.trimEnd().split('\n').slice(1)).to.deep.equal([
      '0,1,50000,50000,90000',
      '0,2,50000,50000,60000',
      '0,all,100000,150000,na',
    ]);
  });

  it('cuts the ranges of the CPU at its edges', async () => {
    const { stdout } = await dprof('--by', 'range', '-q', '--rank', '0', '--from', '0.05', '--to', '0.2', '-f', 'csv', '-c', 'count,host,max'); // prettier-ignore
    // 10 us of the first, and the second as a whole.
    expect(stdout.trimEnd().split('\n').slice(1)).to.deep.equal(['forward,2,90000,80000']);
  });

  it('is that of both inputs of a comparison', async () => {
    const path = file();
    const { stdout, stderr } = await dprof('diff', '-f', 'jsonl', '--by', 'kernel', '--range', 'forward', '--rank', '0', path); // prettier-ignore
    const rows = stdout
      .trimEnd()
      .split('\n')
      .map((row) => JSON.parse(row) as Readonly<Record<string, unknown>>);
    expect(rows.find(({ row }) => row === 'total')).to.include({ base_ns: 60e3, new_ns: 60e3, base_count: 1 });
    expect(rows.filter(({ row }) => row === 'window').map(({ input }) => input)).to.deep.equal(['base', 'new']);
    expect(stderr).to.include('dprof: new: --range cut one kernel or copy');
  });

  // Counted in the raw files: kernels in the second range of this name, their time inside, and pieces that its edges cut.
  const COUNTED = {
    'data/nsys/nvfuser_h200.sqlite': ['FusionKernelRuntime::runSegmentsWithInputs#2', 1, 595561, 'one kernel or copy'],
    'data/kineto/a100_rank3of8_training.json.gz': ['## forward ###2', 387, 19963000, '3 kernels or copies'],
  } as const;
  itEachShared(
    Object.keys(COUNTED),
    [],
    (name) => `has the kernels counted in ${name}`,
    async (path, name) => {
      const [text, kernelsInside, time, cut] = COUNTED[name as keyof typeof COUNTED];
      const { stdout, stderr } = await runCli('dprof', ['summary', '-f', 'csv', '--range', text, path]);
      expect(stdout).to.match(new RegExp(`,kernels,na,na,count,${kernelsInside},`));
      expect(stdout).to.include(`,kernelSum,${time},ns`);
      expect(stderr).to.include(`--range cut ${cut}`);
    },
  );

  it('names what exists where nothing is selected', async () => {
    for (const [args, message] of [
      [['--device', '9'], 'no work on device 9 (there are devices 0, 1)'],
      [['--stream', '8,9'], 'no work on streams 8, 9 (there are streams 7, 20)'],
      [['--step', '3-5'], 'no work in steps 3, 4, 5 (there are steps 1, 2)'],
      [['--rank', '7'], 'no profile of rank 7 (there are ranks 0, 1)'],
      [['--from', '5'], 'nothing ran between --from and --to (work runs from 0 to 0.3 ms)'],
      [
        ['--range', 'late'],
        'no device worked while the range ran (dprof steps --by range shows the work that ranges launched)',
      ],
      [
        ['--step', '1', '--from', '0.2'],
        'no work on the selected ranks, devices, streams, steps and times (known: ranks 0, 1; devices 0, 1; streams 7, 20; steps 1, 2)',
      ],
      [['--range', 'forwrad'], "no range 'forwrad' (did you mean 'forward'?)"],
      [['--range', 'Step'], "no range 'Step' (did you mean 'Step#3'?)"],
      [['--range', 'other text'], "no range 'other text' (there are 'forward', 'Step#3', 'late')"],
      [['--range', 'forward#9'], "no range 'forward#9' (there are 2 ranges with this text, from 'forward#1')"],
    ] as const)
      for (const command of [[], ['summary'], ['check']]) {
        const { code, stderr } = await dprof(...command, '-q', ...args);
        expect(stderr, args.join(' ')).to.equal(`dprof: ${file()}: ${message}\n`);
        expect(code).to.equal(1);
      }
    const part = await dprof('--step', '2-4');
    expect(part.stderr).to.include('dprof: no work in steps 3, 4 (there are steps 1, 2)\n');
    expect(part.code).to.equal(0);
  });

  it('cannot be a range of standard input, or combine a range with a time', async () => {
    const piped = await runCli('dprof', ['summary', '--range', 'forward'], { input: RECORDS.join('\n') });
    expect(piped.stderr).to.equal('dprof: --range needs to read the input twice (give a FILE instead of stdin)\n');
    const both = await dprof('summary', '--range', 'forward', '--from', '1');
    expect(both.stderr).to.match(/^dprof: --range and --from cannot be combined/);
    const without = await dprof('memory', '--range', 'forward');
    expect(without.stderr).to.match(/^dprof: dprof memory does not take --range \(/);
  });
});
