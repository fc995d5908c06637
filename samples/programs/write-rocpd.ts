/**
 * rocpd databases as rocprofv3 writes them, schema 3.0.2. Times are ns since the machine started. The name of each table
 * ends in the id of the process run; a view of the name without it shows all runs.
 */
import { Interned, Tables, type Columns, type Row, type Schema } from './tables.js';

const integers = (names: string): Columns => names.split(' ').map((name) => [name, 'INTEGER'] as const);
const texts = (names: string): Columns => names.split(' ').map((name) => [name, 'TEXT'] as const);
const HEAD: Columns = [['id', 'INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT'], ['guid', 'TEXT NOT NULL']]; // prettier-ignore
const EXTRA: Columns = [['extdata', "JSONB DEFAULT '{}' NOT NULL"]];
const SPAN = integers('start end');
const THREAD = integers('nid pid tid');

/** Tables without the id of the run. */
const ROCPD_SCHEMA: Schema = {
  metadata: [['id', 'INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT'], ...texts('tag value')],
  string: [...HEAD, ...texts('string')],
  info_node: [...HEAD, ...integers('hash'), ...texts('machine_id system_name hostname')],
  info_process: [...HEAD, ...integers('nid ppid pid init fini start end'), ...texts('command environment'), ...EXTRA],
  info_thread: [...HEAD, ...integers('nid ppid pid tid'), ...texts('name'), ...SPAN, ...EXTRA],
  info_agent: [
    ...HEAD,
    ...integers('nid pid'),
    ...texts('type'),
    ...integers('absolute_index logical_index type_index uuid'),
    ...texts('name model_name vendor_name product_name user_name'),
    ...EXTRA,
  ],
  info_kernel_symbol: [
    ...HEAD,
    ...integers('nid pid code_object_id'),
    ...texts('kernel_name display_name'),
    ...integers('kernel_object group_segment_size private_segment_size sgpr_count arch_vgpr_count accum_vgpr_count'),
    ...EXTRA,
  ],
  info_pmc: [...HEAD, ...integers('nid pid agent_id'), ...texts('name units value_type'), ...EXTRA],
  track: [...HEAD, ...THREAD, ...integers('name_id'), ...EXTRA],
  event: [
    ...HEAD,
    ...integers('category_id stack_id parent_stack_id correlation_id'),
    ...texts('call_stack line_info'),
    ...EXTRA,
  ],
  arg: [...HEAD, ...integers('event_id position'), ...texts('type name value')],
  pmc_event: [...HEAD, ...integers('event_id pmc_id'), ['value', 'REAL'], ...EXTRA],
  region: [...HEAD, ...THREAD, ...SPAN, ...integers('name_id event_id'), ...EXTRA],
  sample: [...HEAD, ...integers('track_id timestamp event_id'), ...EXTRA],
  kernel_dispatch: [
    ...HEAD,
    ...THREAD,
    ...integers('agent_id kernel_id dispatch_id queue_id stream_id'),
    ...SPAN,
    ...integers('private_segment_size group_segment_size workgroup_size_x workgroup_size_y workgroup_size_z'),
    ...integers('grid_size_x grid_size_y grid_size_z region_name_id event_id graph_exec_id graph_node_id'),
    ...EXTRA,
  ],
  memory_copy: [
    ...HEAD,
    ...THREAD,
    ...SPAN,
    ...integers('name_id dst_agent_id dst_address src_agent_id src_address size queue_id stream_id region_name_id'),
    ...integers('event_id graph_exec_id graph_node_id'),
    ...EXTRA,
  ],
  memory_allocate: [
    ...HEAD,
    ...THREAD,
    ...integers('agent_id'),
    ...texts('type level'),
    ...SPAN,
    ...integers('address size queue_id stream_id event_id'),
    ...EXTRA,
  ],
};

type Span = readonly [start: number, end: number];

