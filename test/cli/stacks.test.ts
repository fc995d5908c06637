import { expect } from 'chai';
import { HOST_HINT } from '../../src/prof/analysis.js';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { kernel, mm } from '../support/kernels.js';
import { neuronLines } from '../support/neuron.js';
import { runCli } from '../support/run-cli.js';
import { globalTid, NsightDatabase, TID } from '../support/nsight-database.js';
import { recordsOf } from '../support/profile-records.js';
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

describe('dprof stacks --cpu', () => {
  /** Samples 1 and 2 in main → work, 3 in an address of a library, 4 without a chain; a call with another inside. */
  const database = (): string => {
    const db = new NsightDatabase();
    const frames = (table: string, id: number, ...names: readonly (string | { readonly module: string })[]): void => {
      for (const [stackDepth, name] of names.entries()) {
        const isKnown = typeof name === 'string';
        const [symbol, module] = [db.string(isKnown ? name : '0x7f'), db.string(isKnown ? '' : name.module)];
        db.row(table, { id, symbol, module, unresolved: isKnown ? 0 : 1, stackDepth });
      }
    };
    const sample = (id: number, tid = TID): unknown =>
      db.row('COMPOSITE_EVENTS', { id, start: 100 * id, cpu: 0, globalTid: globalTid(tid), cpuCycles: 1 });
    for (const id of [1, 2, 3, 4]) sample(id);
    frames('SAMPLING_CALLCHAINS', 1, 'work(int;x)', 'main');
    frames('SAMPLING_CALLCHAINS', 2, 'work(int;x)', 'main');
    frames('SAMPLING_CALLCHAINS', 3, { module: '/usr/lib/libcuda.so.1' }, 'main');
    const call = (start: number, end: number, name: string, callchainId: number, nestingLevel: number): unknown =>
      db.row('OSRT_API', { start, end, eventClass: 27, globalTid: globalTid(TID), nameId: db.string(name), returnValue: 0, nestingLevel, callchainId }); // prettier-ignore
    call(0, 100, 'poll', 7, 0);
    call(10, 40, 'read', 7, 1);
    call(200, 230, 'poll', 7, 0);
    frames('OSRT_CALLCHAINS', 7, 'wait', 'main');
    return db.write();
  };
  const cpu = (...args: string[]) => runCli('dprof', ['stacks', ...args, database()]);

  it('counts samples by call chain, the outermost frame first', async () => {
    const { stdout, stderr, code } = await cpu('--cpu', 'samples');
    expect({ stderr, code }).to.deep.equal({ stderr: '', code: 0 });
    expect(stdout).to.equal('[unknown] 1\nmain;[libcuda.so.1] 1\nmain;work(int,x) 2\n');
    const table = await cpu('--cpu', 'samples', '--root', 'thread', '-f', 'csv', '-c', 'stack,samples', '--sort', 'samples', '--top', '1'); // prettier-ignore
    expect(table.stdout).to.equal(`Stack,Samples\n"thread ${TID};main;work(int,x)",2\n`);
    const { profiles } = JSON.parse((await cpu('--cpu', 'samples', '-f', 'speedscope')).stdout) as Speedscope;
    expect(profiles[0]).to.include({ unit: 'none', endValue: 4 });
  });

  it('reads one record of events without a chain and of those whose only frame is unknown', () => {
    const db = new NsightDatabase();
    for (const id of [1, 2])
      db.row('COMPOSITE_EVENTS', { id, start: id, cpu: 0, globalTid: globalTid(TID), cpuCycles: 1 });
    db.row('SAMPLING_CALLCHAINS', { id: 1, symbol: null, module: null, unresolved: 1, stackDepth: 0 });
    const samples = recordsOf(db.write(), { ranges: true }).flatMap((record) =>
      record.type === 'sample' && record.metric === 'cpu_stack_samples' ? [[record.text, record.value]] : [],
    );
    expect(samples).to.deep.equal([['[unknown]', 2]]);
  });

  it('adds up the time of system calls, without those inside others', async () => {
    expect((await cpu('--cpu', 'calls')).stdout).to.equal('main;wait;poll 130\n');
  });

  it('refuses what says nothing about the CPU, and says how to record what is missing', async () => {
    expect((await cpu('--cpu', 'samples', '--stream', '7')).stderr).to.match(
      /--stream applies to devices, not to --cpu/,
    );
    expect((await cpu('--cpu', 'calls', '--from', '1')).stderr).to.match(
      /--from applies to events with a time, not to --cpu/,
    );
    expect((await cpu('--cpu', 'sample')).stderr).to.match(
      /unknown kind of call chain 'sample' \(did you mean samples\?/,
    );
    const none = await run(RECORDS, '--cpu', 'samples');
    expect(none.stderr).to.match(/no call chains of CPU samples \(nsys profile --sample=process-tree/);
  });

  // Counted in the file by a script: 317 samples of 97 stacks, and the calls outside of others.
  itShared('has the samples and calls of an export', ['data/nsys/many_kernels_no_nvtx.sqlite'], async ([path = '']) => {
    const linesOf = async (kind: string): Promise<string[]> =>
      (await runCli('dprof', ['stacks', '-q', '--cpu', kind, path])).stdout.trimEnd().split('\n');
    const sumOf = (lines: readonly string[]): number =>
      lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
    const [samples, calls] = [await linesOf('samples'), await linesOf('calls')];
    expect([samples.length, sumOf(samples), calls.length, sumOf(calls)]).to.deep.equal([97, 317, 61, 560223675]);
    expect(samples).to.include('__strlen_avx2 13');
  });
});
