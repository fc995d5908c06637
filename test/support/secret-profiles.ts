/**
 * Profiles in binary formats with a secret in each of their texts: those that readers take, those that they pass over, and
 * names that no reader knows.
 */
import Database from 'better-sqlite3';
import { writeFileSync } from 'node:fs';
import { pickled } from '../../samples/programs/memory-snapshot.js';
import { message, packed, type Field } from '../../samples/programs/wire.js';
import { RocpdDatabase } from '../../samples/programs/write-rocpd.js';
import { ASKED } from '../../src/parse/readers/xplane/xspace.js';
import { freshPath } from './fresh-path.js';
import type { Secrets } from './secrets.js';

type StatValue = string | number | bigint | Buffer;
type Stats = readonly (readonly [name: string, value: StatValue])[];

/** A plane of XPlane, whose strings are in the statistics themselves and in the table of names by turns. */
class SecretPlane {
  readonly #names: string[] = [];
  readonly #kinds: Field[] = [];
  readonly #lines: Field[] = [];
  #own: Field[] = [];

  constructor(
    private readonly name: string,
    private readonly secrets: Secrets,
  ) {}

  stats(stats: Stats): this {
    this.#own = [...this.#own, ...stats.map(([name, value]): Field => [6, this.#stat(name, value)])];
    return this;
  }

