import { expect } from 'chai';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { rocprofCsv, type RocprofRow } from '../../../../samples/programs/write-rocprof-csv.js';
import { freshFolder, freshPath } from '../../../support/fresh-path.js';
import { diagnosticsOf, headerOf, kernelsOf, onlyKernelOf, recordsOf } from '../../../support/profile-records.js';
import { runCli } from '../../../support/run-cli.js';
import { itShared, ROOT } from '../../../support/shared.js';

const SAMPLE = join(ROOT, 'samples', 'matmul_kernel_trace.csv');

function file(text: string | Buffer): string {
  const path = freshPath('.csv');
  writeFileSync(path, text);
  return path;
}

const KERNEL: RocprofRow = {
  ...{
    Kind: 'KERNEL_DISPATCH',
    Agent_Id: 'Agent 4',
    Queue_Id: 3,
    Stream_Id: 5,
    Kernel_Name: 'scale',
    Correlation_Id: 9,
  },
  ...{ Start_Timestamp: 1000, End_Timestamp: 1250, LDS_Block_Size: 512, VGPR_Count: 24 },
  ...{ Workgroup_Size_X: 64, Workgroup_Size_Y: 4, Grid_Size_X: 640, Grid_Size_Y: 10 },
};
const written = (cells: RocprofRow = {}): string => file(rocprofCsv([{ ...KERNEL, ...cells }]));

describe('rocprofv3: the sample', () => {
  it('counts times from the first kernel, although they are above 2^53', () => {
    expect(headerOf(SAMPLE)).to.deep.include({ format: 'rocprofv3-csv', tool: 'rocprofv3', startUnixNs: null });
    expect(headerOf(SAMPLE).devices).to.deep.equal([
      { id: 4, vendor: 'amd', name: null, arch: null, units: null, clockHz: null, memBytesPerS: null, memBytes: null },
    ]);
    expect(kernelsOf(SAMPLE).map(({ start, dur, stream, corr }) => [start, dur, stream, corr])).to.deep.equal([
      [0, 42_000, 1, 1],
      [44_000, 9000, 2, 2],
      [50_000, 42_000, 1, 3],
      [94_000, 9000, 2, 4],
      [100_000, 42_000, 1, 5],
      [144_000, 9000, 2, 6],
    ]);
  });

  it('has grids in blocks: 2048 by 8 threads in blocks of 256, 1000 by 8 in those of 64 by 4', () => {
    expect(kernelsOf(SAMPLE).slice(0, 2).map(({ grid, block, registers, sharedBytes }) => [grid, block, registers, sharedBytes])).to.deep.equal([
      [[8, 8, 1], [256, 1, 1], 124, 32_768],
      [[16, 2, 1], [64, 4, 1], 16, 0],
    ]); // prettier-ignore
  });
});

describe('rocprofv3: cells', () => {
  it('has a kernel by the cells of its row, without a launch', () => {
    expect(onlyKernelOf(written())).to.deep.include({
      ...{ name: 'scale', start: 0, dur: 250, device: 4, stream: 5, corr: 9, launch: null },
      ...{ grid: [10, 3, 1], block: [64, 4, 1], registers: 24, sharedBytes: 512 },
    });
    expect(diagnosticsOf(written())).to.deep.equal({ 'kernel-without-launch': 1 });
  });

  it('takes the number of an agent, however it is written', () => {
    expect(['Agent 12', 'GPU 0', 1].map((id) => onlyKernelOf(written({ Agent_Id: id })).device)).to.deep.equal([12, 0, 1]); // prettier-ignore
  });

  it('has an unknown correlation id for 0, which all kernels of ROCm 6.2.0 have', () => {
    expect(onlyKernelOf(written({ Correlation_Id: 0 })).corr).to.equal(null);
  });

  it('keeps commas and quotes of a name', () => {
    expect(onlyKernelOf(written({ Kernel_Name: 'f<"a", 2>(int, int)' })).name).to.equal('f<"a", 2>(int, int)');
  });

  it('has unknown fields for cells that are not numbers, but keeps all kernels', () => {
    const bad = { Stream_Id: 'x', Queue_Id: '', End_Timestamp: 'x', Grid_Size_X: '', VGPR_Count: 'x' };
    expect(onlyKernelOf(written({ ...bad, Kernel_Name: '' }))).to.deep.include({
      ...{ name: 'kernel#na', start: 0, dur: null, stream: null, grid: null, registers: null },
    });
  });

  it('loses no time to a first one that is damaged', () => {
    const starts = ['9'.repeat(18), 9_100_000_000_000_000n, 9_100_000_000_000_300n];
    const rows = starts.map((start) => ({ ...KERNEL, Start_Timestamp: start, End_Timestamp: 9_100_000_000_000_400n }));
    expect(kernelsOf(file(rocprofCsv(rows))).map(({ start, dur }) => [start, dur])).to.deep.include.members([[0, 400], [300, 100]]); // prettier-ignore
  });
});

