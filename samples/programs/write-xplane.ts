/**
 * XPlane files as JAX writes them: planes with lines of events, then the tables of event kinds and statistics that the
 * events refer to, and the programs in HLO. Times are in ns here; events have picoseconds.
 */
import { Double, message, packed, type Field } from './wire.js';

/** A statistic: a string stands for the name of another one, as JAX writes most strings. */
type Stat = number | bigint | Double | string | Buffer;
type Stats = Readonly<Record<string, Stat>>;
type Span = readonly [start: number, dur: number];

/** A plane, filled line by line. */
export class PlaneWriter {
  readonly #kinds = new Map<string, number>();
  readonly #entries: Field[] = [];
  readonly #statNames = new Map<string, number>();
  readonly #lines: Field[] = [];
  readonly #own: Field[] = [];

  constructor(readonly name: string) {}

  /** Adds a line, whose events count from its own time. */
  line(
    id: number,
    name: string,
    time: number,
    events: readonly (readonly [kind: string, span: Span, stats?: Stats])[],
  ) {
    const written = events.map(([kind, [start, dur], stats = {}]): Field => {
      const offset = Math.round((start - time) * 1000);
      const ownStats = Object.entries(stats).map(([stat, value]): Field => [4, this.#stat(stat, value)]);
      const place: Field[] = [...(offset === 0 ? [] : [[2, offset] as const]), [3, Math.round(dur * 1000)]];
      return [4, [[1, this.kind(kind)], ...place, ...ownStats]];
    });
    this.#lines.push([3, [[1, id], [2, name], ...(time === 0 ? [] : [[3, time] as const]), ...written]]);
    return this;
  }

  /** Adds a kind of event with statistics of its own. @param shown name to show */
  kind(name: string, stats: Stats = {}, shown = ''): number {
    const known = this.#kinds.get(name);
    if (known !== undefined) return known;
    const id = this.#kinds.size + 1;
    this.#kinds.set(name, id);
    const own = Object.entries(stats).map(([stat, value]): Field => [5, this.#stat(stat, value)]);
    const text: Field[] = shown === '' ? [] : [[4, shown]];
    this.#entries.push([
      4,
      [
        [1, id],
        [2, [[1, id], [2, name], ...text, ...own]],
      ],
    ]);
    return id;
  }

  stats(stats: Stats): this {
    for (const [name, value] of Object.entries(stats)) this.#own.push([6, this.#stat(name, value)]);
    return this;
  }

  field(): Field {
    const names = [...this.#statNames].map(([name, id]): Field => [
      5,
      [
        [1, id],
        [
          2,
          [
            [1, id],
            [2, name],
          ],
        ],
      ],
    ]);
    return [1, [[2, this.name], ...this.#lines, ...this.#entries, ...names, ...this.#own]];
  }

  #stat(name: string, value: Stat): Field[] {
    const id: Field = [1, this.#numberOf(name)];
    if (typeof value === 'string') return [id, [7, this.#numberOf(value)]];
    if (value instanceof Double) return [id, [2, value]];
    return [id, Buffer.isBuffer(value) ? [6, value] : [value < 0 ? 4 : 3, value]];
  }

  #numberOf(name: string): number {
    const known = this.#statNames.get(name);
    if (known !== undefined) return known;
    this.#statNames.set(name, this.#statNames.size + 1);
    return this.#statNames.size;
  }
}

export const [F32, BF16] = [11, 16];
export const shape = (type: number, ...dims: number[]): Field[] => [
  [2, type],
  [3, packed(dims)],
];

interface Written {
  readonly name: string;
  readonly opcode: string;
  readonly shape: readonly Field[];
  readonly operands?: readonly number[];
  readonly path?: string;
  readonly more?: readonly Field[];
}

/** A computation: its instructions are numbered from 1. */
export const computation = (id: number, name: string, instructions: readonly Written[]): Field => [
  3,
  [
    [1, name],
    ...instructions.map(({ name, opcode, shape, operands = [], path, more = [] }, i): Field => [
      2,
      [
        ...([
          [1, name],
          [2, opcode],
          [3, shape],
          [35, i + 1],
          [36, packed(operands)],
        ] as const),
        ...(path === undefined
          ? []
          : [
              [
                7,
                [
                  [2, path],
                  [15, 2],
                ],
              ] as Field,
            ]),
        ...more,
      ],
    ]),
    [5, id],
    [6, instructions.length],
  ],
];

/** `layers.py:12`, called from `train.py:40`. */
const FRAMES: Field = [
  17,
  [
    ...([
      [1, 'train.py'],
      [1, 'layers.py'],
    ] as const),
    ...([
      [
        3,
        [
          [1, 1],
          [3, 40],
        ],
      ],
      [
        3,
        [
          [1, 2],
          [3, 12],
        ],
      ],
    ] as const),
    ...([
      [4, [[1, 1]]],
      [
        4,
        [
          [1, 2],
          [2, 1],
        ],
      ],
    ] as const),
  ],
];

const PATH = 'jit(step)/jvp(mlp)/dot_general';
const parameter = (...extents: readonly number[]): Written => ({ name: `p${extents.join('x')}`, opcode: 'parameter', shape: shape(BF16, ...extents) }); // prettier-ignore

/** A step of a network: y = x·W by the library, tanh and its sum in a fusion, a convolution, and a product in a fusion. */
function stepProgram(): Buffer {
  const gemm = '{"gemm_backend_config":{"dot_dimension_numbers":{"lhs_contracting_dimensions":["1"]}}}';
  const fused = computation(1, 'fused', [
    parameter(64, 256),
    { name: 'tanh.1', opcode: 'tanh', shape: shape(BF16, 64, 256), operands: [1] },
    { name: 'c', opcode: 'constant', shape: shape(BF16) },
    { name: 'reduce.1', opcode: 'reduce', shape: shape(BF16, 64), operands: [2, 3] },
  ]);
  const product = computation(2, 'gemm', [
    parameter(64, 256),
    parameter(256, 32),
    { name: 'dot.7', opcode: 'dot', shape: shape(F32, 64, 32), operands: [1, 2], more: [[30, [[1, packed([1])], [2, packed([0])]]]] }, // prettier-ignore
  ]);
  const tuple: Field[] = [
    [2, 13],
    [4, shape(BF16, 64, 256)],
    [4, shape(2, 4096)],
  ];
  const filter: Field = [
    16,
    [
      [3, 0],
      [6, packed([2, 3])],
    ],
  ];
  const entry = computation(3, 'main', [
    parameter(64, 128),
    parameter(128, 256),
    { name: 'cublas-gemm.1', opcode: 'custom-call', shape: tuple, operands: [1, 2], path: PATH, more: [[28, '__cublas$gemm'], [43, gemm]] }, // prettier-ignore
    { name: 'get-tuple-element.1', opcode: 'get-tuple-element', shape: shape(BF16, 64, 256), operands: [3] },
    { name: 'tanh_reduce_fusion', opcode: 'fusion', shape: shape(BF16, 64), operands: [4], path: 'jit(step)/transpose(jvp(mlp))/reduce_sum', more: [[38, packed([1])]] }, // prettier-ignore
    parameter(8, 16, 10, 10),
    parameter(16, 32, 3, 3),
    { name: 'cudnn-conv.1', opcode: 'custom-call', shape: [[2, 13], [4, shape(BF16, 8, 32, 8, 8)], [4, shape(2, 64)]], operands: [6, 7], path: 'jit(step)/conv/conv_general_dilated', more: [[28, '__cudnn$convForward'], filter] }, // prettier-ignore
    { name: 'copy-start', opcode: 'copy-start', shape: [[2, 13], [4, shape(BF16, 64, 128)], [4, shape(BF16, 64, 128)], [4, shape(8)]], operands: [1] }, // prettier-ignore
    { name: 'copy-done', opcode: 'copy-done', shape: shape(BF16, 64, 128), operands: [9] },
    parameter(256, 32),
    { name: 'gemm_fusion_dot.1', opcode: 'fusion', shape: shape(F32, 64, 32), operands: [4, 11], path: 'jit(step)/head/dot_general', more: [[38, packed([2])]] }, // prettier-ignore
  ]);
  return message([[1, [[1, 'jit_step'], [2, 'main'], fused, product, entry, [5, 7], [6, 3], FRAMES]]]);
}

const ENVIRONMENT = { profile_start_time: 1_790_000_000_000_000_000n, profile_stop_time: 1_790_000_000_000_400_000n };

/** A file of these planes, with the address of its host. */
export const file = (planes: readonly PlaneWriter[]): Buffer =>
  message([...planes.map((plane) => plane.field()), [4, 'node.example']]);

const environment = (): PlaneWriter => new PlaneWriter('Task Environment').stats(ENVIRONMENT);

function metadata(program: number | bigint): PlaneWriter {
  const plane = new PlaneWriter('/host:metadata').stats({ jax_version: '0.10.2', process_id: 4242 });
  plane.kind(`jit_step(${program})`, { 'Hlo Proto': stepProgram() });
  return plane;
}

/** A number of a program above 2^63, as hashes are. */
const PROGRAM = 0xf000_0000_0000_0007n;

/** Two steps on the first of two GPUs of an MI300X node, with a derived line that repeats the kernels. */
export function stepOnGpu(): Buffer {
  const details = (grid: number, group = 0): string => ` grid:${grid},1,1 block:256,1,1 private_mem:0 group_mem:${group} occ_pct:0`; // prettier-ignore
  const op = (hlo: string, path: string): Stats => ({ hlo_op: hlo, hlo_module: 'jit_step', program_id: PROGRAM, name: path, tf_op: 'XlaModule:' }); // prettier-ignore
  const gemm = (corr: number): Stats => ({ correlation_id: corr, kernel_details: details(16, 49_152), ...op('cublas-gemm.1', PATH) }); // prettier-ignore
  const conv = op('cudnn-conv.1', 'jit(step)/conv/conv_general_dilated');
  const gpu = new PlaneWriter('/device:GPU:0')
    .line(1, 'Stream #1(Kernel)', 1000, [
      ['Cijk_Ailk_Bljk_BBS_BH_MT64x64x32_MI16x16x16x1.kd', [20_000, 4000], gemm(11)],
      ['loop_tanh_reduce_fusion.kd', [24_500, 1500.5], { correlation_id: 12, kernel_details: details(64), ...op('tanh_reduce_fusion', 'jit(step)/transpose(jvp(mlp))/reduce_sum') }], // prettier-ignore
      ['Im3d2Col.kd', [27_000, 1000], { correlation_id: 13, kernel_details: details(8), ...conv }],
      [
        'Cijk_Ailk_Bljk_BBS_BH_MT128x64x32_MI16x16x16x1.kd',
        [28_000, 3000],
        { correlation_id: 14, kernel_details: details(8), ...conv },
      ],
      ['gemm_fusion_dot_1.kd', [32_000, 2000], { correlation_id: 15, kernel_details: details(4), ...op('gemm_fusion_dot.1', 'jit(step)/head/dot_general') }], // prettier-ignore
      ['Cijk_Ailk_Bljk_BBS_BH_MT64x64x32_MI16x16x16x1.kd', [120_000, 4000], gemm(21)],
      ['Cijk_Ailk_Bljk_BBS_BH_MT64x64x32_MI16x16x16x1.kd', [124_000, 4000], gemm(22)],
    ])
    .line(2, 'Stream #2(MemcpyH2D)', 1000, [
      ['MemcpyH2D', [10_000, 5000], { correlation_id: 10, memcpy_details: 'kind:Unknown size:16384 dest:0 async:1' }],
      ['Memset', [16_000, 500], { correlation_id: 16, memset_details: 'kind:Device size:256 async:1' }],
    ])
    .line(-559_038_737, 'XLA Ops', 1000, [['cublas-gemm.1', [20_000, 4000], { kernel_details: details(16) }]])
    .stats({ device_vendor: 'AMD', clock_rate: 2_100_000, core_count: 304, memory_bandwidth: 2_662_400_000_000 })
    .stats({ memory_size: 206_141_652_992, compute_cap_major: 9, compute_cap_minor: 4 });
  const calls = (names: readonly (readonly [corr: number, start: number, name?: string])[]) =>
    names.map(([corr, start, name = 'hipModuleLaunchKernel']) => [name, [start, 2000], { correlation_id: corr }] as const); // prettier-ignore
  const memory = { allocator_name: 'GPU_0_bfc', bytes_reserved: 1 << 20, bytes_allocated: 65_536 };
  const host = new PlaneWriter('/host:CPU')
    .line(
      4243,
      'Host Threads/4243',
      1000,
      calls([
        [10, 5000, 'hipMemcpyAsync'],
        [16, 7500, 'hipMemsetAsync'],
        [11, 10_000],
        [12, 12_500],
        [13, 15_000],
        [14, 17_500],
        [15, 20_000],
        [21, 110_000, 'hipExtModuleLaunchKernel'],
        [22, 112_500],
      ]),
    ) // prettier-ignore
    .line(-7_179_283_260_687, 'python', 500, [
      ['train', [2000, 60_000], { _r: 1, step_num: 0 }],
      ['$train.py:40 step', [3000, 50_000]],
      ['train', [100_000, 40_000], { _r: 1, step_num: 1 }],
      ['MemoryAllocation', [101_000, 0], memory],
    ])
    .line(8_797_124_958, 'tf_XLAEigen/8797124958', 500, [['ThreadpoolListener::StartRegion', [1500, 0]]]);
  const idle = new PlaneWriter('/device:GPU:1').stats({ device_vendor: 'AMD' });
  return file([metadata(PROGRAM), gpu, idle, host, environment()]);
}

/** A run of a program on one TPU v6e, with a copy from the host beside it, and a wait for it. */
export function stepOnTpu(): Buffer {
  const tpu = new PlaneWriter('/device:TPU:0');
  const op = (name: string, opcode: string, category: string, flops: number, bytes: number): string => {
    const text = `%${name} = bf16[64,256]{1,0} ${opcode}(bf16[64,128]{1,0} %p)`;
    const cost = { flops, model_flops: flops, bytes_accessed: bytes };
    const source = { source: 'layers.py:12', source_stack: 'train.py:40:2\nlayers.py:12:8\n' };
    const layout = { shape_with_layout: '(bf16[64,128]{1,0}, bf16[64,128]{1,0:S(5)}, u32[])' };
    tpu.kind(text, { hlo_category: category, program_id: PROGRAM, ...cost, ...source, ...layout, ...(flops > 0 ? { tf_op: `${PATH}:` } : {}) }, name); // prettier-ignore
    return text;
  };
  const start = op('copy-start', 'copy-start', 'copy-start', 0, 16_384);
  const product = op('cublas-gemm.1', 'fusion', 'convolution fusion', 4_194_304, 114_688);
  const done = op('copy-done', 'copy-done', 'copy-done', 0, 16_384);
  tpu
    .line(2, 'XLA Modules', 0, [
      [`jit_step(${PROGRAM})`, [20_000, 12_000], { run_id: 3, _ct: 12, _c: -2_002_751_013_228 }],
    ]) // prettier-ignore
    .line(3, 'XLA Ops', 0, [
      [start, [20_000, 0.078]],
      [product, [20_000.078, 4000.5]],
      [done, [24_100, 7000]],
    ])
    .line(4, 'Async XLA Ops', 0, [[start, [20_000, 11_100], { hlo_op: 'copy-done' }]])
    .line(6, 'XLA TraceMe', 0, [['barrier-cores', [31_200, 100]]])
    .stats({ device_type_string: 'TPU v6 Lite', peak_hbm_bw_gigabytes_per_second: new Double(1637.993152512) })
    .stats({ peak_teraflops_per_second: new Double(918), has_megacore: 0 });
  const host = new PlaneWriter('/host:CPU').line(4242, 'main/4242', 500, [
    ['DoEnqueueProgram', [9000, 3000], { _pt: 12, _p: -2_002_751_013_228 }],
    ['train', [2000, 60_000], { _r: 1, step_num: 0 }],
  ]);
  return file([tpu, metadata(PROGRAM), host, environment()]);
}

/** What JAX writes for TensorBoard: launches, kernels, a copy and a step. Times in us. */
export function fusionsForTensorBoard(): Buffer {
  const named = (name: string, place: object, text: string): object => ({
    ph: 'M',
    ...place,
    name,
    args: { name: text },
  });
  const host = { pid: 701, tid: 5 };
  const stream = { pid: 1, tid: 16 };
  const steps = { pid: 1, tid: 98 };
  const kernels = Array.from({ length: 12 }, (_, i) => {
    const args = { correlation_id: String(i + 1), hlo_op: `fusion.${i}`, hlo_module: 'jit_step', group_id: '0' };
    return [
      { ph: 'X', ...host, ts: 100 + i, dur: 0.5, name: 'cuLaunchKernel', args: { correlation_id: String(i + 1) } },
      { ph: 'X', ...stream, ts: 120.25 + 4 * i, dur: 3.000125, name: `loop_fusion_${i}`, args },
    ];
  });
  const events = [
    ...[named('process_name', { pid: 701 }, '/host:CPU'), named('process_name', { pid: 1 }, '/device:GPU:0')],
    ...[named('thread_name', stream, 'Stream #16(Kernel,Memcpy)'), named('thread_name', steps, 'Steps')],
    ...kernels.flat(),
    {
      ph: 'X',
      ...stream,
      ts: 170,
      dur: 1,
      name: 'Memcpy',
      args: { correlation_id: '13', memcpy_details: 'kind:HtoD size:64 dest:0 async:1' },
    },
    { ph: 'X', ...host, ts: 115, dur: 0.5, name: 'cuMemcpyHtoDAsync_v2', args: { correlation_id: '13' } },
    { ph: 'X', ...steps, ts: 119, dur: 60, name: '7', args: { group_id: '0', step_name: '7' } },
  ];
  const text = `{"displayTimeUnit":"ns","metadata":{"highres-ticks":true},"traceEvents":[${events.map((event) => `${JSON.stringify(event)},`).join('')}{}]}`;
  return Buffer.from(text);
}
