import { expect } from 'chai';
import type { ProfileLine } from '../../src/record/record.js';
import { kernel } from '../support/kernels.js';
import { neuronLines, sample } from '../support/neuron.js';
import { runCli } from '../support/run-cli.js';
import { itShared } from '../support/shared.js';

const MIB = 1024 * 1024;
const profile = (format: string): ProfileLine => ({
  type: 'profile',
  v: 1,
  profile: 0,
  format,
  tool: null,
  file: 'net.db',
  rank: 1,
  startUnixNs: null,
  dur: null,
  devices: [],
});
const allocated = (start: number, value: number) =>
  sample('memory_allocated', value, { component: 'PTA' }, { start, device: 0, unit: 'bytes' });
const RECORDS = neuronLines([
  profile('ascend-db'),
  sample('step', 5, {}, { start: 0, dur: 10_000, device: null }),
  allocated(1000, 4 * MIB),
  allocated(2000, 5 * MIB),
  sample('op_memory', MIB, { op: 'aten::mm' }, { start: 2000, dur: 500, device: 0, unit: 'bytes' }),
  allocated(2500, 4 * MIB),
]);
const run = (input: string, ...args: string[]) => runCli('dprof', ['memory', ...args], { input });

describe('dprof memory', () => {
  it('writes the forms of export_memory_timeline', async () => {
    const { stdout, code } = await run(RECORDS, '-f', 'timeline');
    expect({ stdout, code }).to.deep.equal({
      stdout: '[[2], [[0, 0, 0, 0, 0, 0, 0, 0, 0]]]\n',
      code: 0,
    });
    expect((await run(RECORDS, '-f', 'timeline-raw')).stdout).to.equal(
      '[[2000, 1, 1048576, 7], [2500, 3, -1048576, 7]]\n',
    );
    const host = await run(RECORDS, '-f', 'timeline', '--device', 'host');
    expect(host).to.include({ code: 1, stdout: '' });
    expect(host.stderr).to.match(/no allocations of the host \(--device 0\)/);
  });

  it('writes the peak, its owners, the series and the curve', async () => {
    const { stdout, stderr, code } = await run(RECORDS);
    expect({ stderr, code }).to.deep.equal({ stderr: '', code: 0 });
    expect(stdout.split('\n')).to.deep.equal([
      '# profile 0: net.db (ascend-db, rank 1), device 0',
      'peak 5242880 bytes (5 MiB) of memory_allocated PTA at 2.000 us, step 5, op aten::mm',
      '',
      '## Ops at the peak',
      '  bytes     %  allocations',
      '1048576  20.0            1  aten::mm',
      '',
      '## Categories at the peak',
      '  bytes     %  allocations',
      '4194304  80.0           na  allocated before',
      '1048576  20.0            1  released later',
      '      0   0.0            0  never released',
      '',
      '## Series',
      'metric            of   samples  highest_bytes  at_us  last_bytes',
      'memory_allocated  PTA        3        5242880  2.000     4194304',
      '',
      '## Curve of memory_allocated PTA, from 3 samples',
      'at_us    MiB',
      `1.000  4.000  ${'#'.repeat(40)}`,
      `2.000  5.000  ${'#'.repeat(50)}`,
      `2.500  4.000  ${'#'.repeat(40)}`,
      '',
    ]);
  });

  itShared(
    'reads a PyTorch trace: devices first, then the host',
    ['data/kineto/h100_bert_small.json.gz'],
    async ([path = '']) => {
      const { stdout, code } = await run('', '--points', '4', path);
      expect(code).to.equal(0);
      // Worked out by Python over the trace's JSON: 91360768 + 8607232 + 1337344 = 101305344.
      const lines = stdout.split('\n');
      expect(lines.slice(0, 11)).to.deep.equal([
        '# profile 0: h100_bert_small.json.gz (kineto), device 0',
        'peak 101305344 bytes (96.61 MiB) of memory_allocated CUDA at 4680.448 us, step 6, op aten::empty',
        '',
        '## Ops at the peak',
        '  bytes    %  allocations',
        '8607232  8.5            1  aten::addmm',
        '1337344  1.3            3  aten::empty',
        '',
        '## Categories at the peak',
        '   bytes     %  allocations',
        '91360768  90.2           na  allocated before',
      ]);
      const host = lines.indexOf('# profile 0: h100_bert_small.json.gz (kineto), host');
      expect(lines[host + 1]).to.equal(
        'peak 16 bytes (16 B) of memory_allocated CPU at 1567.173 us, step 6, op aten::empty',
      );
    },
  );

  itShared(
    'says where a trace from 2021 counts from',
    ['data/kineto/v100_resnet50_2021.json.gz'],
    async ([path = '']) => {
      const { stdout } = await run('', '--points', '4', path);
      expect(stdout.split('\n').slice(1, 4)).to.deep.equal([
        'peak 2791636480 bytes (2.600 GiB) of memory_allocated_since_first CUDA at 122011.000 us, step 5, op aten::empty',
        'plus memory allocated before the first event, which the profile does not record',
        '',
      ]);
    },
  );

  it('adds up the owners that it does not list', async () => {
    const { stdout } = await run(RECORDS, '--top', '1');
    // The third owner has no bytes.
    expect(stdout).to.include('  allocated before\nand 2 more with 1048576 bytes\n');
  });

  it('limits the lists of owners in JSON too', async () => {
    const owners = async (...args: string[]): Promise<Record<string, Record<string, object[]> & object[]>> =>
      JSON.parse((await run('', '-f', 'jsonl', ...args, 'samples/memory.pickle')).stdout) as never;
    const [whole, one] = [await owners(), await owners('--top', '1')];
    const lengths = ({ owners: found, kept }: typeof whole): unknown => [found?.['ops']?.length, found?.['categories']?.length, kept?.length]; // prettier-ignore
    expect([lengths(whole), lengths(one)]).to.deep.equal([
      [3, 2, 3],
      [1, 1, 1],
    ]);
    expect(one['owners']?.['ops']?.[0]).to.deep.equal(whole['owners']?.['ops']?.[0]);
  });

  it('writes bytes and ns as JSON and CSV', async () => {
    const { stdout } = await run(RECORDS, '-f', 'jsonl');
    const report = JSON.parse(stdout) as Record<string, unknown>;
    expect(report['peak']).to.deep.equal({
      metric: 'memory_allocated',
      of: 'PTA',
      bytes: 5 * MIB,
      start: 2000,
      step: 5,
      op: 'aten::mm',
    });
    expect(report['series'])
      .to.have.nested.property('[0].curve[1]')
      .that.deep.equals([2000, 5 * MIB]);
    const csv = (await run(RECORDS, '-f', 'csv')).stdout.split('\n');
    expect(csv[0]).to.equal('profile,file,rank,device,metric,of,start_ns,bytes');
    expect(csv[2]).to.equal('0,net.db,1,0,memory_allocated,PTA,2000,5242880');
  });

  it('names what is needed where no memory is recorded', async () => {
    const answers = [
      [neuronLines([profile('ascend-db'), kernel()]), 'no memory samples (record them with profile_memory=True)'],
      [
        neuronLines([kernel()]),
        'no memory samples (record them with profile_memory=True, or nsys profile --cuda-memory-usage=true)',
      ],
      [neuronLines([profile('neuron-monitor')]), 'neuron-monitor reports are not a profile (dprof monitor FILE)'],
    ];
    for (const [input = '', answer] of answers) {
      const { stdout, stderr, code } = await run(input);
      expect({ stdout, stderr, code }).to.deep.equal({ stdout: '', stderr: `dprof: stdin: ${answer}\n`, code: 1 });
    }
  });

  it('refuses options that its form has no use for', async () => {
    const cases: readonly (readonly [args: readonly string[], answer: string])[] = [
      [['-f', 'timeline', '--points', '9'], '--points cannot be combined with -f timeline'],
      [['-f', 'timeline-raw', '--top', '9'], '--top cannot be combined with -f timeline-raw'],
    ];
    for (const [args, answer] of cases) {
      const { stderr, code } = await run(RECORDS, ...args);
      expect({ stderr, code }).to.deep.equal({ stderr: `dprof: ${answer}\n`, code: 2 });
    }
  });

  it('says how a profile gets a timeline', async () => {
    const given = { ...profile('ascend-db'), facts: { profile_memory: 'true' } } as ProfileLine;
    const answers: readonly (readonly [input: readonly ProfileLine[], hint: string])[] = [
      [[profile('ascend-db')], ' (record them with profile_memory=True)'],
      [[profile('nsight')], ' (record them with nsys profile --cuda-memory-usage=true)'],
      [[profile('nvprof')], ' (record them with nsys profile --cuda-memory-usage=true instead of nvprof)'],
      // A capture of Neuron has memory by kind, and no allocations.
      [
        [profile('ntff'), sample('memory', MIB, { kind: 'weights' })],
        ' (dprof memory FILE shows what the profile recorded)',
      ],
      [[profile('ntff')], ''],
      // What was given already is not asked for again.
      [[given], ''],
      // When allocations of device 1 are released is not known, so that there is no timeline of them either.
      [[given, sample('op_memory', MIB, {}, { start: 1, device: 1, unit: 'bytes' })], ''],
    ];
    for (const [input, hint] of answers) {
      const { stderr, code } = await run(neuronLines(input), '-f', 'timeline');
      expect({ stderr, code }).to.deep.equal({ stderr: `dprof: stdin: no allocations of device 0${hint}\n`, code: 1 });
    }
    const { stderr } = await run(neuronLines([profile('neuron-monitor')]), '-f', 'timeline');
    expect(stderr).to.equal('dprof: stdin: neuron-monitor reports are not a profile (dprof monitor FILE)\n');
  });

  it('wants points and owners that can be', async () => {
    for (const option of ['--points', '--top']) expect((await run(RECORDS, option, '0')).code).to.equal(2);
  });
});
