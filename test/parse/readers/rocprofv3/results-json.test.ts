import { expect } from 'chai';
import { copyFileSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import {
  call,
  copy,
  counted,
  kernel,
  marker,
  memory,
  rocprofJson,
} from '../../../../samples/programs/write-rocprof-json.js';
import { freshFolder, freshPath } from '../../../support/fresh-path.js';
import {
  diagnosticsOf,
  headerOf,
  kernelsOf,
  onlyKernelOf,
  openedRecordsOf,
  recordsOf,
} from '../../../support/profile-records.js';
import { runCli } from '../../../support/run-cli.js';
import { itShared, ROOT } from '../../../support/shared.js';

const SAMPLE = join(ROOT, 'samples', 'softmax_results.json');

type Process = Parameters<typeof rocprofJson>[0][number];
type Records = Process['records'];

function file(bytes: Buffer | string): string {
  const path = freshPath('_results.json');
  writeFileSync(path, bytes);
  return path;
}
const PROCESS = { span: [1000n, 9000n], kernels: ['scale(float*)', 'f'] } as const;
const written = (records: Records, process: Partial<Process> = {}): string =>
  file(rocprofJson([{ ...PROCESS, ...process, records }]));

const SCALE = { kernel: 1, dispatch: 4, grid: [640, 10, 1], block: [64, 4, 1], stream: 3, shared: 512 } as const;
const LAUNCHED = {
  hip_api: [call('hipLaunchKernel', [1500n, 1600n], 9)],
  kernel_dispatch: [kernel([2000n, 2250n], 9, SCALE)],
};
const some = (path: string, type: string): object[] => recordsOf(path, { ranges: true }).filter((record) => record.type === type); // prettier-ignore

describe('rocprofv3 JSON: the sample', () => {
  it('says which device and how long the tracer ran, in times above 2^53', () => {
    expect(headerOf(SAMPLE)).to.deep.include({
      format: 'rocprofv3-json',
      tool: 'rocprofv3',
      startUnixNs: null,
      dur: 400_000,
    });
    expect(headerOf(SAMPLE).devices).to.deep.equal([
      { id: 0, vendor: 'amd', name: 'AMD Instinct MI300X', arch: 'gfx942', units: 304, clockHz: 2_100_000_000, memBytesPerS: 5_324_800_000_000, memBytes: 206_141_652_992 },
    ]); // prettier-ignore
  });

  it('has kernels in time order, by the step that launched them', () => {
    expect(kernelsOf(SAMPLE).map(({ start, dur, launch, counters }) => [start, dur, launch?.start, counters])).to.deep.equal([
      [108_000, 42_000, 100_000, { FETCH_SIZE: 64, SQ_WAVES: 1024 }],
      [150_000, 10_000, 106_000, undefined],
      [208_000, 42_000, 200_000, { FETCH_SIZE: 64, SQ_WAVES: 1024 }],
      [250_000, 10_000, 206_000, undefined],
    ]); // prettier-ignore
    expect(
      some(SAMPLE, 'range').filter((range) => 'text' in range && String(range.text).startsWith('step')),
    ).to.have.length(2);
  });
});

describe('rocprofv3 JSON: processes', () => {
  it('keeps two of one number apart, as containers have them', () => {
    const other = { kernel_dispatch: LAUNCHED.kernel_dispatch, hip_api: [call('hipMalloc', [1800n, 1900n], 9)] };
    const path = file(rocprofJson([LAUNCHED, other].map((records) => ({ ...PROCESS, records }))));
    expect(kernelsOf(path).map(({ launch, pid }) => [launch?.api, pid])).to.have.deep.members([
      ['hipLaunchKernel', 70],
      ['hipMalloc', 70 + 2 ** 32],
    ]);
  });

  it('states the thread of a kernel whose call is not recorded', () => {
    const path = written({ kernel_dispatch: LAUNCHED.kernel_dispatch });
    expect(onlyKernelOf(path)).to.deep.include({ pid: 70, tid: 70, launch: null });
  });

  it('finds a kernel by its place where symbols have no number', () => {
    const text = rocprofJson([{ ...PROCESS, records: LAUNCHED }]).toString();
    expect(onlyKernelOf(file(text.replaceAll(/"kernel_id":\d+,"kernel_name"/g, '"kernel_name"'))).name).to.equal('scale(float*)'); // prettier-ignore
  });

  it('reads functions of roctx that pause the tracer as no ranges', () => {
    const text = rocprofJson([{ ...PROCESS, records: { ...LAUNCHED, marker_api: [marker('roctxThreadRangeA', [1000n, 3000n], 8)] } }]).toString(); // prettier-ignore
    const path = file(text.replace('MARKER_CORE_RANGE_API', 'MARKER_CONTROL_API'));
    expect(headerOf(path).facts).to.deep.equal({ not_read: 'MARKER_CONTROL_API: 1' });
  });
});

describe('rocprofv3 JSON: rows', () => {
  it('has a kernel by its row, with the call of its correlation id', () => {
    expect(onlyKernelOf(written(LAUNCHED))).to.deep.include({
      ...{ name: 'scale(float*)', start: 1000, dur: 250, device: 0, stream: 3, pid: 70, corr: 9 },
      ...{ grid: [10, 3, 1], block: [64, 4, 1], registers: 32, sharedBytes: 512 },
      launch: { api: 'hipLaunchKernel', start: 500, dur: 100 },
    });
  });

  it('keeps a kernel whose symbol is missing, and joins nothing by 0', () => {
    const path = written({ ...LAUNCHED, kernel_dispatch: [kernel([2000n, 2250n], 0, { ...SCALE, kernel: 77 })] });
    expect(onlyKernelOf(path)).to.deep.include({ name: 'kernel#77', corr: null, launch: null });
  });

  it('takes directions, texts and calls by the numbers in the file', () => {
    const path = written({
      hip_api: [call('hipMemcpyAsync', [1000n, 1100n], 5)],
      memory_copy: [copy('DEVICE_TO_HOST', [1200n, 1300n], 5, 4096)],
      marker_api: [marker('roctxThreadRangeA', [1000n, 1400n], 6), marker('roctxThreadRangeA', [1100n, 1200n], 7)],
    }, { texts: [[6, 'forward']] }); // prettier-ignore
    expect(some(path, 'copy')).to.have.length(1);
    expect(some(path, 'copy')[0]).to.deep.include({ kind: 'DtoH', bytes: 4096, device: 0, start: 200, dur: 100 });
    const texts = some(path, 'range').map((range) => ('text' in range ? range.text : null));
    expect(texts).to.have.members(['hipMemcpyAsync', 'forward', 'roctxThreadRangeA']);
  });

  it('adds up memory, and takes a release off the device of its block', () => {
    const path = written({
      memory_allocation: [
        memory([3000n, 3010n], 3, '0x10', null),
        memory([2000n, 2010n], 2, '0x20', 100),
        memory([1000n, 1010n], 1, '0x10', 1000),
      ],
    });
    const samples = some(path, 'sample') as { start: number; device: number; value: number }[];
    expect(samples.map(({ start, device, value }) => [start, device, value])).to.deep.equal([[10, 0, 1000], [1010, 0, 1100], [2000, 0, 100]]); // prettier-ignore
  });

  it('counts kinds that are not read, and rows that are not objects', () => {
    const path = file(String(rocprofJson([{ ...PROCESS, records: { hip_event: [call('hipFree', [1n, 2n], 1)] } }])).replace('"hip_event":[', '"rccl_api":[7],"hip_event":[')); // prettier-ignore
    expect(headerOf(path).facts).to.deep.include({ not_read: 'hip_event: 1' });
    expect(diagnosticsOf(path)).to.deep.include({ 'malformed-event': 1 });
  });

  it('has a kernel for each dispatch of counters alone, which ran one at a time', () => {
    const path = written({}, { counters: ['SQ_WAVES'], counter_collection: [counted([2000n, 2100n], 9, SCALE, [[1, 3], [1, 4]])] }); // prettier-ignore
    expect(onlyKernelOf(path)).to.deep.include({ start: 1000, dur: 100, counters: { SQ_WAVES: 7 }, stream: 3 });
    expect(diagnosticsOf(path)).to.deep.include({ 'kernels-one-at-a-time': 1 });
  });

  it('counts values of counters whose dispatch is no number, or has no kernel', () => {
    const rows = [counted([2000n, 2100n], 9, { ...SCALE, dispatch: 77 }, [[1, 3], [1, 4]]), counted([2000n, 2100n], 8, { ...SCALE, dispatch: 78 }, [[1, 5]])]; // prettier-ignore
    const path = file(String(rocprofJson([{ ...PROCESS, records: LAUNCHED, counters: ['SQ_WAVES'], counter_collection: rows }])).replace('"dispatch_id":77', '"dispatch_id":"7a"')); // prettier-ignore
    expect(onlyKernelOf(path).counters).to.equal(undefined);
    expect(headerOf(path).facts).to.deep.equal({
      not_read: 'counter values of dispatches without kernels: 1, counter values without a dispatch: 2',
    });
  });
});

describe('rocprofv3 JSON: files', () => {
  it('has several processes, whose correlation ids are their own', () => {
    const path = file(rocprofJson([{ ...PROCESS, records: LAUNCHED }, { ...PROCESS, pid: 71, records: { ...LAUNCHED, hip_api: [call('hipMemcpyAsync', [1700n, 1800n], 9)] } }])); // prettier-ignore
    expect(kernelsOf(path).map(({ pid, launch }) => [pid, launch?.api])).to.deep.equal([[70, 'hipLaunchKernel'], [71, 'hipMemcpyAsync']]); // prettier-ignore
    expect(headerOf(path).devices).to.have.length(1);
  });

  it('reads tables below the records, and what is before a cut', () => {
    const { buffer_records: records, ...tables } = (JSON.parse(String(rocprofJson([{ ...PROCESS, records: LAUNCHED }]))) as { 'rocprofiler-sdk-tool': [Record<string, unknown>] })['rocprofiler-sdk-tool'][0]; // prettier-ignore
    const turned = JSON.stringify({ 'rocprofiler-sdk-tool': [{ buffer_records: records, ...tables }] });
    expect(kernelsOf(file(turned))).to.deep.equal(kernelsOf(written(LAUNCHED)));
    const cut = String(
      rocprofJson([{ ...PROCESS, records: { ...LAUNCHED, rccl_api: [call('hipFree', [1n, 2n], 1)] } }]),
    );
    const path = file(cut.slice(0, cut.indexOf('"rccl_api"')));
    expect(kernelsOf(path)).to.have.length(1);
    expect(diagnosticsOf(path)).to.deep.include({ 'truncated-input': 1 });
  });

  it('has the same records wherever the tables of its processes are', () => {
    const times = (i: number, process: number): [bigint, bigint] => [1500n + BigInt(i * 20 + process), 1510n + BigInt(i * 20 + process)]; // prettier-ignore
    const process = (pid: number): Process => ({
      ...{
        ...PROCESS,
        pid,
        counters: ['SQ_WAVES'],
        counter_collection: [counted([2000n, 2100n], 9, SCALE, [[1, pid]])],
      },
      records: {
        hip_api: Array.from({ length: 150 }, (_, i) => call('hipLaunchKernel', times(i, pid - 70), i + 1)),
        kernel_dispatch: Array.from({ length: 150 }, (_, i) => kernel(times(i, pid - 70), i + 1, { ...SCALE, dispatch: i })), // prettier-ignore
      },
    });
    const parts = JSON.parse(String(rocprofJson([process(70), process(71)]))) as {
      'rocprofiler-sdk-tool': Record<string, unknown>[];
    };
    const recordsWith = (turned: readonly boolean[]): string => {
      const processes = parts['rocprofiler-sdk-tool'].map((one, i) =>
        turned[i] === true ? Object.fromEntries(Object.entries(one).reverse()) : one,
      );
      const [header, ...others] = recordsOf(file(JSON.stringify({ 'rocprofiler-sdk-tool': processes })), {
        ranges: true,
      });
      return JSON.stringify([{ ...header, file: '' }, ...others]);
    };
    const usual = recordsWith([false, false]);
    expect(usual.match(/"type":"kernel"/g)).to.have.length(300);
    expect(usual.match(/"counters":\{"SQ_WAVES":7[01]\}/g)).to.have.length(2);
    for (const turned of [[true, false], [false, true], [true, true]]) expect(recordsWith(turned)).to.equal(usual); // prettier-ignore
  });

  it('says calls alone', () => {
    expect(diagnosticsOf(written({ hip_api: LAUNCHED.hip_api }))).to.deep.include({ 'work-not-recorded': 1 });
  });

  it('is passed over, like tables, in a folder with the database of the same run, which a message says', async () => {
    const formatsIn = async (folder: string) => {
      const { stdout, stderr } = await runCli('dparse', [folder]);
      return { formats: [...stdout.matchAll(/"format":"([\w-]+)"/g)].map(([, format]) => format), stderr };
    };
    const folder = freshFolder();
    copyFileSync(SAMPLE, join(folder, '7_results.json'));
    copyFileSync(join(ROOT, 'samples', 'matmul_kernel_trace.csv'), join(folder, '7_kernel_trace.csv'));
    copyFileSync(join(ROOT, 'samples', 'mlp_results.db'), join(folder, '7_results.db'));
    // Of another run.
    copyFileSync(join(ROOT, 'samples', 'matmul_kernel_trace.csv'), join(folder, '8_kernel_trace.csv'));
    const { formats, stderr } = await formatsIn(folder);
    expect(formats).to.deep.equal(['rocpd', 'rocprofv3-csv']);
    expect(stderr).to.match(/: 2 files left out, whose run is in 7_results\.db: 7_kernel_trace\.csv/);
    // Tables are passed over for the JSON too, which has copy sizes.
    unlinkSync(join(folder, '7_results.db'));
    expect(await formatsIn(folder)).to.deep.include({ formats: ['rocprofv3-json', 'rocprofv3-csv'] });
    // Packed, a file is not its own database.
    const packed = freshFolder();
    writeFileSync(join(packed, '7_results.json.gz'), gzipSync(readFileSync(SAMPLE)));
    expect((await formatsIn(packed)).formats).to.deep.equal(['rocprofv3-json']);
  });
});

describe('rocprofv3 JSON given to dprof', () => {
  it('is a profile, although types of its agents stand in its first line', async () => {
    const { stdout, code } = await runCli('dprof', ['summary', '-q', join(ROOT, 'samples/softmax_results.json')]);
    expect(code).to.equal(0);
    expect(stdout)
      .to.match(/^# profile 0: softmax_results\.json \(rocprofv3-json\)\n/)
      .and.match(/\b4 kernels,/);
  });
});

describe('rocprofv3 JSON: a real file', () => {
  itShared('of training on MI350X', ['data/amd/mi350_fsdp_12000_results.json.gz'], async ([path = '']) => {
    const records = await openedRecordsOf(path);
    const kernels = records.filter((record) => record.type === 'kernel');
    const ns = kernels.reduce((sum, { dur }) => sum + (dur ?? NaN), 0);
    expect([kernels.length, ns, new Set(kernels.map(({ name }) => name)).size]).to.deep.equal([
      12_000, 2_592_585_647, 80,
    ]);
    const [streams, launched] = [
      new Set(kernels.map(({ stream }) => stream)),
      kernels.filter(({ launch }) => launch !== null),
    ];
    expect([streams.size, launched.length]).to.deep.equal([567, 0]);
    expect(records[0]).to.deep.include({ dur: 19_207_532_470 });
    expect(records[0]?.type === 'profile' ? records[0].devices.length : 0).to.equal(8);
  });
});