interface Dispatch {
  /** In blocks. */
  readonly grid: readonly [number, number, number];
  readonly block: readonly [number, number, number];
  readonly stream?: number;
  readonly lds?: number;
  readonly graph?: readonly [exec: number, node: number];
  readonly counters?: Readonly<Record<string, readonly number[]>>;
}

/** Row ids of the two agents of the machine: a CPU and the first of two GPUs. */
export const AGENTS = { cpu: 0, gpu: 1, secondGpu: 2 } as const;

export class RocpdDatabase {
  readonly #guid = '00000d2c-5a3c-7e1f-9c4d-0a1b2c3d4e5f';
  readonly #ending = `_${this.#guid.replaceAll('-', '_')}`;
  readonly #tables = new Tables(
    Object.fromEntries(
      Object.entries(ROCPD_SCHEMA).map(([name, columns]) => [`rocpd_${name}${this.#ending}`, columns]),
    ),
    (table) => [`CREATE VIEW ${table.slice(0, -this.#ending.length)} AS SELECT * FROM ${table}`],
  );
  readonly #texts = new Interned(1, (id, string) => {
    this.row('string', { id, string });
  });
  readonly #symbols = new Interned(1, (id, name) => {
    const names = { kernel_name: `${name}.kd`, display_name: name.replace(/\(.*/, ''), extdata: JSON.stringify({ demangled_kernel_name: `${name} [clone .kd]` }) }; // prettier-ignore
    this.row('info_kernel_symbol', { id, nid: 1, pid: 15, code_object_id: 1, ...names, arch_vgpr_count: 32, accum_vgpr_count: 4, sgpr_count: 16 }); // prettier-ignore
  });
  readonly #counters = new Interned(1, (id, name) => {
    this.row('info_pmc', { id, nid: 1, pid: 15, agent_id: AGENTS.gpu, name, units: '', value_type: 'ACCUM' });
  });
  readonly #counts: Record<string, number> = {};

  constructor(
    /** When the machine had started, in ns before all times. */
    private readonly zero: number,
  ) {
    for (const name of Object.keys(ROCPD_SCHEMA)) this.#tables.table(`rocpd_${name}${this.#ending}`);
    this.row('metadata', { tag: 'schema_version', value: '3' });
    this.row('metadata', { tag: 'uuid', value: this.#ending });
    const [init, fini] = [zero, zero + 1_000_000];
    this.row('info_process', { id: 15, nid: 1, ppid: 1, pid: 4242, init, fini, start: init, end: fini, command: './app', environment: '{"TOKEN":"secret"}', extdata: '{}' }); // prettier-ignore
    this.thread(16, 4250);
    const gpu = JSON.stringify({ cu_count: 304, max_engine_clk_fcompute: 2100, mem_banks: [{ size_in_bytes: 4096 }, { size_in_bytes: 206_141_652_992 }] }); // prettier-ignore
    const agent = { nid: 1, pid: 15, user_name: '' };
    this.row('info_agent', { id: AGENTS.cpu, ...agent, type: 'CPU', absolute_index: 0, logical_index: 0, type_index: 0, name: 'AMD EPYC 9654', product_name: 'AMD EPYC 9654', extdata: '{}' }); // prettier-ignore
    for (const [id, index] of [[AGENTS.gpu, 0], [AGENTS.secondGpu, 1]] as const) // prettier-ignore
      this.row('info_agent', { id, ...agent, type: 'GPU', absolute_index: id, logical_index: id, type_index: index, name: 'gfx942', model_name: 'ip discovery', vendor_name: 'AMD', product_name: 'AMD Instinct MI300X', extdata: gpu }); // prettier-ignore
  }

  /** A thread of the process by its row id, which is not its number. */
  thread(id: number, tid: number): void {
    this.row('info_thread', { id, nid: 1, ppid: 1, pid: 15, tid, name: '', extdata: '{}' });
  }

  row(table: string, row: Row): number {
    const id = (this.#counts[table] = Math.max(this.#counts[table] ?? 0, 0) + 1);
    const guid = table === 'metadata' ? {} : { guid: this.#guid };
    const extdata = ROCPD_SCHEMA[table]?.some(([name]) => name === 'extdata') === true ? { extdata: '{}' } : {};
    this.#tables.insert(`rocpd_${table}${this.#ending}`, { id, ...guid, ...extdata, ...row });
    return typeof row['id'] === 'number' ? row['id'] : id;
  }

  /** An event of a category. @param stack joins work to its call; 0 joins nothing */
  event(category: string, stack: number, extdata = '{}'): number {
    return this.row('event', { category_id: this.#texts.id(category), stack_id: stack, parent_stack_id: 0, correlation_id: 0, call_stack: '{}', line_info: '{}', extdata }); // prettier-ignore
  }

  /** A call of HIP. @returns the stack id that joins its work to it */
  call(name: string, span: Span, stack: number, category = 'HIP_RUNTIME_API_EXT'): number {
    this.region(name, span, this.event(category, stack));
    return stack;
  }

  region(name: string, span: Span, event: number): void {
    this.row('region', {
      nid: 1,
      pid: 15,
      tid: 16,
      ...this.#times(span),
      name_id: this.#texts.id(name),
      event_id: event,
    });
  }

  /** A range of roctx, whose text is in its event. */
  range(message: string, span: Span): void {
    this.region('roctxThreadRangeA', span, this.event('MARKER_CORE_RANGE_API', 0, JSON.stringify({ message })));
  }

  kernel(
    name: string,
    span: Span,
    stack: number,
    { grid, block, stream = 0, lds = 0, graph = [0, 0], counters = {} }: Dispatch,
  ): void {
    // prettier-ignore
    const event = this.event('KERNEL_DISPATCH', stack);
    const size = (axis: 0 | 1 | 2): number => grid[axis] * block[axis];
    const blocks = { workgroup_size_x: block[0], workgroup_size_y: block[1], workgroup_size_z: block[2] };
    const sizes = { ...blocks, grid_size_x: size(0), grid_size_y: size(1), grid_size_z: size(2) };
    const ids = {
      agent_id: AGENTS.gpu,
      kernel_id: this.#symbols.id(name),
      dispatch_id: stack,
      queue_id: 3,
      stream_id: stream,
    };
    const memory = { private_segment_size: 0, group_segment_size: lds };
    const node = { graph_exec_id: graph[0], graph_node_id: graph[1] };
    this.row('kernel_dispatch', { nid: 1, pid: 15, tid: 16, ...ids, ...this.#times(span), ...memory, ...sizes, region_name_id: this.#texts.id(''), event_id: event, ...node }); // prettier-ignore
    for (const [counter, values] of Object.entries(counters))
      for (const value of values) this.row('pmc_event', { event_id: event, pmc_id: this.#counters.id(counter), value });
  }

  /** @param agents row ids of source and destination */
  copy(direction: string, span: Span, stack: number, size: number, [from, to]: readonly [number, number]): void {
    const event = this.event('MEMORY_COPY', stack);
    const ends = { dst_agent_id: to, dst_address: 16, src_agent_id: from, src_address: 32 };
    this.row('memory_copy', { nid: 1, pid: 15, tid: 16, ...this.#times(span), name_id: this.#texts.id(`MEMORY_COPY_${direction}`), ...ends, size, stream_id: 0, event_id: event, graph_exec_id: 0, graph_node_id: 0 }); // prettier-ignore
  }

  allocation(
    type: 'ALLOC' | 'FREE' | 'RECLAIM',
    span: Span,
    address: number,
    size: number,
    agent: number | null = AGENTS.gpu,
  ): void {
    // prettier-ignore
    const event = this.event('MEMORY_ALLOCATION', 0);
    this.row('memory_allocate', { nid: 1, pid: 15, tid: 16, agent_id: agent, type, level: 'REAL', ...this.#times(span), address, size, event_id: event }); // prettier-ignore
  }

  /** A value of a device at a time, as rocprof-sys samples it: several share an event. @returns the event */
  sample(name: string, at: number, value: number, units: string, event = this.event('amd_smi', 0)): number {
    const pmc = this.row('info_pmc', { id: 100 + (this.#counts['info_pmc'] ?? 0), nid: 1, pid: 15, agent_id: AGENTS.gpu, name, units, value_type: 'ABS' }); // prettier-ignore
    const track = this.row('track', { nid: 1, pid: 15, tid: null, name_id: this.#texts.id(name) });
    this.row('pmc_event', { event_id: event, pmc_id: pmc, value });
    this.row('sample', { track_id: track, timestamp: this.zero + at, event_id: event });
    return event;
  }

  /** An argument of a call. */
  argument(event: number, name: string, value: string): void {
    this.row('arg', { event_id: event, position: 0, type: 'size_t', name, value });
  }

  bytes(): Buffer {
    return this.#tables.bytes();
  }

  #times([start, end]: Span): Row {
    return { start: this.zero + start, end: this.zero + end };
  }
}

/** Two passes of a small network in BF16 on one GPU of an MI300X node: launched with ranges of PyTorch, then as a graph. */
export function mlpRocpd(): Buffer {
  const database = new RocpdDatabase(1_676_717_498_000_000);
  const gemm = 'Cijk_Alik_Bljk_BBS_BH_Bias_AS_SAB_SAV_UserArgs_MT64x32x256_MI16x16x1_SN_ISA942_WG32_8_1';
  const relu =
    'void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_relu>(int, at::native::CUDAFunctor_relu)';
  database.allocation('ALLOC', [2_000, 5_000], 0x7f00_0000, 4_194_304);
  database.allocation('ALLOC', [6_000, 8_000], 0x7f80_0000, 131_072);
  database.call('hipMemcpyAsync', [10_000, 30_000], 1);
  database.copy('HOST_TO_DEVICE', [20_000, 26_000], 1, 131_072, [AGENTS.cpu, AGENTS.gpu]);
  database.range('aten::mm, seq = 5, op_id = 3, sizes = [[64, 1024], [1024, 2048]]', [40_000, 80_000]);
  database.call('__hipPushCallConfiguration', [45_000, 46_000], 2, 'HIP_COMPILER_API_EXT');
  database.call('hipExtModuleLaunchKernel', [50_000, 60_000], 3);
  const counters = { SQ_WAVES: [128, 128], TCC_HIT: [4096] };
  database.kernel(gemm, [65_000, 105_000], 3, { grid: [32, 2, 1], block: [256, 1, 1], lds: 8192, counters });
  database.range('aten::relu, seq = 6, op_id = 4, sizes = [[64, 2048]]', [90_000, 120_000]);
  database.call('hipLaunchKernel', [95_000, 101_000], 4);
  database.kernel(relu, [107_000, 111_000], 4, { grid: [128, 1, 1], block: [256, 1, 1] });
  database.call('hipGraphLaunch', [200_000, 230_000], 5);
  database.kernel(gemm, [240_000, 280_000], 5, { grid: [32, 2, 1], block: [256, 1, 1], lds: 8192, graph: [7, 1] });
  database.kernel(relu, [281_000, 285_000], 5, { grid: [128, 1, 1], block: [256, 1, 1], graph: [7, 2] });
  database.call('hipMemcpyWithStream', [310_000, 330_000], 6);
  database.copy('DEVICE_TO_HOST', [315_000, 320_000], 6, 262_144, [AGENTS.gpu, AGENTS.cpu]);
  database.allocation('FREE', [340_000, 341_000], 0x7f80_0000, 0, null);
  return database.bytes();
}
