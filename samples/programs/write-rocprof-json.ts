/**
 * JSON of rocprofv3, in the layout of ROCm 7: an object for each process. Records state kinds, operations, kernels and devices by
 * numbers. Times are ns since the machine started, above 2^53 after 104 days; JSON has them as bare integers all the same.
 */

/** An integer that a double does not hold is written from a bigint. */
type Json = null | boolean | string | number | bigint | readonly Json[] | { readonly [key: string]: Json };
type Rows = readonly Readonly<Record<string, Json>>[];

/** Kinds of records by number, with their operations by number. A release of the tool has others at these places. */
const KINDS = {
  none: ['NONE'],
  marker: ['MARKER_CORE_RANGE_API', 'roctxNone', 'roctxThreadRangeA', 'roctxProcessRangeA'],
  copy: ['MEMORY_COPY', 'MEMORY_COPY_NONE', 'MEMORY_COPY_HOST_TO_HOST', 'MEMORY_COPY_HOST_TO_DEVICE', 'MEMORY_COPY_DEVICE_TO_HOST', 'MEMORY_COPY_DEVICE_TO_DEVICE'],
  kernel: ['KERNEL_DISPATCH', 'KERNEL_DISPATCH_NONE', 'KERNEL_DISPATCH_ENQUEUE', 'KERNEL_DISPATCH_COMPLETE'],
  memory: ['MEMORY_ALLOCATION', 'MEMORY_ALLOCATION_NONE', 'MEMORY_ALLOCATION_ALLOCATE', 'MEMORY_ALLOCATION_VMEM_ALLOCATE', 'MEMORY_ALLOCATION_FREE', 'MEMORY_ALLOCATION_VMEM_FREE'],
  hip: ['HIP_RUNTIME_API_EXT', 'hipApiName', 'hipLaunchKernel', 'hipMalloc', 'hipMemcpyAsync', 'hipFree'],
} as const; // prettier-ignore

/** Number of the kind and of the operation. */
const named = (kind: keyof typeof KINDS, operation: string): Readonly<Record<'kind' | 'operation', number>> => ({
  kind: Object.keys(KINDS).indexOf(kind),
  operation: KINDS[kind].findIndex((name) => name === operation) - 1,
});

type Span = readonly [start: bigint, end: bigint];
const timed = ([start, end]: Span, corr: number, tid: number): Rows[number] => ({
  thread_id: tid,
  correlation_id: { internal: corr, external: 0 },
  start_timestamp: start,
  end_timestamp: end,
});

export const call = (name: string, span: Span, corr: number, tid = 70): Rows[number] => ({
  size: 64,
  ...named('hip', name),
  ...timed(span, corr, tid),
});

export const marker = (operation: string, span: Span, corr: number, tid = 70): Rows[number] => ({
  ...{ size: 64, ...named('marker', operation), ...timed(span, corr, tid) },
});

const axes = ([x, y, z]: readonly [number, number, number]): Json => ({ x, y, z });

interface Dispatch {
  readonly kernel: number;
  readonly dispatch: number;
  /** Work-items. */
  readonly grid: readonly [number, number, number];
  readonly block: readonly [number, number, number];
  readonly stream?: number;
  readonly shared?: number;
}

const infoOf = ({ kernel, dispatch, grid, block, shared = 0 }: Dispatch): Json => ({
  ...{ size: 72, agent_id: { handle: GPU }, queue_id: { handle: 1 }, kernel_id: kernel, dispatch_id: dispatch },
  ...{ private_segment_size: 0, group_segment_size: shared, workgroup_size: axes(block), grid_size: axes(grid) },
});

export const kernel = (span: Span, corr: number, dispatch: Dispatch): Rows[number] => ({
  ...{ size: 184, ...named('kernel', 'KERNEL_DISPATCH_COMPLETE'), ...timed(span, corr, 70) },
  ...{ dispatch_info: infoOf(dispatch), stream_id: { handle: dispatch.stream ?? 0 } },
});

/** Counters of a dispatch, a record for each part of the device. */
export const counted = (span: Span, corr: number, dispatch: Dispatch, values: readonly (readonly [id: number, value: number])[]): Rows[number] => ({
  ...{ thread_id: 70, dispatch_data: { size: 128, ...timed(span, corr, 70), dispatch_info: infoOf(dispatch) } },
  records: values.map(([handle, value]) => ({ counter_id: { handle }, value })),
  stream_id: { handle: dispatch.stream ?? 0 },
}); // prettier-ignore

export const copy = (direction: string, span: Span, corr: number, bytes: number): Rows[number] => ({
  ...{ size: 80, ...named('copy', `MEMORY_COPY_${direction}`), ...timed(span, corr, 70) },
  ...{ dst_agent_id: { handle: direction.endsWith('HOST') ? CPU : GPU } },
  ...{ src_agent_id: { handle: direction.startsWith('HOST') ? CPU : GPU }, bytes, stream_id: { handle: 0 } },
});

/** An allocation, or the release of its block, which has no device and no size. */
export const memory = (span: Span, corr: number, address: string, bytes: number | null): Rows[number] => ({
  ...{ size: 72, ...named('memory', `MEMORY_ALLOCATION_${bytes === null ? 'FREE' : 'ALLOCATE'}`) },
  ...timed(span, corr, 70),
  ...{ agent_id: { handle: bytes === null ? 0 : GPU }, address, allocation_size: bytes ?? 0 },
});

