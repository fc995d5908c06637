/**
 * A run as raw data: what torch_npu and msprof collect, before the vendor's tool parses it. Source: the structures that
 * Ascend/msprof and Ascend/pytorch publish; no capture was at hand. Clocks count nanoseconds, so that no time is rounded.
 */
import { countersOf, EPOCH, PID, TIDS } from './ascend-database.js';
import { DEVICE, GROUP, type AscendRun, type DeviceTask, type HostOp, type KernelWork } from './ascend-run.js';

/** Clocks at the start: of the system, of the host's counter and of the device's. */
const [MONOTONIC, HOST_COUNT, DEVICE_COUNT] = [86_400_000_000_000n, 8_640_123_456n, 4_320_654_321n];
const [MAGIC, DEVICE_MAGIC] = [0x5a5a, 0x6bd3];
const LEVEL = { runtime: 5_000, collective: 5_500, node: 10_000, acl: 20_000 } as const;
const TYPES = {
  'acl aclrtMemcpyAsync': 0x030001,
  'node launch': 5,
  'node hcom_allReduce_': 0x020001,
  'collective master': 0x010001,
  'runtime KERNEL_AICORE': 0,
  'runtime KERNEL_AIVEC': 66,
  'runtime MEMCPY_ASYNC': 5,
} as const;
const [IN, OUT] = [0, 1];
const [ND, FLOAT16, FP16_MESSAGE, HCCS, TO_DEVICE] = [2, 1, 3, 1, 1];
const NONE = 4294967295;
const CORES = { AI_CORE: 0, AI_VECTOR_CORE: 2 } as const;

const SIZES: Readonly<Record<string, number>> = { B: 1, H: 2, I: 4, Q: 8, q: 8 };

/** Numbers one after the other, little-endian: `B` 8, `H` 16, `I` 32, `Q` 64 bits, `q` signed; filled up with zeros. */
export function packed(format: string, values: readonly (number | bigint)[], bytes = 0): Buffer {
  const types = format.split('');
  const size = types.reduce((sum, type) => sum + (SIZES[type] ?? 0), 0);
  const buffer = Buffer.alloc(Math.max(size, bytes));
  let at = 0;
  types.forEach((type, i) => {
    const value = values[i] ?? 0;
    if (type === 'B') buffer.writeUInt8(Number(value), at);
    else if (type === 'H') buffer.writeUInt16LE(Number(value), at);
    else if (type === 'I') buffer.writeUInt32LE(Number(value), at);
    else if (type === 'Q') buffer.writeBigUInt64LE(BigInt(value), at);
    else buffer.writeBigInt64LE(BigInt(value), at);
    at += SIZES[type] ?? 0;
  });
  return buffer;
}

/** Type, length and value. */
export const record = (type: number, value: Buffer): Buffer =>
  Buffer.concat([packed('HI', [type, value.length]), value]);
const text = (type: number, value: string): Buffer => record(type, Buffer.from(value));
const hostTime = (ns: number): bigint => HOST_COUNT + BigInt(ns);
const deviceTime = (ns: number): bigint => DEVICE_COUNT + BigInt(ns);

class Writer {
  readonly #hashes = new Map<string, bigint>();
  readonly #files = new Map<string, Buffer[]>();

  constructor(private readonly run: AscendRun) {
    this.#hashes.set(GROUP, BigInt(GROUP));
  }