describe('rocprofv3: other versions', () => {
  const rewritten = (change: (text: string) => string): string =>
    file(change(rocprofCsv([KERNEL]).toString().trimEnd()));

  it('takes the queue where there are no streams, and local memory by its older name, as in 2024', () => {
    const path = rewritten((text) =>
      text.replace('Stream_Id', 'Other').replace('LDS_Block_Size', 'Group_Segment_Size').replace('VGPR', 'Other'),
    );
    expect(onlyKernelOf(path)).to.deep.include({ stream: 3, sharedBytes: 512, registers: null });
  });

  it('reads columns in other capitals and behind another one, all quoted, after a byte order mark', () => {
    const convert = (line: string, i: number): string =>
      `"${i === 0 ? 'Guid' : 'a-b'}",${i === 0 ? line.replace('LDS', 'Lds').replace('VGPR', 'Vgpr') : line}`;
    const path = rewritten((text) => `\uFEFF${text.split('\n').map(convert).join('\r\n')}\n\n`);
    expect(onlyKernelOf(path)).to.deep.include({ name: 'scale', device: 4, sharedBytes: 512, registers: 24 });
  });

  it('refuses a table that is not a kernel trace, and names the file to give', async () => {
    const path = file(
      '"Kind","Operation","Agent_Id","Start_Timestamp"\n"SCRATCH_MEMORY","SCRATCH_MEMORY_ALLOC","Agent 4",1\n',
    );
    expect((await runCli('dparse', [path])).stderr).to.include('is text');
    expect((await runCli('dparse', ['--input-format', 'rocprofv3-csv', path])).stderr).to.include(
      'is not a table of a rocprofv3 trace (give the file that ends in _kernel_trace.csv)',
    );
  });
});

/** Tables of one process under one prefix. */
function folder(tables: Readonly<Record<string, string | Buffer>>): string {
  const path = freshFolder();
  for (const [name, text] of Object.entries(tables)) writeFileSync(join(path, name), text);
  return path;
}

const API = 'Domain,Function,Process_Id,Thread_Id,Correlation_Id,Start_Timestamp,End_Timestamp\n';
const CALLS = `${API}"HIP_RUNTIME_API_EXT","hipLaunchKernel",7,8,9,900,980\n`;
const COPY =
  'Kind,Direction,Stream_Id,Source_Agent_Id,Destination_Agent_Id,Correlation_Id,Start_Timestamp,End_Timestamp\n';
const COUNTERS =
  'Correlation_Id,Dispatch_Id,Agent_Id,Queue_Id,Process_Id,Thread_Id,Grid_Size,Kernel_Name,Workgroup_Size,LDS_Block_Size,VGPR_Count,Counter_Name,Counter_Value,Start_Timestamp,End_Timestamp\n';

