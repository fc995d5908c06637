/**
 * rpd databases of rocmProfileData, schema 2. Times are ns since the machine started. Columns that its tracer leaves empty
 * are empty strings, also where numbers are declared.
 */
import { Interned, Tables, type Columns, type Row, type Schema } from './tables.js';

const ID = ['id', 'integer NOT NULL PRIMARY KEY AUTOINCREMENT'] as const;
const KEY = ['api_ptr_id', 'integer NOT NULL PRIMARY KEY'] as const;
const integers = (names: string): Columns => names.split(' ').map((name) => [name, 'integer NOT NULL'] as const);
const texts = (names: string): Columns => names.split(' ').map((name) => [name, 'varchar(4096) NOT NULL'] as const);

const RPD_SCHEMA: Schema = {
  rocpd_string: [ID, ...texts('string')],
  rocpd_api: [ID, ...integers('pid tid start end apiName_id args_id')],
  rocpd_op: [ID, ...integers('gpuId queueId sequenceId'), ...texts('completionSignal'), ...integers('start end description_id opType_id')],
  rocpd_api_ops: [ID, ...integers('api_id op_id')],
  rocpd_kernelapi: [
    KEY,
    ...texts('stream'),
    ...integers('gridX gridY gridZ workgroupX workgroupY workgroupZ groupSegmentSize privateSegmentSize kernelName_id'),
  ],
  rocpd_copyapi: [KEY, ...texts('stream'), ...integers('size width height kind'), ...texts('dst src'), ...integers('dstDevice srcDevice sync pinned')],
  rocpd_monitor: [ID, ...texts('deviceType'), ...integers('deviceId'), ...texts('monitorType'), ...integers('start end'), ...texts('value')],
  rocpd_metadata: [ID, ...texts('tag value')],
  ext_autogradapi: [KEY, ...integers('autogradName_id seq op_id'), ...texts('sizes input_op_ids')],
}; // prettier-ignore

type Span = readonly [start: number, end: number];