  files(): Record<string, Buffer> {
    const { run } = this;
    run.ops.forEach((op) => this.#hostOp(op));
    this.#frames(run.ops.filter(({ kind }) => kind === 'frame'));
    run.tasks.forEach((task) => this.#task(task));
    run.memory.forEach(({ bytes, start, held }) => {
      const totals = [held, held, held];
      const value = packed('qqqqqqqBBBBBQQ', [0, hostTime(start), bytes, ...totals, 0, 20, 0, 0, 0, 0, TIDS.main, PID]);
      this.#add('FRAMEWORK/torch.memory_usage', record(3, value));
    });
    const clocks = packed(`II${'QII'.repeat(55)}`, [1, 0, deviceTime(0), DEVICE.clockHz / 1e6, 0]);
    this.#device('lpmFreqConv', clocks);
    const lines = (entries: Iterable<readonly [string, string]>): Buffer =>
      Buffer.from([...entries].map(([key, value]) => `${key}:${value}\n`).join(''));
    const typeKeys = Object.entries(TYPES).map(([name, type]): [string, string] => {
      const [level = '', call = ''] = name.split(' ');
      return [`${LEVEL[level as keyof typeof LEVEL]}_${type}`, call];
    });
    this.#host('additional.type_info_dic', lines(typeKeys));
    this.#host('additional.hash_dic', lines([...this.#hashes].map(([name, hash]) => [String(hash), name])));
    this.#facts();
    return Object.fromEntries([...this.#files].map(([path, parts]) => [path, Buffer.concat(parts)]));
  }

  #add(path: string, bytes: Buffer): void {
    const parts = this.#files.get(path) ?? [];
    parts.push(bytes);
    this.#files.set(path, parts);
  }

  readonly #prof = 'PROF_000001_20260115000000000_SAMPLE';
  #host = (kind: string, bytes: Buffer): void => this.#add(`${this.#prof}/host/data/unaging.${kind}.slice_0`, bytes);
  #device = (kind: string, bytes: Buffer): void =>
    this.#add(`${this.#prof}/device_0/data/${kind}.data.0.slice_0`, bytes);

  #facts(): void {
    const cpu = { CPU: [{ Frequency: '1000.000000' }] };
    const devices = [{ ai_core_num: DEVICE.cores, aic_frequency: String(DEVICE.clockHz / 1e6), hwts_frequency: '1000.000000' }];
    const start = { collectionTimeBegin: String(EPOCH / 1000n), clockMonotonicRaw: String(MONOTONIC) };
    const hostLog = `[Host]\nclock_monotonic_raw: ${MONOTONIC}\ncntvct: ${HOST_COUNT}\ncntvct_diff: 0\n`;
    const deviceLog = `[0]\nclock_monotonic_raw: ${MONOTONIC}\ncntvct: ${DEVICE_COUNT}\n`;
    const json = (path: string, value: unknown): void => this.#add(path, Buffer.from(`${JSON.stringify(value)}\n`));
    const info = { platform_version: '5', devices: '0', pid: String(PID), DeviceInfo: devices, ...cpu };
    json(`${this.#prof}/host/info.json`, { ...info, DeviceInfo: [] });
    json(`${this.#prof}/device_0/info.json.0`, info);
    json(`${this.#prof}/host/start_info`, start);
    json(`${this.#prof}/device_0/start_info.0`, start);
    json(`${this.#prof}/host/sample.json`, { ai_core_metrics: 'PipeUtilization' });
    this.#add(`${this.#prof}/host/host_start.log`, Buffer.from(hostLog));
    this.#add(`${this.#prof}/device_0/host_start.log.0`, Buffer.from(hostLog));
    this.#add(`${this.#prof}/device_0/dev_start.log.0`, Buffer.from(deviceLog));
    json('profiler_info_0.json', {
      config: { common_config: { record_shapes: true, with_stack: true, with_modules: true, profile_memory: true } },
      rank_id: 0,
      start_info: { syscnt_enable: true, freq: 1000 },
      torch_npu_version: '2.6.0',
      cann_version: '8.2.0',
    });
  } // prettier-ignore

  #hostOp(op: HostOp): void {
    const thread = TIDS[op.thread];
    op.connections.forEach((connection, i) => {
      [0, 1].forEach((kind) => {
        const value = packed('qQQQQ', [hostTime(op.start + 100 + i * 20 + kind * 10), kind, connection, thread, PID]);
        this.#add('FRAMEWORK/torch.op_mark', record(2, Buffer.concat([value, text(1, op.name)])));
      });
    });
    if (op.kind !== 'op') return;
    const [start, end] = [hostTime(op.start), hostTime(op.end)];
    const value = packed('qqqQQQQBB', [start, end, op.seq, PID, thread, thread, op.backward ? 1 : 0, 0, 0]);
    const texts = [text(2, op.name)];
    if (op.inputs.length > 0) {
      texts.push(text(3, op.inputs.map(({ type }) => type).join(';')));
      texts.push(text(4, op.inputs.map(({ shape }) => shape.join()).join(';')));
    }
    if (op.stack.length > 0) texts.push(text(8, op.stack.join(';')));
    this.#add('FRAMEWORK/torch.op_range', record(1, Buffer.concat([value, ...texts])));
  }

  /** Calls and returns of modules: `nn.Module: Linear_0` is the first called of its class. */
  #frames(frames: readonly HostOp[]): void {
    const names = [...new Set(frames.map(({ name }) => name))];
    const events = frames.flatMap(({ name, thread, start, end }) =>
      ([[start, 0], [end, 1]] as const).map(([time, kind]) => ({ time, kind, name, thread: TIDS[thread] })),
    );
    events.sort((a, b) => a.time - b.time);
    for (const { time, kind, name, thread } of events) {
      this.#add('FRAMEWORK/torch.python_tracer_func', packed('QQQQB', [hostTime(time), thread, PID, names.indexOf(name) + 1, kind]));
    }
    names.forEach((name, i) => {
      const module = name.replace(/^nn\.Module: (.*)_\d+$/, `$1######${i}`);
      this.#add('FRAMEWORK/torch.python_tracer_hash', record(8, Buffer.concat([packed('Q', [i + 1]), text(1, module)])));
    });
  } // prettier-ignore

  #hash(name: string): bigint {
    const known = this.#hashes.get(name);
    if (known !== undefined) return known;
    const hash = 9_000_000_000_000_000_000n + BigInt(this.#hashes.size);
    this.#hashes.set(name, hash);
    return hash;
  }

