/** Sections of `dprof summary` that few profiles have, on its screen and as figures: numbers by hand. */
import { expect } from 'chai';
import { STEP_METRIC, type ProfileLine, type RangeRecord, type SampleRecord } from '../../src/record/record.js';
import { collective, kernel, mm } from '../support/kernels.js';
import { instruction, neuronLines, neuronProfile, tensor } from '../support/neuron.js';
import { runCli } from '../support/run-cli.js';
import { profile } from '../support/trace-events.js';

const END: ProfileLine = { type: 'end', profile: 0, counts: {}, diagnostics: {} };

const range = (kind: RangeRecord['kind'], start: number, dur: number, self: number, text: string, tid = 1) =>
  ({ type: 'range', profile: 0, start, dur, self, pid: 7, tid, domain: null, text, kind }) as RangeRecord;

const sample = (metric: string, value: number, labels?: SampleRecord['labels']): SampleRecord => ({
  ...{ type: 'sample', profile: 0, start: null, device: null, metric, value, unit: null },
  ...(labels === undefined ? {} : { labels }),
});

async function screen(...records: readonly ProfileLine[]): Promise<string> {
  const { stdout, stderr, code } = await runCli('dprof', ['summary', '--all', '-q'], {
    input: neuronLines([...records, END]),
  });
  expect({ stderr, code }).to.deep.equal({ stderr: '', code: 0 });
  return stdout;
}

async function figures(...records: readonly ProfileLine[]): Promise<string[]> {
  const { stdout } = await runCli('dprof', ['summary', '-q', '-f', 'csv'], { input: neuronLines([...records, END]) });
  return stdout.split(/\r?\n/);
}

