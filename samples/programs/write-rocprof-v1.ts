/**
 * Databases of rocprof before rocprofv3, as `--hip-trace` writes them. Work has the number of its call, whose arguments are a
 * string with brackets as the tool writes them. Times are ns since the machine started.
 */
import { Tables, type Columns, type Row, type Schema } from './tables.js';

const integers = (names: string): Columns => names.split(' ').map((name) => [`"${name}"`, 'INTEGER'] as const);
const texts = (names: string): Columns => names.split(' ').map((name) => [`"${name}"`, 'TEXT'] as const);
const TIMES = integers('BeginNs EndNs');
const LANES = integers('__section __lane DurationNs');
const WORK = [
  ...TIMES,
  ...integers('dev-id queue-id'),
  ...texts('Name'),
  ...integers('pid tid'),
  ...texts('roctx-range'),
  ...integers('stream-id Index'),
  ...texts('Data'),
  ...LANES,
];
const CALLS = [
  ...TIMES,
  ...integers('pid tid'),
  ...texts('Name args'),
  ...integers('Index'),
  ...texts('Data'),
  ...LANES,
];
const SCHEMA: Schema = {
  HIP: CALLS,
  HSA: CALLS,
  OPS: WORK,
  COPY: WORK,
  KERN: [
    ...integers('Index'),
    ...texts('KernelName'),
    ...integers('gpu-id queue-id queue-index pid tid grd wgr lds scr arch_vgpr accum_vgpr sgpr wave_size sig obj'),
    ...integers('DispatchNs BeginNs EndNs CompleteNs DurationNs'),
  ],
};

type Span = readonly [start: number, end: number];
const quoted = (row: Row): Row => Object.fromEntries(Object.entries(row).map(([name, cell]) => [`"${name}"`, cell]));
const timed = ([BeginNs, EndNs]: Span): Row => ({ BeginNs, EndNs, DurationNs: EndNs - BeginNs, pid: 50, tid: 51 });

export class RocprofDatabase {
  readonly #tables = new Tables(SCHEMA);
  #calls = 0;

  /** @returns the call's number */
  call(Name: string, args: string, span: Span, table = 'HIP'): number {
    const Index = ++this.#calls;
    this.#tables.insert(table, quoted({ ...timed(span), Name, args, Index, Data: '', __section: 2, __lane: 51 }));
    return Index;
  }

  /** A kernel, or a copy such as `CopyHostToDevice`. Without a range of roctx, its column has the name of the work. */
  work(table: 'OPS' | 'COPY', Name: string, span: Span, Index: number): void {
    const row = {
      ...timed(span),
      Name,
      'roctx-range': Name,
      'dev-id': 4,
      'queue-id': 0,
      'stream-id': 1,
      Index,
      Data: '',
    };
    this.#tables.insert(table, quoted({ ...row, __section: 10, __lane: 1 }));
  }

  /** A kernel of a run without calls, whose name is in quotes. */
  kernel(name: string, span: Span, row: Row = {}): void {
    const sizes = { grd: 65_536, wgr: 256, lds: 1024, scr: 0, arch_vgpr: 40, accum_vgpr: 0, sgpr: 32, wave_size: 64 };
    const numbers = { Index: 0, 'gpu-id': 4, 'queue-id': 2, 'queue-index': 0, sig: '0x0', obj: '0x0' };
    this.#tables.insert(
      'KERN',
      quoted({ ...timed(span), KernelName: `"${name} [clone .kd]"`, ...numbers, ...sizes, ...row }),
    );
  }

  bytes(): Buffer {
    return this.#tables.bytes();
  }
}

const LAUNCH =
  '( kernel(saxpy(int, float, float*, float*)) function_address(0x200a40) numBlocks({z(1) y(2) x(64}) dimBlocks({z(1) y(1) x(256}) args(0x7ffe) sharedMemBytes(0) stream(1))';

/** An allocation, an upload, two launches and a download on the first GPU of a machine with four CPU nodes. */
export function saxpyRocprof(): Buffer {
  const database = new RocprofDatabase();
  const zero = 622_108_000_000_000;
  const span = (start: number, end: number): Span => [zero + start, zero + end];
  database.call('hipMalloc', '( ptr(0x7fc7d5600000) size(65536))', span(0, 10_000));
  const upload = database.call(
    'hipMemcpy',
    '( dst(0x7fc7d5600000) src(0x7fe2) sizeBytes(65536) kind(1))',
    span(20_000, 60_000),
  );
  // A copy may end after the call that waited for it.
  database.work('COPY', 'CopyHostToDevice', span(30_000, 61_000), upload);
  for (const start of [100_000, 120_000]) {
    const launch = database.call('hipLaunchKernel', LAUNCH, span(start, start + 5000));
    database.work('OPS', 'saxpy(int, float, float*, float*)', span(start + 8000, start + 18_000), launch);
  }
  const download = database.call(
    'hipMemcpy',
    '( dst(0x7fe2) src(0x7fc7d5600000) sizeBytes(65536) kind(2))',
    span(150_000, 190_000),
  );
  database.work('COPY', 'CopyDeviceToHost', span(155_000, 185_000), download);
  database.call('hipFree', '( ptr(0x7fc7d5600000))', span(200_000, 210_000));
  return database.bytes();
}

/** A table of two kernels with a counter, as a run with `-i` and `--timestamp on` writes it. */
export function saxpyTable(): Buffer {
  const header =
    'Index,KernelName,gpu-id,queue-id,queue-index,pid,tid,grd,wgr,lds,scr,arch_vgpr,accum_vgpr,sgpr,wave_size,sig,obj,SQ_WAVES,BeginNs,EndNs';
  const rows = [0, 1].map((index) => {
    const begin = 622_108_000_000_000 + index * 20_000;
    return `${index},"saxpy(int, float, float*, float*) [clone .kd]",4,0,${index},50,51,32768,256,0,0,40,0,32,64,0x0,0x0,512.0000000000,${begin},${begin + 10_000}`;
  });
  return Buffer.from([header, ...rows, ''].join('\n'));
}