  #call(name: keyof typeof TYPES, start: number, end: number, item: bigint): void {
    const level = LEVEL[name.split(' ')[0] as keyof typeof LEVEL];
    const values = [MAGIC, level, TYPES[name], TIDS.queue, 0, hostTime(start), hostTime(end), item];
    this.#host('api_event.data', packed('HHIIIQQQ', values));
  }

  #head(level: number, type: number, time: number): Buffer {
    return packed('HHIIIQ', [MAGIC, level, type, TIDS.queue, 40, hostTime(time)]);
  }

  #task({ kind, work, launched, connection, stream, task, start, end, bytes = 0 }: DeviceTask): void {
    if (kind === 'mark') return;
    [2, 3].forEach((mark) => {
      const time = launched + (mark === 2 ? -100 : 2_100);
      const value = packed('qQQQQ', [hostTime(time), mark, connection, TIDS.queue, PID]);
      this.#add('FRAMEWORK/torch.op_mark', record(2, Buffer.concat([value, text(1, work?.name ?? kind)])));
    });
    const ends = launched + 2_000;
    const type = work === undefined ? 'runtime MEMCPY_ASYNC' : work.core === 'AI_CORE' ? 'runtime KERNEL_AICORE' : 'runtime KERNEL_AIVEC'; // prettier-ignore
    if (work !== undefined) this.#kernel(work, launched, ends);
    else if (kind === 'copy') {
      this.#call('acl aclrtMemcpyAsync', launched, ends, 0n);
      const body = packed('QQH', [bytes, bytes, TO_DEVICE], 40);
      this.#host('compact.memcpy_info', Buffer.concat([this.#head(LEVEL.runtime, 0, launched + 900), body]));
    } else this.#collective(bytes, launched, ends);
    const track = packed('HHIQQ', [0, stream, task, TYPES[type], this.#hash(work?.name ?? '')], 40);
    this.#host('compact.task_track', Buffer.concat([this.#head(LEVEL.runtime, 0, launched + 1_000), track]));
    const queued = work === undefined ? 11 : work.core === 'AI_CORE' ? 0 : 2;
    [start, end].forEach((time, about) => {
      const values = [about | (queued << 10), DEVICE_MAGIC, stream, task, deviceTime(time)];
      this.#device('stars_soc', packed('HHHHQ', values, 64));
    });
    if (work === undefined) return;
    const counted = countersOf({ kind, work, launched, connection, stream, task, start, end }, work);
    const cycles = counted['aic_total_cycles'] ?? counted['aiv_total_cycles'] ?? 0;
    const form = work.core === 'AI_CORE' ? 0 : 1 << 13;
    const place = [40, 0, stream, task, 0, 0, 0, 0, form, 0];
    const counts = Array.from({ length: 8 }, () => 0);
    const values = [...place, 0, cycles, 0, ...counts, deviceTime(start), deviceTime(end)];
    this.#device('ffts_profile', packed(`HHHHQBBHHHQQQ${'Q'.repeat(10)}`, values, 128));
  }

  #kernel({ name, opType, core, blocks, inputs, outputs }: KernelWork, launched: number, ends: number): void {
    const op = this.#hash(name);
    this.#call('node launch', launched, ends, op);
    const node = packed('QIQIIB', [op, CORES[core], this.#hash(opType), blocks, 0, 0], 40);
    this.#host('compact.node_basic_info', Buffer.concat([this.#head(LEVEL.node, 0, ends), node]));
    const tensors = [...inputs.map((shape) => [IN, shape] as const), ...outputs.map((shape) => [OUT, shape] as const)];
    for (let from = 0; from < tensors.length; from += 5) {
      const part = tensors.slice(from, from + 5);
      const values = part.flatMap(([side, shape]) => [side, ND, FLOAT16, ...Array.from({ length: 8 }, (_, i) => shape[i] ?? 0)]); // prettier-ignore
      const body = packed(`QI${'I'.repeat(values.length)}`, [op, part.length, ...values], 232);
      this.#host('additional.tensor_info', Buffer.concat([this.#head(LEVEL.node, 1, ends), body]));
    }
  }

  #collective(bytes: number, launched: number, ends: number): void {
    this.#call('node hcom_allReduce_', launched, ends, this.#hash('hcom_allReduce_'));
    this.#call('collective master', launched + 200, ends - 200, this.#hash('Memcpy'));
    // Ranks, as 0xffffffff, are unknown.
    const item = [this.#hash('Memcpy'), 0, BigInt(GROUP), NONE, NONE, 2, 0, 1, NONE, 0, 0, 1, 0, 0, 0, bytes];
    const message = packed('QQQIIIIIIQIIQQQQIIIIII', [...item, 0, FP16_MESSAGE, HCCS, 0, 0, 0], 232);
    this.#host('additional.hccl_info', Buffer.concat([this.#head(LEVEL.collective, 0, ends - 200), message]));
    const body = packed('BBQQQ', [0, FP16_MESSAGE, this.#hash('MESH-RING'), bytes / 2, BigInt(GROUP)], 40);
    this.#host('compact.hccl_op_info', Buffer.concat([this.#head(LEVEL.node, 10, ends), body]));
  }
}

/** Files by path. */
export const ascendRaw = (run: AscendRun): Record<string, Buffer> => new Writer(run).files();
