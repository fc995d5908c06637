import { expect } from 'chai';
import { HOST_HINT } from '../../src/prof/analysis.js';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { kernel, mm } from '../support/kernels.js';
import { neuronLines } from '../support/neuron.js';
import { runCli } from '../support/run-cli.js';
import { itShared } from '../support/shared.js';

const layer = ['Net; of two', 'Linear\n0'];
const RECORDS = neuronLines([
  kernel({ dur: 3, short: 'gemm <2>', calls: [mm(2, 3, 4)], layer }),
  kernel({ dur: 4, short: 'gemm <2>', calls: [mm(2, 3, 4)], layer }),
  kernel({ dur: 5, short: 'fill', step: 2 }),
]);
const run = (input: string, ...args: string[]) => runCli('dprof', ['stacks', ...args], { input });

interface Speedscope {
  readonly $schema: string;
  readonly shared: { readonly frames: readonly { name: string; file?: string; line?: number }[] };
  readonly profiles: readonly {
    readonly type: string;
    readonly unit: string;
    readonly startValue: number;
    readonly endValue: number;
    readonly samples: readonly (readonly number[])[];
    readonly weights: readonly number[];
  }[];
}

describe('dprof stacks', () => {
  it('writes lines of FlameGraph: words, semicolons between, ns', async () => {
    const { stdout, stderr, code } = await run(RECORDS);
    expect({ stderr, code }).to.deep.equal({ stderr: '', code: 0 });
    expect(stdout).to.equal('Net,_of_two;Linear_0;torch.mm;gemm_<2> 7\n[unknown];fill 5\n');
  });

  it('has the time of ops on the host, and names the frames that fit', async () => {
    const range = { type: 'range', profile: 0, kind: 'op', start: 1, dur: 5, pid: 1, tid: 2, domain: null } as const;
    const input = neuronLines([{ ...range, text: 'aten::mm', stack: ['a.py(3): run'] }]);
    const { stdout, code } = await run(input, '--host', '--root', 'thread');
    expect({ stdout, code }).to.deep.equal({ stdout: 'thread_2;a.py(3):_run;aten::mm 5\n', code: 0 });
    const wrong = await run(input, '--host', '--by', 'kernel');
    expect(wrong).to.include({ code: 2, stdout: '' });
    expect(wrong.stderr).to.match(/unknown frames 'kernel'/);
    expect((await run(RECORDS, '--host')).stderr).to.match(/no CPU ranges \(dparse --ranges adds/);
  });

  it('takes other frames, and a root', async () => {
    const { stdout } = await run(RECORDS, '--by', 'kernel', '--root', 'step,rank');
    expect(stdout).to.equal('step_2;rank_na;fill 5\nstep_na;rank_na;gemm_<2> 7\n');
    const { stderr, code } = await run(RECORDS, '--by', 'lyer');
    expect({ stderr, code }).to.deep.equal({ stderr: "dprof: unknown frames 'lyer' (did you mean layer?)\n", code: 2 });
  });

  it('writes a file for speedscope', async () => {
    const { stdout } = await run(RECORDS.replaceAll('Net; of two', 'net.py:7'), '-f', 'speedscope');
    const { $schema, shared, profiles } = JSON.parse(stdout) as Speedscope;
    expect($schema).to.equal('https://www.speedscope.app/file-format-schema.json');
    const [profile] = profiles;
    expect(profile).to.include({ type: 'sampled', unit: 'nanoseconds', startValue: 0, endValue: 12 });
    const named = profile?.samples.map((stack) => stack.map((frame) => shared.frames[frame]?.name));
    expect(named).to.deep.equal([
      ['[unknown]', 'fill'],
      ['net.py:7', 'Linear\\u000a0', 'torch.mm', 'gemm <2>'],
    ]);
    expect(profile?.weights).to.deep.equal([5, 7]);
    expect(shared.frames).to.deep.include({ name: 'net.py:7', file: 'net.py', line: 7 });
  });

  it('reads a net.dict', async () => {
    const { stdout } = await run("{'kShortName': 'k', 'kDuration': 5, 'device': 0, 'trace': ['net.py:3']}\n");
    expect(stdout).to.equal('net.py:3;k 5\n');
  });

  it('refuses --collectives of the host, which has none', async () => {
    const { stderr, code } = await run('', '--host', '--collectives');
    expect({ stderr, code }).to.deep.equal({
      stderr: 'dprof: --collectives and --host cannot be combined (use one of them)\n',
      code: 2,
    });
  });

  it('answers an input without kernels', async () => {
    const { stderr, code } = await run(neuronLines([{ type: 'end', profile: 0, counts: {}, diagnostics: {} }]));
    expect({ stderr, code }).to.deep.equal({ stderr: `dprof: stdin: no kernels (${HOST_HINT})\n`, code: 1 });
  });

  const database = 'data/ascend/db_level1_rank1/ASCEND_PROFILER_OUTPUT/ascend_pytorch_profiler_1.db';
  itShared('every line of an Ascend database is one of FlameGraph', [database], async ([path = '']) => {
    const folder = mkdtempSync(join(tmpdir(), 'dprof-test-'));
    const out = join(folder, 'out');
    const { stdout, code } = await runCli('dprof', ['stacks', '-o', out, path]);
    const lines = readFileSync(out, 'utf8').trimEnd().split('\n');
    rmSync(folder, { recursive: true });
    expect({ stdout, code }).to.deep.equal({ stdout: '', code: 0 });
    expect(lines.filter((line) => !/^[^\s;]+(;[^\s;]+)* \d+$/.test(line))).to.deep.equal([]);
    // The sum of all kernels of the oracle.
    expect(lines.reduce((sum, line) => sum + Number(line.split(' ')[1]), 0)).to.equal(8_915_634);
    expect(lines).to.deep.equal([...new Set(lines)].sort());
  });
});