/** Rows by what they are; ids count from 1 in the order of calls. */
export class RpdDatabase {
  readonly #tables = new Tables(RPD_SCHEMA);
  readonly #texts = new Interned(1, (id, string) => {
    this.#tables.insert('rocpd_string', { id, string });
  });
  readonly #counts: Record<string, number> = {};

  constructor(
    /** When the machine had started, in ns before all times. */
    private readonly zero: number,
  ) {
    this.#texts.id('');
    this.row('rocpd_metadata', { tag: 'schema_version', value: '2' });
  }

  row(table: string, row: Row): number {
    const id = (this.#counts[table] = (this.#counts[table] ?? 0) + 1);
    this.#tables.insert(table, RPD_SCHEMA[table]?.[0] === ID ? { id, ...row } : row);
    return id;
  }

  /** A call of HIP, or a range of roctx. @returns its id */
  call(name: string, span: Span, { args = '', tid = 7 }: { args?: string; tid?: number } = {}): number {
    const names = { apiName_id: this.#texts.id(name), args_id: this.#texts.id(args) };
    return this.row('rocpd_api', { pid: 7, tid, ...this.#times(span), ...names });
  }

  /** A range of PyTorch, as the tracer's tool takes its text apart. */
  op(
    name: string,
    span: Span,
    opId: number,
    [seq, sizes]: readonly [seq: number | '', sizes: string] = ['', ''],
  ): void {
    const api_ptr_id = this.call('UserMarker', span, { args: name });
    this.row('ext_autogradapi', { api_ptr_id, autogradName_id: this.#texts.id(name), seq, op_id: opId, sizes, input_op_ids: '' }); // prettier-ignore
  }

  /** Work of the device that a call made. */
  work(type: string, span: Span, call: number, name = '', gpuId = 2): void {
    const names = { description_id: this.#texts.id(name), opType_id: this.#texts.id(type) };
    const op = { gpuId, queueId: 1, sequenceId: 0, completionSignal: '', ...this.#times(span), ...names };
    this.row('rocpd_api_ops', { api_id: call, op_id: this.row('rocpd_op', op) });
  }

  /** Arguments of a call that launches a kernel. */
  launch(call: number, [gridX, gridY]: readonly [number, number], workgroupX: number, stream = '0x0'): void {
    const block = { workgroupX, workgroupY: 1, workgroupZ: 1 };
    const sizes = { gridX, gridY, gridZ: 1, ...block, groupSegmentSize: 0, privateSegmentSize: 0 };
    this.row('rocpd_kernelapi', { api_ptr_id: call, stream, ...sizes, kernelName_id: 1 });
  }

  /** Arguments of a copy; the tracer exchanges source and destination, and leaves sizes above 32 bits empty. */
  copy(call: number, size: number | '', kind: number): void {
    const unknown = { width: '', height: '', dst: '0x10', src: '0x20', dstDevice: 0, srcDevice: 0, sync: 0, pinned: 0 };
    this.row('rocpd_copyapi', { api_ptr_id: call, stream: '0x0', size, kind, ...unknown });
  }

  /** A clock in MHz over a time. */
  clock(span: Span, megahertz: number): void {
    const of = { deviceType: 'gpu', deviceId: 0, monitorType: 'sclk' };
    this.row('rocpd_monitor', { ...of, ...this.#times(span), value: String(megahertz) });
  }

  bytes(): Buffer {
    return this.#tables.bytes();
  }

  #times([start, end]: Span): Row {
    return { start: this.zero + start, end: this.zero + end };
  }
}

/** Two passes of a small decoder in FP8 on one GPU of an MI300X node: launched, then as a graph of two kernels and a copy. */
export function decoderRpd(): Buffer {
  const database = new RpdDatabase(3_489_389_197_000_000);
  const gemm = 'Cijk_Alik_Bljk_F8HS_BH_BiasSH_AS_SAB_SAV_UserArgs_MT64x32x256_MI16x16x1_SN_ISA942_WG32_8_1';
  const norm = 'void vllm::rms_norm_kernel<c10::Half>(c10::Half*, c10::Half const*, c10::Half const*, float, int, int)';
  database.clock([-90_000, 200_000], 132);
  database.clock([200_000, 900_000], 2100);
  const upload = database.call('hipMemcpyAsync', [10_000, 30_000]);
  database.copy(upload, 65_536, 1);
  database.work('CopyHostToDevice', [20_000, 26_000], upload);
  database.call('UserMarker', [40_000, 300_000], { args: 'execute_model' });
  database.op('_C::rms_norm', [50_000, 80_000], 1, ['', '[[64, 1024], [64, 1024], [1024], []]']);
  const first = database.call('hipLaunchKernel', [60_000, 70_000]);
  database.launch(first, [64, 1], 256);
  database.work('KernelExecution', [75_000, 79_000], first, norm);
  database.op('aten::_scaled_mm', [90_000, 140_000], 2, ['', '[[64, 1024], [1024, 2048], [], []]']);
  // Counted in threads: 8 by 64 blocks.
  const second = database.call('hipExtModuleLaunchKernel', [100_000, 110_000]);
  database.launch(second, [2048, 64], 256);
  database.work('KernelExecution', [115_000, 155_000], second, gemm);
  const clear = database.call('hipMemsetAsync', [150_000, 158_000]);
  database.work('FillBuffer', [160_000, 162_000], clear);
  const replay = database.call('hipGraphLaunch', [200_000, 230_000], { args: 'graphExec = 0x24922d90 | stream = 0x0' });
  database.work('Task', [240_000, 244_000], replay, norm);
  database.work('Task', [244_000, 284_000], replay, gemm);
  database.work('CopyDeviceToDevice', [284_000, 286_000], replay);
  const download = database.call('hipMemcpyWithStream', [310_000, 330_000]);
  database.copy(download, 32, 2);
  database.work('CopyDeviceToHost', [315_000, 320_000], download);
  database.call('OpTable::writeRows', [400_000, 450_000], { tid: 9 });
  return database.bytes();
}