describe('rocprofv3: tables of one process', () => {
  const agents =
    'Node_Id,Agent_Type,Cu_Count,Max_Engine_Clk_Fcompute,Name,Product_Name\n0,"CPU",64,0,"EPYC","EPYC"\n4,"GPU",304,2100,"gfx942","AMD Instinct MI300X"\n';
  const copies = `${COPY}"MEMORY_COPY","MEMORY_COPY_HOST_TO_DEVICE",2,"Agent 0","Agent 4",10,1300,1340\n`;
  const markers = `${API}"MARKER_CORE_RANGE_API","forward",7,0,3,800,2000\n"MARKER_CORE_API","here",7,8,4,850,850\n`;
  const memory =
    'Kind,Operation,Agent_Id,Allocation_Size,Address,Correlation_Id,Start_Timestamp,End_Timestamp\n' +
    '"MEMORY_ALLOCATION","MEMORY_ALLOCATION_FREE","",0,"0x10",7,1500,1510\n' +
    '"MEMORY_ALLOCATION","MEMORY_ALLOCATION_ALLOCATE","Agent 4",4096,"0x10",6,700,760\n';
  const all = {
    'net_kernel_trace.csv': rocprofCsv([KERNEL]),
    'net_hip_api_trace.csv': `${CALLS}"HIP_RUNTIME_API_EXT","hipMemcpy",7,8,10,1250,1400\n`,
    'net_memory_copy_trace.csv': copies,
    'net_marker_api_trace.csv': markers,
    'net_memory_allocation_trace.csv': memory,
    'net_agent_info.csv': agents,
  };

  it('are one profile: launches, copies, ranges, memory and facts of the device, from the first time of any', async () => {
    const path = folder(all);
    const { stdout, code } = await runCli('dparse', ['--ranges', path]);
    expect(code).to.equal(0);
    const records = stdout.trimEnd().split('\n').map((line) => JSON.parse(line) as Record<string, unknown>); // prettier-ignore
    const some = (type: string): Record<string, unknown>[] => records.filter((record) => record['type'] === type);
    expect(some('profile')).to.have.length(1);
    expect(some('profile')[0]?.['devices']).to.deep.equal([
      { id: 0, vendor: 'amd', name: 'AMD Instinct MI300X', arch: 'gfx942', units: 304, clockHz: 2_100_000_000, memBytesPerS: null, memBytes: null },
    ]); // prettier-ignore
    // The allocation that ended at 760 is the first time of the profile.
    expect(some('kernel')[0]).to.deep.include({ start: 240, corr: 9 });
    expect(some('kernel')[0]?.['launch']).to.deep.include({ api: 'hipLaunchKernel', start: 140 });
    expect(some('copy')[0]).to.deep.include({ kind: 'HtoD', start: 540, dur: 40, device: 0, stream: 2, bytes: null });
    expect(some('copy')[0]?.['launch']).to.deep.include({ api: 'hipMemcpy' });
    expect(some('sample').map(({ start, value, device }) => [start, value, device])).to.deep.equal([[0, 4096, 0], [740, 0, 0]]); // prettier-ignore
    const ranges = some('range').map(({ text, name, start, dur }) => [text ?? name, start, dur]);
    expect(ranges).to.deep.include.members([['forward', 40, 1200], ['here', 90, 0]]); // prettier-ignore
  });

  it('are read from any of them, and apart where names begin otherwise', async () => {
    const path = folder({ ...all, 'other_kernel_trace.csv': rocprofCsv([KERNEL]) });
    expect(onlyKernelOf(join(path, 'net_hip_api_trace.csv')).launch).to.deep.include({ api: 'hipLaunchKernel' });
    expect(onlyKernelOf(join(path, 'other_kernel_trace.csv')).launch).to.equal(null);
    const { stdout } = await runCli('dparse', [path]);
    expect(stdout.match(/"type":"profile"/g)).to.have.length(2);
  });

  it('join no call that began after the kernel: the ids of two runs under one prefix are alike', () => {
    const path = folder({ ...all, 'net_hip_api_trace.csv': CALLS.replace('900,980', '1260,1270') });
    expect(onlyKernelOf(join(path, 'net_kernel_trace.csv'))).to.deep.include({ launch: null, corr: null });
  });

  it('give kernels the counters of their dispatch, added up, but not those of another run', () => {
    const row = (thread: number, name: string, value: number): string =>
      `1,0,"Agent 4",3,7,${thread},640,"scale",256,512,24,${name},${value},1000,1250\n`;
    const counters = COUNTERS + row(0, 'SQ_WAVES', 3) + row(0, 'GRBM', 5) + row(0, 'SQ_WAVES', 4);
    const with_ = (text: string): string =>
      join(folder({ ...all, 'net_counter_collection.csv': text }), 'net_kernel_trace.csv');
    expect(onlyKernelOf(with_(counters)).counters).to.deep.equal({ GRBM: 5, SQ_WAVES: 7 });
    expect(diagnosticsOf(with_(counters))).to.deep.include({ 'kernels-one-at-a-time': 1 });
    const others = with_(COUNTERS + row(99, 'SQ_WAVES', 3) + row(0, '', 3) + row(0, 'GRBM', NaN));
    expect(onlyKernelOf(others).counters).to.equal(undefined);
    expect(headerOf(others).facts).to.deep.equal({
      not_read:
        'counter values of dispatches without kernels: 1, counter values without a name: 1, counter values without a number: 1',
    });
  });

  it('are kernels by their counters where there is no trace, with times where the table has them', () => {
    const row = (dispatch: number, start: string): string =>
      `1,${dispatch},"Agent 4",3,7,8,640,"scale",256,512,24,SQ_WAVES,3,${start}\n`;
    const path = file(COUNTERS + row(2, '2000,2100') + row(1, '1000,1250'));
    expect(kernelsOf(path).map(({ start, dur, stream, grid, counters }) => [start, dur, stream, grid, counters])).to.deep.equal([
      [0, 250, 3, null, { SQ_WAVES: 3 }],
      [1000, 100, 3, null, { SQ_WAVES: 3 }],
    ]); // prettier-ignore
  });

  it('have facts of GPUs that labels count by type, and memory of the host for that of a CPU', () => {
    const head = 'Kind,Operation,Agent_Id,Allocation_Size,Address,Correlation_Id,Start_Timestamp,End_Timestamp\n';
    const row = (agent: string, size: number): string =>
      `"MEMORY_ALLOCATION","MEMORY_ALLOCATION_ALLOCATE","${agent}",${size},"0x${size}",6,1000,1010\n`;
    const path = folder({
      'net_kernel_trace.csv': rocprofCsv([{ ...KERNEL, Agent_Id: 'GPU 1' }]),
      'net_memory_allocation_trace.csv': head + row('CPU 0', 100) + row('GPU 0', 300),
      'net_agent_info.csv':
        'Node_Id,Agent_Type,Name,Product_Name\n3,"GPU","gfx942","second"\n0,"CPU","EPYC","EPYC"\n2,"GPU","gfx942","first"\n',
    });
    const trace = join(path, 'net_kernel_trace.csv');
    expect(headerOf(trace).devices.map(({ id, name }) => [id, name])).to.deep.equal([[0, 'first'], [1, 'second']]); // prettier-ignore
    expect(onlyKernelOf(trace).device).to.equal(1);
    const samples = recordsOf(trace).filter((record) => record.type === 'sample');
    expect(samples.map(({ device, value }) => [device, value])).to.have.deep.members([[null, 100], [0, 300]]); // prettier-ignore
  });

  it('number GPUs as other outputs do by the table of agents, whose numbers and labels count CPUs too', () => {
    const path = folder({
      'net_kernel_trace.csv': rocprofCsv([3, 2, 9].map((node) => ({ ...KERNEL, Agent_Id: `Agent ${node}` }))),
      'net_agent_info.csv': 'Node_Id,Agent_Type,Name\n3,GPU,gfx942\n0,CPU,EPYC\n1,CPU,EPYC\n2,GPU,gfx90a\n',
    });
    const trace = join(path, 'net_kernel_trace.csv');
    expect(headerOf(trace).devices.map(({ id, arch }) => [id, arch])).to.deep.equal([[0, 'gfx90a'], [1, 'gfx942']]); // prettier-ignore
    // The third is on an agent that is not in the table, and counted.
    expect(kernelsOf(trace).map(({ device }) => device)).to.have.members([1, 0, 0]);
    expect(diagnosticsOf(trace)).to.deep.include({ 'bad-row': 1 });
  });

  it('give copies within host memory to the only GPU that works, and leave them out where several do', () => {
    const copies = `${COPY}"MEMORY_COPY","MEMORY_COPY_HOST_TO_HOST",2,"Agent 0","Agent 1",10,1300,1340\n`;
    const on = (...agents: readonly string[]): string =>
      join(
        folder({
          'net_kernel_trace.csv': rocprofCsv(agents.map((Agent_Id) => ({ ...KERNEL, Agent_Id }))),
          'net_memory_copy_trace.csv': copies,
        }),
        'net_kernel_trace.csv',
      );
    const devicesOf = (path: string) => recordsOf(path).flatMap((each) => (each.type === 'copy' ? [each.device] : []));
    expect(devicesOf(on('Agent 4'))).to.deep.equal([4]);
    expect(diagnosticsOf(on('Agent 4'))).not.to.have.property('bad-row');
    expect(devicesOf(on('Agent 4', 'Agent 5'))).to.deep.equal([]);
    expect(headerOf(on('Agent 4', 'Agent 5')).facts).to.deep.include({ not_read: 'copies within host memory: 1' });
  });

  it('keep blocks of processes apart that have the same address', () => {
    const head = 'Guid,Kind,Operation,Agent_Id,Allocation_Size,Address,Correlation_Id,Start_Timestamp,End_Timestamp\n';
    const row = (run: string, operation: string, size: number, start: number): string =>
      `"${run}","MEMORY_ALLOCATION","MEMORY_ALLOCATION_${operation}","GPU 0",${size},"0x10",6,${start},${start + 10}\n`;
    const rows = [row('a', 'ALLOCATE', 100, 1000), row('b', 'ALLOCATE', 20, 2000), row('a', 'FREE', 0, 3000)];
    const path = file(head + rows.join(''));
    const samples = recordsOf(path).flatMap((each) => (each.type === 'sample' ? [[each.start, each.value]] : []));
    // The first time is the end of the first allocation, 1010: 100, then 120; the release takes the 100 of its own process.
    expect(samples).to.deep.equal([[0, 100], [1000, 120], [1990, 20]]); // prettier-ignore
    expect(diagnosticsOf(path)).not.to.have.property('allocation-without-free');
  });

  it('join calls and kernels of one run where a table has several, whose ids are the same', () => {
    const columns = ['Guid', ...rocprofCsv([]).toString().replaceAll('"', '').trim().split(',')];
    const runs = ['a', 'b', 'c'].map((Guid, i) => ({
      ...KERNEL,
      Guid,
      Start_Timestamp: 1000 + i,
      End_Timestamp: 2000,
    }));
    const calls = `Guid,${API}"a","HIP_RUNTIME_API","hipA",7,8,9,900,980\n"b","HIP_RUNTIME_API","hipB",7,8,9,910,990\n`;
    const path = folder({ 'net_kernel_trace.csv': rocprofCsv(runs, columns), 'net_hip_api_trace.csv': calls });
    const kernels = kernelsOf(join(path, 'net_kernel_trace.csv'));
    expect(kernels.map(({ launch, pid }) => [launch?.api, pid])).to.deep.equal([
      ['hipA', 7],
      ['hipB', 7 + 2 ** 32],
      [undefined, null],
    ]);
  });

  it('count rows that are not read: of scratch memory, and of functions of roctx that pause the tracer', async () => {
    const scratch =
      'Kind,Operation,Agent_Id,Queue_Id,Thread_Id,Alloc_Flags,Start_Timestamp,End_Timestamp\n"SCRATCH_MEMORY","SCRATCH_MEMORY_ALLOC","Agent 4",1,8,0,1000,1010\n';
    const path = folder({
      'net_kernel_trace.csv': rocprofCsv([{ ...KERNEL, Thread_Id: 8 }]),
      'net_scratch_memory_trace.csv': scratch,
      'net_marker_api_trace.csv': `${API}"MARKER_CONTROL_API","roctxProfilerPause",7,8,4,850,850\n`,
    });
    const trace = join(path, 'net_kernel_trace.csv');
    expect(headerOf(trace).facts).to.deep.equal({ not_read: 'MARKER_CONTROL_API: 1, scratch_memory_trace: 1' });
    expect(onlyKernelOf(trace)).to.deep.include({ tid: 8, launch: null });
    const { stderr } = await runCli('dparse', [join(path, 'net_scratch_memory_trace.csv')]);
    expect(stderr).to.match(/is a rocprofv3 table that has no kernels, copies or calls \(give the folder/);
  });

  it('of calls alone say which option was missing', () => {
    expect(diagnosticsOf(file(CALLS))).to.deep.equal({ 'launch-without-work': 1, 'work-not-recorded': 1 });
  });

  it('of sums are refused with the file to give', async () => {
    const { stderr } = await runCli('dparse', [file('"Name","Calls","TotalDurationNs","AverageNs","Percentage"\n')]);
    expect(stderr).to.match(/is a table of totals from rocprof .*\(give the trace of the same run/);
  });
});

/** Figures of a real file: kernels, their time in ns, their names, those with all three sizes. */
const figures = (path: string): number[] => {
  const kernels = kernelsOf(path);
  const known = kernels.filter(({ grid, block }) => grid !== null && block !== null);
  const ns = kernels.reduce((all, { dur }) => all + (dur ?? NaN), 0);
  return [kernels.length, ns, new Set(kernels.map(({ name }) => name)).size, known.length];
};

describe('rocprofv3: real files', () => {
  // Times and names by a program that reads the columns and nothing else.
  itShared('llama.cpp with graphs', ['data/amd/csv_decode/decode_kernel_trace.csv'], ([path = '']) => {
    expect(figures(path)).to.deep.equal([144, 1_857_381, 17, 144]);
    const launches = kernelsOf(path).flatMap(({ launch }) => (launch === null ? [] : [launch.api])).sort(); // prettier-ignore
    const apis = { hipGraphLaunch: 24, hipLaunchKernel: 2, hipMemcpyAsync: 1 };
    expect(launches).to.deep.equal(Object.entries(apis).flatMap(([api, count]) => Array<string>(count).fill(api)));
  });

  itShared('counters of llama.cpp', ['data/amd/csv_decode'], ([path = '']) => {
    const tables = ['fetch', 'stall'].map((name) => kernelsOf(join(path, `decode_${name}_counter_collection.csv`)));
    expect(tables.map((kernels) => kernels.length)).to.deep.equal([34, 34]);
    const values = tables.flat().flatMap(({ counters }) => Object.keys(counters ?? {}));
    expect([values.length, new Set(values).size]).to.deep.equal([374, 11]);
  });

  itShared('the documentation of 2024', ['data/amd/csv_docs_2024/kernel_trace.csv'], ([path = '']) => {
    expect(figures(path)).to.deep.equal([7, 795_453, 3, 7]);
  });

  itShared('the documentation of 2025', ['data/amd/csv_docs_2025/kernel_trace.csv'], ([path = '']) => {
    expect(figures(path)).to.deep.equal([9, 96_160, 4, 9]);
    expect(recordsOf(path).filter(({ type }) => type !== 'kernel').map(({ type }) => type)).to.deep.equal(['profile', 'end']); // prettier-ignore
  });
});
