/** nvprof databases for tests, in the schema of version 12. Times are Unix times in nanoseconds. */
import { ProfileDatabase, type Cell, type Cells } from './profile-database.js';

const PLACE = 'start! end! deviceId! contextId! streamId! correlationId!';
const KERNEL = `_id_ cacheConfig$ registersPerThread! ${PLACE} completed! gridX! gridY! gridZ! blockX! blockY! blockZ! gridId! name! graphNodeId graphId`;
const CALL = '_id_ cbid! start! end! processId! threadId! correlationId! returnValue!';

const SCHEMA = {
  StringTable: '_id_ value$!',
  Version: 'version',
  CUPTI_ACTIVITY_KIND_KERNEL: KERNEL,
  CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL: KERNEL,
  CUPTI_ACTIVITY_KIND_RUNTIME: CALL,
  CUPTI_ACTIVITY_KIND_DRIVER: CALL,
  CUPTI_ACTIVITY_KIND_MARKER: '_id_ flags! timestamp! id! objectKind! objectId$! name! domain!',
  CUPTI_ACTIVITY_KIND_MEMCPY: `_id_ copyKind! srcKind! dstKind! flags! bytes! ${PLACE} runtimeCorrelationId!`,
  CUPTI_ACTIVITY_KIND_MEMCPY2: `_id_ copyKind! srcKind! dstKind! flags! bytes! ${PLACE} srcDeviceId! dstDeviceId!`,
  CUPTI_ACTIVITY_KIND_MEMSET: `_id_ value! bytes! ${PLACE} flags! memoryKind!`,
  CUPTI_ACTIVITY_KIND_CONTEXT: '_id_ contextId! deviceId! computeApiKind! nullStreamId!',
  CUPTI_ACTIVITY_KIND_SYNCHRONIZATION: '_id_ type! start! end! correlationId! contextId! streamId! cudaEventId!',
  CUPTI_ACTIVITY_KIND_OVERHEAD: '_id_ overheadKind! objectKind! objectId$! start! end!',
  CUPTI_ACTIVITY_KIND_PC_SAMPLING:
    '_id_ flags! sourceLocatorId! correlationId! functionId! latencySamples! samples! stallReason! pcOffset!',
  CUPTI_ACTIVITY_KIND_METRIC: '_id_ id! value! correlationId! flags!',
  CUPTI_ACTIVITY_KIND_METRIC_INSTANCE: '_id_ id! value! instance! correlationId! flags!',
  CUPTI_ACTIVITY_KIND_EVENT: '_id_ id! value! domain! correlationId!',
  CUPTI_ACTIVITY_KIND_DEVICE:
    '_id_ globalMemoryBandwidth! globalMemorySize! coreClockRate! numMultiprocessors! computeCapabilityMajor! computeCapabilityMinor! id! name!',
};

export const PID = 4242;
/** A pthread handle, cut to 32 bits: signed in calls, unsigned in markers. */
export const TID = 0xeadc3740;
/** What the times of the tests count from: no double holds such a time exactly. */
export const EPOCH = 1_600_000_000_123_456_789n;

/** 4 bytes process, 8 bytes thread, little-endian. */
export function threadObject(tid = TID, pid = PID): Buffer {
  const blob = Buffer.alloc(12);
  blob.writeUInt32LE(pid, 0);
  blob.writeUInt32LE(tid, 4);
  return blob;
}

export class NvprofDatabase extends ProfileDatabase {
  #markers = 0;

  constructor(version: Cell = 12) {
    super(SCHEMA, ['StringTable', '_id_']);
    this.row('Version', { version });
    this.string('StringTable is what identifies the format');
  }

  kernel(
    start: number,
    end: number,
    corr: number,
    { table = 'CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL', name = 'kernel', ...cells }: Cells & { table?: string } = {},
  ): this {
    return this.row(table, {
      ...{ start: EPOCH + BigInt(start), end: EPOCH + BigInt(end), streamId: 7, correlationId: corr },
      ...{ gridX: 1, gridY: 1, gridZ: 1, blockX: 32, blockY: 1, blockZ: 1 },
      name: typeof name === 'string' ? this.string(name) : name,
      ...cells,
    });
  }

  /** A call of the runtime API, or of the driver's; 211 is cudaLaunchKernel. */
  call(
    start: number,
    end: number,
    corr: number,
    { table = 'CUPTI_ACTIVITY_KIND_RUNTIME', ...cells }: Cells & { table?: string } = {},
  ): this {
    return this.row(table, {
      ...{ start: EPOCH + BigInt(start), end: EPOCH + BigInt(end), correlationId: corr, cbid: 211 },
      ...{ processId: PID, threadId: TID | 0 },
      ...cells,
    });
  }

  /** A marker's start and end rows; `end` null: no end row. */
  range(text: string, start: number, end: number | null, cells: Cells = {}): this {
    const id = ++this.#markers;
    const common = { id, objectKind: 2, objectId: threadObject(), ...cells };
    this.marker(2, start, { ...common, name: this.string(text) });
    return end === null ? this : this.marker(4, end, common);
  }

  marker(flags: number, time: number, cells: Cells): this {
    return this.row('CUPTI_ACTIVITY_KIND_MARKER', { timestamp: EPOCH + BigInt(time), flags, ...cells });
  }

  /** A launch from 100·n to 100·n + 10, its kernel, and the strings of the ranges around it. */
  launch(n: number, texts: readonly string[]): this {
    texts.forEach((text, depth) => this.range(text, 100 * n - 40 + depth, 100 * n + 50 - depth));
    return this.call(100 * n, 100 * n + 10, n).kernel(100 * n + 20, 100 * n + 30, n);
  }
}