  line(id: number, name: string, events: readonly (readonly [kind: string, stats: Stats])[]): this {
    const { next } = this.secrets;
    const written = events.map(([kind, stats], i): Field => {
      const own = stats.map(([stat, value]): Field => [4, this.#stat(stat, value)]);
      return [4, [[1, this.kind(kind, [[next(), next()]])], [2, 1_000_000 * (i + 1)], [3, 500_000], ...own]];
    });
    this.#lines.push([3, [[1, id], [2, name], [11, next()], ...written]]);
    return this;
  }

  /** Adds a kind of event with a name to show, metadata and statistics. */
  kind(name: string, stats: Stats): number {
    const id = this.#kinds.length + 1;
    const own = stats.map(([stat, value]): Field => [5, this.#stat(stat, value)]);
    const shown: Field[] = id % 3 === 0 ? [[4, this.secrets.noFunction()]] : [];
    this.#kinds.push([
      4,
      [
        [1, id],
        [2, [[1, id], [2, name], [3, Buffer.from(this.secrets.next())], ...shown, ...own]],
      ],
    ]);
    return id;
  }

  get field(): Field {
    const { next } = this.secrets;
    const names = this.#names.map((name, i): Field => [
      5,
      [
        [1, i + 1],
        [
          2,
          [
            [1, i + 1],
            [2, name],
            [3, next()],
          ],
        ],
      ],
    ]);
    return [1, [[2, this.name], ...this.#lines, ...this.#kinds, ...names, ...this.#own]];
  }

  #stat(name: string, value: StatValue): Field[] {
    const id: Field = [1, this.#numberOf(name)];
    if (typeof value !== 'string') return [id, [Buffer.isBuffer(value) ? 6 : 3, value]];
    return [id, this.#names.length % 2 === 0 ? [5, value] : [7, this.#numberOf(value)]];
  }

  #numberOf(name: string): number {
    const at = this.#names.indexOf(name);
    return at >= 0 ? at + 1 : this.#names.push(name);
  }
}

/** A program with one instruction for each opcode, and the names of its instructions. */
function program({ next }: Secrets): { readonly bytes: Buffer; readonly names: readonly string[] } {
  const shape: Field = [3, [[2, 11], [3, packed([8, 4])]]]; // prettier-ignore
  const opcodes = ['parameter', 'fusion', 'custom-call', 'all-reduce', 'copy-start', next()];
  const instructions = opcodes.map((opcode, i) => {
    const name = next();
    const metadata: Field = [7, [[1, next()], [2, `jit(${next()})/jvp(${next()})/${next()}`], [3, next()], [4, 7], [15, i % 2 === 0 ? 1 : 0]]]; // prettier-ignore
    const fields: Field[] = [[1, name], [2, opcode], shape, [35, i + 1], [36, packed(i === 0 ? [] : [1])], [38, packed([1])], metadata, [28, next()], [43, next()], [9, next()]]; // prettier-ignore
    return { name, field: [2, fields] as Field };
  });
  const computation: Field = [3, [[1, next()], ...instructions.map(({ field }) => field), [5, 1], [6, 2]]];
  const frames: Field = [17, [[1, next()], [2, next()], [3, [[1, 1], [2, 1], [3, 40]]], [4, [[1, 1]]]]]; // prettier-ignore
  return {
    bytes: message([[1, [[1, next()], [2, next()], computation, [5, 7], [6, 1], frames]]]),
    names: instructions.map(({ name }) => name),
  };
}

function xplane(secrets: Secrets): string {
  const { next, noFunction } = secrets;
  const { bytes, names } = program(secrets);
  const details = 'grid:4,1,1 block:64,1,1';
  const stated = (stat: string): Stats => [['kernel_details', `${details} ${next()}:1`], [stat, next()], ['correlation_id', 5]]; // prettier-ignore
  const gpu = new SecretPlane(`/device:GPU:0 ${next()}`, secrets)
    .line(1, `Stream #1(${next()})`, [
      ...ASKED.map((stat) => [noFunction(), stated(stat)] as const),
      ...names.map((name) => [noFunction(), [['kernel_details', details], ['program_id', 7], ['hlo_op', name]]] as const),
      ...['memcpy_details', 'memset_details'].map((stat) => [next(), [[stat, `kind:${next()} size:64 dest:${next()}`]]] as const), // prettier-ignore
      [next(), []],
    ])
    .line(3_735_928_559, `XLA ${next()}`, [[next(), []]])
    .line(3_735_928_560, 'Steps', [[next(), [['group_id', 3], ['step_name', next()]]]]) // prettier-ignore
    .stats([['device_vendor', next()], ['gpu_device_name', next()], [next(), next()]]); // prettier-ignore
  const tpu = new SecretPlane('/device:TPU:1', secrets)
    .line(2, 'XLA Modules', [[next(), [['run_id', next()]]]])
    .line(3, 'XLA Ops', ASKED.map((stat) => [noFunction(), [[stat, next()]]]))
    .line(4, 'Async XLA Ops', [[next(), [['hlo_op', next()]]]])
    .line(6, 'XLA TraceMe', [[next(), []]])
    .line(7, next(), [[next(), [[next(), next()]]]])
    .stats([['device_type_string', next()], [next(), next()]]); // prettier-ignore
  const host = new SecretPlane('/host:CPU', secrets)
    .line(5, `${next()}/4243`, [
      ...ASKED.map((stat) => [next(), [[stat, next()]]] as const),
      [
        next(),
        [
          ['request_id1', next()],
          ['request_id2', next()],
        ],
      ],
      [`$${next()}.py:40 ${next()}`, []],
      [
        'MemoryAllocation',
        [
          ['allocator_name', `GPU_0_${next()}`],
          ['bytes_allocated', 64],
        ],
      ],
      [next(), [['correlation_id', 5]]],
    ]) // prettier-ignore
    .stats([[next(), next()]]);
  const metadata = new SecretPlane('/host:metadata', secrets).stats([['jax_version', next()], ['jaxlib_version', next()], [next(), next()]]); // prettier-ignore
  metadata.kind(`${next()}(7)`, [['Hlo Proto', bytes]]);
  const others = [`/device:${next()}`, `/host:${next()}`, next()].map((name) =>
    new SecretPlane(name, secrets).line(1, next(), [[next(), [[next(), next()]]]]),
  );
  const environment = new SecretPlane('Task Environment', secrets).stats([['profile_start_time', 5], [next(), next()]]); // prettier-ignore
  const planes = [gpu, tpu, host, metadata, ...others, environment].map(({ field }) => field);
  const path = freshPath('.xplane.pb');
  writeFileSync(path, message([...planes, [2, next()], [3, next()], [4, next()]]));
  return path;
}

/** Texts of a row, each with a secret. */
const rowOf = (names: string, secret: () => string): Record<string, string> =>
  Object.fromEntries(names.split(' ').map((name) => [name, secret()]));

function rocpd(secrets: Secrets): string {
  const { next, noFunction } = secrets;
  const database = new RocpdDatabase(1_000_000);
  const shape = { grid: [4, 1, 1], block: [64, 1, 1] } as const;
  for (let round = 0; round < 12; round++) {
    const at = 1000 * (round + 1);
    const span = [at, at + 500] as const;
    for (const name of [next(), `hip${next()}`, `hipMemcpy_${next()}`]) database.call(name, span, round + 1);
    for (const start of ['', 'aten::', 'layer:', 'nccl:', 'step ']) database.range(start + next(), span);
    database.region(next(), span, database.event(next(), 0, JSON.stringify({ message: next(), [next()]: next() })));
    database.kernel(noFunction(), span, round + 1, { ...shape, counters: { [next()]: [5] } });
    database.copy(next(), span, round + 1, 4096, [0, 1]);
    database.allocation(next() as 'ALLOC', span, 64, 64);
    database.sample(next(), at, 5, next());
    const stack = { call_stack: JSON.stringify({ name: next(), file: next(), line: 3 }), line_info: next() };
    const event = database.row('event', { category_id: 1, stack_id: round + 1, ...stack, extdata: next() });
    database.argument(event, next(), next());
    database.row('arg', { event_id: event, position: 1, ...rowOf('type name value', next) });
    database.row('metadata', rowOf('tag value', next));
    database.row('info_node', rowOf('machine_id system_name hostname', next));
    database.row('info_thread', { id: 100 + round, nid: 1, pid: 15, tid: 77, ...rowOf('name extdata', next) });
    database.row('info_process', { id: 100 + round, nid: 1, pid: 78, ...rowOf('command environment extdata', next) });
    database.row('info_agent', { id: 100 + round, nid: 1, pid: 15, type: round % 2 === 0 ? 'GPU' : next(), type_index: 2 + round, ...rowOf('name model_name vendor_name product_name user_name', next) }); // prettier-ignore
    database.row('info_kernel_symbol', { id: 100 + round, nid: 1, pid: 15, ...rowOf('kernel_name display_name extdata', noFunction) }); // prettier-ignore
  }
  const path = freshPath('_results.db');
  writeFileSync(path, database.bytes());
  addUnknown(path, secrets);
  return path;
}

/** Tables, columns and a view that no reader knows, and the tables of call stacks of later schemas. */
function addUnknown(path: string, { next }: Secrets): void {
  const sqlite = new Database(path);
  const [{ name }] = sqlite.prepare("SELECT name FROM sqlite_master WHERE name LIKE 'rocpd_event_%'").all() as [{ name: string }]; // prettier-ignore
  const ending = name.slice('rocpd_event'.length);
  const word = (): string => next().replaceAll(/["']/g, '');
  sqlite.exec(`CREATE TABLE "rocpd_info_pc${ending}" (id INTEGER, guid TEXT, function TEXT, file TEXT, line INTEGER);
    CREATE TABLE "rocpd_call_stack${ending}" (id INTEGER, guid TEXT, event_id INTEGER, pc_id INTEGER, depth INTEGER);
    CREATE TABLE "rocpd_${word()}${ending}" ("${word()}" TEXT, start INTEGER);
    CREATE TABLE "${word()}" ("${word()}" TEXT);
    ALTER TABLE "${name}" ADD COLUMN "${word()}" TEXT;
    CREATE VIEW odd AS SELECT '${word()}';
    CREATE TABLE gone (text TEXT);`);
  const run = (sql: string, ...cells: unknown[]): unknown => sqlite.prepare(sql).run(...cells);
  for (let i = 1; i <= 8; i++) {
    run(`INSERT INTO "rocpd_info_pc${ending}" VALUES (?, '', ?, ?, ?)`, i, next(), next(), i % 2);
    run(`INSERT INTO "rocpd_call_stack${ending}" VALUES (?, '', ?, ?, 0)`, i, i, i);
  }
  run('INSERT INTO gone VALUES (?)', next());
  sqlite.exec('DELETE FROM gone');
  sqlite.close();
}

function snapshot({ next }: Secrets): string {
  const frames = (): object[] => [
    { filename: next(), line: 12, name: next(), [next()]: next() },
    { filename: '', line: next(), name: next(), fx_node_name: next(), fx_original_trace: next() },
    { filename: '/usr/lib/python3/site-packages/torch/nn/functional.py', line: 5, name: next() },
  ];
  const more = (): object => ({ compile_context: next(), user_metadata: { [next()]: next() }, forward_frames: [next()], [next()]: next() }); // prettier-ignore
  const block = (address: number): object => ({ address, size: 64, requested_size: 64, state: 'active_allocated', frames: frames(), ...more() }); // prettier-ignore
  const held = [0, 1, 2].flatMap((i) => [block(1000 * i), { ...block(1000 * i + 64), state: next() }]);
  const segments = held.map((only, i) => ({
    ...{ device: i % 2, address: i, total_size: 256, stream: next(), segment_type: next(), segment_pool_id: [next(), 0] },
    ...{ frames: frames(), blocks: [only], ...more() },
  })); // prettier-ignore
  const actions = [...Array<string>(70).fill('alloc'), 'segment_alloc', 'oom', 'free', 'snapshot', 'user_defined'];
  const event = (action: string, i: number): object => ({ action, addr: 5000 + 64 * i, size: 64, stream: 0, time_us: 1000 + i, frames: frames(), ...more() }); // prettier-ignore
  const traces = [[...actions, next()].map(event), [event('alloc', 90)]];
  const path = freshPath('.pickle');
  const whole = {
    ...{ segments, device_traces: traces, allocator_settings: { PYTORCH_CUDA_ALLOC_CONF: next(), [next()]: next() } },
    ...{ external_annotations: [{ stage: next(), name: next(), device: 0, time_us: 5 }], user_metadata: next(), [next()]: [next()] }, // prettier-ignore
  };
  writeFileSync(path, pickled(whole as unknown as Parameters<typeof pickled>[0]));
  return path;
}

/** Names of arguments that readers of slices ask for, and whose values are texts. */
const TEXT_ARGS =
  'agent src_agent dst_agent workgroup_size layer mod op trace operands dir ranges ownranges engine collective.op collective.dtype collective.group collective.ranks name kind hostMemory queueType dtype group algorithm link domain tool host format category role shape kernel_name counters.x labels.x facts.x'.split(
    ' ',
  );
/** Categories of slices by the track that each belongs to: of AMD's tracers, and of `dprof perfetto`. */
const CATEGORIES: Readonly<Record<number, string>> = {
  3: 'hip_api kernel_dispatch memory_copy marker_api rocm_hip_stream host user python mpi',
  5: 'kernel copy set sync graph collective layer sample notice',
  7: 'launch range',
  8: 'profile sample tensor',
};
const [BEGIN, END, COUNTER] = [1, 2, 4];

/** Lists in arguments that are written as JSON. */
function jsonArgs(next: () => string): readonly (readonly [string, string])[] {
  const arg = { name: next(), type: next(), dtype: next(), value: next(), [next()]: next() };
  return [
    ['calls', JSON.stringify([{ mod: next(), op: next(), args: [arg] }])],
    ['devices', JSON.stringify([{ id: 0, vendor: next(), name: next(), arch: next(), [next()]: next() }])],
    ['groups', JSON.stringify([{ name: next(), description: next(), size: 2, ranks: [0, next()] }])],
  ];
}

function perfetto({ next, noFunction }: Secrets): string {
  let at = 1000;
  const packet = (data: readonly Field[]): Field => [1, [[8, (at += 10)], [10, 1], [13, 2], ...data]];
  const text = (name: string, value: string): Field => [4, [[10, name], [6, value]]]; // prettier-ignore
  const nested = (): Field => [4, [[10, next()], [11, [[10, next()], [6, next()]]], [12, [[6, next()]]]]]; // prettier-ignore
  const slice = (track: number, category: string, name: string, args: readonly Field[]): Field[] => [
    packet([[11, [[9, BEGIN], [11, track], [22, category], [23, name], ...args]]]),
    packet([[11, [[9, END], [11, track]]]]),
  ]; // prettier-ignore
  const track = (uuid: number, fields: readonly Field[]): Field => [1, [[60, [[1, uuid], ...fields]]]];
  const tracks = [
    track(1, [[3, [[1, 42], [6, next()], [2, next()]]]]),
    track(2, [[5, 1], [4, [[1, 42], [2, 43], [5, next()]]]]),
    track(3, [[5, 1], [2, `GPU [0] QUEUE [1] ${next()}`]]),
    track(4, [[3, [[1, 50], [6, `rank 0, device 0: ${next()}`]]]]),
    track(5, [[5, 4], [2, `stream 7 ${next()}`]]),
    track(6, [[3, [[1, 51], [6, 'host 42']]]]),
    track(7, [[5, 6], [4, [[1, 51], [2, 1], [5, `thread ${next()}`]]]]),
    track(8, [[5, 4], [2, 'whole profile']]),
    ...[0, 1, 2].map((i) => track(20 + i, [[5, 4], [2, `${next()} ${next()}=${JSON.stringify(next())}`], [8, [[6, next()]]]])),
    ...[0, 1, 2].map((i) => track(30 + i, [[5, 1], [2, next()], [8, [[3, 3], [6, next()]]]])),
  ]; // prettier-ignore
  const nameIn = (category: string): string => (/kernel|stream/.test(category) ? noFunction : next)();
  const argsOf = (category: string): Field[] => [
    ...TEXT_ARGS.map((name) => text(name, (name === 'name' && category === 'kernel' ? noFunction : next)())),
    ...[`counters.${next()}`, `labels.${next()}`, `facts.${next()}`, next()].map((name) => text(name, next())),
    ...jsonArgs(next).map(([name, value]) => text(name, value)),
    nested(),
  ];
  const slices = Object.entries(CATEGORIES).flatMap(([on, categories]) =>
    [...categories.split(' '), next()].flatMap((category) =>
      slice(Number(on), category, nameIn(category), argsOf(category)),
    ),
  );
  const counters = [20, 21, 22, 30, 31, 32].map((on) => packet([[11, [[9, COUNTER], [11, on], [30, 5], [23, next()]]]])); // prettier-ignore
  const interned: Field[] = [1, 2, 3, 29, 24, 1001].map((list): Field => [
    list,
    [
      [1, 1],
      [2, next()],
    ],
  ]);
  const kernels: Field = [1000, [[1, 1], [2, noFunction()], [3, noFunction()]]]; // prettier-ignore
  const byNumber = packet([[11, [[9, BEGIN], [11, 2], [3, 1], [10, 1], [4, [[1, 1], [17, 1]]]]]]); // prettier-ignore
  const stages = ['bytes', 'arch', 'stream id', 'correlation', next(), next()].map((name, i) =>
    packet([[53, [[1, i + 1], [2, 5], [11, 0], [13, 1], [14, 1], ...(i % 2 === 0 ? [[19, 1] as Field] : []), [17, nameIn('kernel')], [6, [[1, name], [2, next()]]], [21, [[1, [[1, 2]]], [3, [[2, next()], [4, 5]]]]]]]]),
  ); // prettier-ignore
  // A log of Android, and what describes the trace.
  const others = [39, 33, 36, 63, 7, 45].map((field) =>
    packet([
      [
        field,
        [
          [1, next()],
          [2, [[3, next()]]],
        ],
      ],
    ]),
  );
  const path = freshPath('.pftrace');
  const first: Field = [1, [[10, 1], [13, 1], [12, [...interned, kernels]]]]; // prettier-ignore
  writeFileSync(path, message([...tracks, first, ...slices, byNumber, ...counters, ...stages, ...others]));
  return path;
}

/** Makers of profiles with secrets, by the names of their formats. */
export const SECRET_PROFILES: Readonly<Record<string, (secrets: Secrets) => string>> = {
  ...{ XPlane: xplane, rocpd, 'memory snapshot (pickle)': snapshot, Perfetto: perfetto },
};