describe('sections of a summary', () => {
  it('of a host without device work: kinds, ops, annotations, layers, steps', async () => {
    const records = [
      profile({ dur: 100_000 }),
      range('annotation', 0, 60_000, 20_000, 'ProfilerStep#4'),
      range('op', 10_000, 40_000, 30_000, 'aten::linear'),
      range('op', 20_000, 10_000, 10_000, 'aten::addmm'),
      range('annotation', 60_000, 40_000, 40_000, 'ProfilerStep#5', 2),
    ];
    const text = await screen(...records);
    const lines = text.split('\n');
    expect(lines.find((line) => line.includes('Host:'))).to.match(
      /^## Host: no device work is recorded; 4 ranges of 2 threads, 100\.000 us/,
    );
    const unknown = { ...range('op', 90_000, 1000, 1000, 'aten::mm'), tid: null };
    expect(await screen(...records, unknown)).to.include('; 5 ranges, 101.000 us\n');
    expect(text).to.match(/\nop +40\.000 us +40\.0 % +2\n/);
    expect(text).to.match(/\nannotation +60\.000 us +60\.0 % +2\n/);
    expect(text).to.include('## Ops on the CPU');
    expect(text).to.match(/\n *30\.000 us +30\.0 % +1 +40\.000 us +linear\n/);
    expect(text).to.match(/\n *10\.000 us +10\.0 % +1 +10\.000 us +addmm\n/);
    const rows = await figures(...records);
    expect(rows.filter((row) => row.includes(',host'))).not.to.have.length(0);
  });

  const MI300X = { vendor: 'amd', name: null, clockHz: 2.1e9, memBytesPerS: null } as const;

  it('call a device without a name after the part that it must be, else after its architecture', async () => {
    const headOf = async (arch: string, memBytes: number): Promise<string | undefined> => {
      const devices = [{ ...MI300X, id: 0, arch, units: 304, memBytes }];
      return (await screen(profile({ dur: 100_000, devices }), kernel({ start: 0, dur: 10 }))).split('\n')[1];
    };
    // The only part with this architecture, 304 units and 192 GiB.
    expect(await headOf('gfx942', 192 * 2 ** 30)).to.match(/^## Device 0 \(MI300X, inferred\): /);
    expect(await headOf('gfx950', 288 * 2 ** 30)).to.match(/^## Device 0 \(gfx950\): /);
    const devices = [0, 1].map((id) => ({ ...MI300X, id, arch: 'gfx942', units: 304, memBytes: 192 * 2 ** 30 }));
    const two = await screen(
      profile({ dur: 100_000, devices }),
      ...devices.map(({ id }) => kernel({ start: 0, dur: 10, device: id })),
    );
    expect(two.match(/MI300X \(inf/g)).to.have.length(2);
  });

  it('state how many copies have no known size', async () => {
    const copied = { type: 'copy', kind: 'HtoD', profile: 0, device: 0, stream: 1, launch: null, dur: 1000 } as const;
    const copies = [{ ...copied, start: 0, bytes: 2000 }, { ...copied, start: 5000, bytes: null }] as unknown as ProfileLine[]; // prettier-ignore
    const text = await screen(profile({ dur: 100_000 }), ...copies);
    // 2000 bytes in 1000 ns
    expect(text).to.match(/\nHtoD +2\.000 us +2 +≥ 2 kB +2 GB\/s +1 of unknown size, not in the rate\n/);
  });

  it('end with advice only where a device has times, else with more of the first part, or nothing', async () => {
    const nextOf = async (...records: readonly ProfileLine[]): Promise<string | undefined> => {
      const input = neuronLines([profile({ dur: 100_000 }), ...records, END]);
      return /^next: (.*)$/m.exec((await runCli('dprof', ['summary', '-q'], { input })).stdout)?.[1];
    };
    expect(await nextOf(kernel({ start: 0, dur: 100 }))).to.equal('dprof advise FILE');
    expect(await nextOf(range('op', 0, 100, 100, 'aten::mm'))).to.equal(
      'dprof --by op -c passes,host,hostself --sort hostself --top 15 FILE',
    );
    expect(await nextOf(kernel({ start: NaN, dur: 100 }))).to.equal('dprof --by kernel --top 15 FILE');
    expect(await nextOf(sample('cpu_time', 5, { cpu: 0, pid: 1 }))).to.equal(undefined);
  });

  it('of operations between ranks without a time: how many, and their bytes', async () => {
    const marked = collective({ start: 0, dur: null, kind: 'broadcast', bytes: 40, group: 'g' });
    const text = await screen(profile({ dur: 10_000, facts: { profiler_level: 'Level_none' } }), marked, marked);
    expect(text).to.match(/\n## Collectives\nbroadcast +na +2 +80 B +1 group\n/);
    expect(text).to.match(/\n## Profile facts\nprofiler_level Level_none\n/);
  });

  it('of kernels of which some have no duration: the mean is that of the others', async () => {
    const kernels = [100, null, 300, null].map((dur, i) => kernel({ id: i + 1, start: 1000 * i, dur, short: 'gemm' }));
    const records = [profile({ dur: 10_000 }), ...kernels, kernel({ id: 5, start: 9000, dur: null, short: 'lost' })];
    const text = await screen(...records);
    // 400 ns by two of four.
    expect(text).to.match(/\n *0\.400 us +100\.0 % +4 +0\.20 us +gemm\n/);
    expect(text).to.match(/\n *na +na +1 +na +lost\n/);
  });

  it('of arithmetic: which peak is not known, where the work is', async () => {
    const linesOf = async (path: string): Promise<readonly string[]> =>
      (await runCli('dprof', ['summary', '-q', path])).stdout
        .split('\n')
        .filter((line) => /^(work|of peak|MFU| {2}bandwidth) /.test(line));
    const [work, peak, bandwidth, mfu] = await linesOf('samples/ascend_pt');
    expect(work).to.match(/^work +21\.49 GFLOP/);
    expect(peak).to.match(/^of peak +[0-9.]+ % of FLOP\/s, na of bandwidth/);
    expect(bandwidth).to.match(/^ {2}bandwidth +the bandwidth of the device is unknown; --peaks FILE\.json gives it$/);
    expect(mfu).to.match(/^MFU +[0-9.]+ %/);
    for (const line of await linesOf('samples/decoder.rpd'))
      expect(line).to.match(/na: no kernel has known FLOPs(?: or bytes)?$/);
  });

  it('of arithmetic: why more time has no bound than has unknown work', async () => {
    // A product whose device has no known peak takes 100 of 150 ns; the other kernel has no op.
    const kernels = [kernel({ id: 1, dur: 100, calls: [mm(64, 64, 64)] }), kernel({ id: 2, start: 2000, dur: 50 })];
    const text = await screen(profile({ dur: 3000 }), ...kernels);
    expect(text).to.match(/^bound by +na 100\.0 %$/m);
    expect(text).to.match(/^ {2}na +33\.3 % unknown work, 66\.7 % no work or no known peak$/m);
    expect(text).to.match(/^work .*\(66\.7 % of kernel time known\)$/m);
  });

  it('of kernels whose use of the matrix unit is undetermined: why', async () => {
    // A MATMUL without a type, as in a device trace: it may transpose. The vector engine has no matrix unit.
    const text = await screen(
      neuronProfile(),
      instruction('MATMUL', 'Tensor', 0, 300),
      instruction('TENSOR_TENSOR', 'Vector', 500, 700, { id: 2 }),
    );
    expect(text).to.match(/\nmatrix unit +not applicable 70\.0 %, undetermined 30\.0 %\n/);
    expect(text).to.match(
      /\n {2}undetermined +a device trace does not say whether a MATMUL multiplies or only transposes\n/,
    );
  });

  it('of waits of a Neuron capture, which the table of kernels counts, and of metrics only with --all', async () => {
    const records = [
      neuronProfile(),
      instruction('MATMUL', 'Tensor', 0, 300),
      instruction('EVENT_SEMAPHORE', 'Vector', 500, 700, { id: 2 }),
    ];
    expect(await screen(...records)).to.match(
      /\n## Instructions: 1 with 1 name, 0\.300 us; waits \(1 instruction, 700 ns\) count only in dprof --by op\n[^]*\n## Metrics of the vendor's profiler\nnext: /,
    );
    const { stdout } = await runCli('dprof', ['summary', '-q'], { input: neuronLines([...records, END]) });
    expect(stdout).not.to.match(/## Metrics|Without op|kernel time,/);
    expect(stdout).to.include('## Arithmetic, shares of instruction time, 0.300 us\n');
  });

  it('wraps the problems of the input, none of which is cut', async () => {
    const names = ['activity-without-launch', 'call-without-copy', 'kernel-without-launch', 'launch-without-work'];
    const diagnostics = Object.fromEntries(names.map((name) => [name, 1810]));
    const work = instruction('MATMUL', 'Tensor', 0, 300);
    const input = neuronLines([neuronProfile(), work, { ...END, diagnostics }]);
    const summary = async (...args: string[]): Promise<string> =>
      (await runCli('dprof', ['summary', '-q', '--all', ...args], { input })).stdout;
    expect(await summary()).to.include(
      [
        '## Problems in the input',
        'activity-without-launch 1,810, call-without-copy 1,810, kernel-without-launch 1,810',
        'launch-without-work 1,810\n',
      ].join('\n'),
    );
    expect(await summary('-w', '50')).to.include(
      [
        'activity-without-launch 1,810, call-without-copy',
        '  1,810, kernel-without-launch 1,810',
        'launch-without-work 1,810\n',
      ].join('\n'),
    );
  });

  it('of a host in steps of training', async () => {
    const step = (number: number, start: number, dur: number): ProfileLine => ({
      ...sample(STEP_METRIC, number),
      start,
      dur,
    });
    const steps = [step(1, 10_000, 10_000), step(2, 20_000, 20_000), step(3, 40_000, 30_000)];
    const text = await screen(profile({ dur: 100_000 }), range('op', 10_000, 5000, 5000, 'aten::mm'), ...steps);
    // Median, least and greatest.
    expect(text).to.match(/\n## Steps: 3\n[^\n]*20\.000 us[^\n]*10\.000[^\n]*30\.000/);
  });

  it('of cores and processes of the host', async () => {
    const of = (cpu: number, pid: number) => ({ cpu, pid });
    const text = await screen(
      profile({ dur: 100_000 }),
      kernel(),
      sample('cpu_traced', 100_000),
      sample('cpu_time', 75_000, of(0, 11)),
      sample('cpu_time', 25_000, of(3, 12)),
      sample('cpu_switches', 8, of(0, 11)),
      sample('cpu_switches', 2, of(3, 12)),
    );
    expect(text).to.include('## CPU, 2 cores, 2 processes: threads ran for 100.000 us in total, within 100.000 us\n');
    for (const row of [
      /core 0 +75\.000 us +75\.0 % +8 +na/,
      /core 3 +25\.000 us +25\.0 % +2 +na/,
      /process 11 +75\.000 us/,
    ])
      expect(text).to.match(row);
  });

  it('of a compiled program: tensors by role, the first of many', async () => {
    const many = Array.from({ length: 10 }, (_, i) => tensor(`w${i}`, 'weight', 2));
    const layer: ProfileLine = {
      type: 'layer',
      profile: 0,
      name: 'block',
      device: 4,
      start: 1000,
      dur: 3000,
    } as ProfileLine;
    const text = await screen(neuronProfile(), kernel({ device: 4 }), tensor('a', 'input', null), ...many, layer);
    expect(text)
      .to.include('## Tensors of the program, input: 1, na\n')
      .and.include('## Tensors of the program, weight: 10, 20 B\n');
    expect(text).to.match(/\nand 2 more\n/);
    expect(text).to.match(/## Layers: 1 layer, start and end\n[^\n]*\n?block +device 4 +1\.000 us +4\.000 us/);
  });
});