const [CPU, GPU] = [500, 502];
const AGENTS: Rows = [
  { id: { handle: CPU }, type: 1, logical_node_type_id: 0, name: 'AMD EPYC', product_name: 'AMD EPYC', cu_count: 64, mem_banks: [] },
  {
    ...{ id: { handle: GPU }, type: 2, logical_node_type_id: 0, gpu_index: 0, name: 'gfx942', hive_id: 2n ** 63n },
    ...{ product_name: 'AMD Instinct MI300X', cu_count: 304, max_engine_clk_fcompute: 2100 },
    mem_banks: [{ heap_type: 1, width: 8192, mem_clk_max: 1300, size_in_bytes: 206_141_652_992 }],
  },
]; // prettier-ignore

interface Process {
  readonly pid?: number;
  readonly span: Span;
  /** Mangled names, with the ending of a symbol; their numbers count from 1. */
  readonly kernels: readonly string[];
  readonly counters?: readonly string[];
  /** Strings of markers, by correlation id. */
  readonly texts?: readonly (readonly [corr: number, text: string])[];
  readonly counter_collection?: Rows;
  readonly records: Readonly<Record<string, Rows>>;
}

const symbol = (name: string, index: number): Rows[number] => ({
  ...{ size: 88, kernel_id: index, kernel_name: `${name}.kd`, arch_vgpr_count: 32, accum_vgpr_count: 4 },
  ...{ formatted_kernel_name: name, demangled_kernel_name: `${name}.kd`, truncated_kernel_name: name },
});

/** The file of some processes. */
export function rocprofJson(processes: readonly Process[]): Buffer {
  const objects = processes.map(({ pid = 70, span: [init, fini], counters = [], texts = [], ...rest }): Json => ({
    metadata: { node: { hostname: 'host' }, pid, init_time: init, fini_time: fini, command: ['python', 'net.py'] },
    ...{ agents: AGENTS, counters: counters.map((name, index) => ({ id: { handle: index + 1 }, name })) },
    strings: {
      callback_records: [{ kind: 'NONE', operations: [] }],
      buffer_records: Object.values(KINDS).map(([kind, ...operations]) => ({ kind, operations })),
      marker_api: texts.map(([key, value]) => ({ key, value })),
    },
    kernel_symbols: ['', ...rest.kernels].map(symbol),
    callback_records: { counter_collection: rest.counter_collection ?? [] },
    buffer_records: rest.records,
  })); // prettier-ignore
  return Buffer.from(textOf({ 'rocprofiler-sdk-tool': objects }));
}

function textOf(value: Json): string {
  if (typeof value === 'bigint') return String(value);
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(textOf).join(',')}]`;
  return `{${Object.entries(value).map(([key, part]) => `${JSON.stringify(key)}:${textOf(part)}`).join(',')}}`;
} // prettier-ignore

/** A softmax after a product, twice, on a machine that has run for 105 days, with copies, memory, ranges and counters. */
export function softmaxRocprof(): Buffer {
  const zero = 9_100_000_000_000_000n;
  const span = (start: number, end: number): Span => [zero + BigInt(start), zero + BigInt(end)];
  const gemm = { kernel: 1, grid: [2048, 8, 1], block: [256, 1, 1], shared: 32_768 } as const;
  const softmax = { kernel: 2, grid: [1000, 1, 1], block: [64, 1, 1] } as const;
  const passes = [0, 1].map((pass) => {
    const from = 100_000 + pass * 100_000;
    const [first, second] = [{ ...gemm, dispatch: 2 * pass + 1 }, { ...softmax, dispatch: 2 * pass + 2 }];
    const [launched, other] = [10 * pass + 11, 10 * pass + 12];
    return {
      calls: [call('hipLaunchKernel', span(from, from + 5000), launched), call('hipLaunchKernel', span(from + 6000, from + 9000), other)],
      kernels: [kernel(span(from + 50_000, from + 60_000), other, second), kernel(span(from + 8000, from + 50_000), launched, first)],
      ranges: [marker('roctxThreadRangeA', span(from - 1000, from + 10_000), 10 * pass + 13)],
      counted: [counted(span(from + 8000, from + 50_000), launched, first, [[1, 512], [1, 512], [2, 64]])],
    };
  });
  return rocprofJson([
    {
      ...{ span: span(0, 400_000), kernels: ['Cijk_Ailk_Bljk_SB_MT128x128x16_ISA942', 'softmax_forward(float*)'] },
      ...{ counters: ['SQ_WAVES', 'FETCH_SIZE'], texts: [[13, 'step 1'], [23, 'step 2']] },
      counter_collection: passes.flatMap((pass) => pass.counted),
      records: {
        kernel_dispatch: passes.flatMap(({ kernels }) => kernels),
        hip_api: [
          call('hipMalloc', span(10_000, 20_000), 1),
          call('hipMemcpyAsync', span(30_000, 40_000), 2),
          ...passes.flatMap(({ calls }) => calls),
          call('hipFree', span(350_000, 360_000), 31),
        ],
        marker_api: passes.flatMap(({ ranges }) => ranges),
        memory_copy: [copy('HOST_TO_DEVICE', span(35_000, 60_000), 2, 1_048_576)],
        memory_allocation: [memory(span(11_000, 19_000), 1, '0x7f0000100000', 1_048_576), memory(span(351_000, 359_000), 31, '0x7f0000100000', null)],
        scratch_memory: [],
      },
    },
  ]);
} // prettier-ignore
