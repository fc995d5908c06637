/** Profiles in which there are many of one thing: Nsight Systems databases and PyTorch traces. */
import { writeFileSync } from 'node:fs';
import { NSIGHT_SCHEMA } from '../../samples/programs/nsight-schema.js';
import { Tables, type Row } from '../../samples/programs/tables.js';
import { writePieces } from '../write-pieces.js';

const SLOT = 10_000;
const PROCESS = 4242n << 24n;

interface NsightPart {
  readonly device?: number;
  readonly stream?: number;
  readonly thread?: number;
  readonly name?: number;
  /** Null for a range that nothing ends. */
  readonly end?: number | null;
}

const NSIGHT: Readonly<Record<string, (i: number, n: number) => NsightPart>> = {
  devices: (i) => ({ device: i }),
  streams: (i) => ({ stream: i }),
  threads: (i) => ({ thread: i }),
  names: (i) => ({ name: i }),
  'open ranges': () => ({ end: null }),
  'ranges at once': (_, n) => ({ end: n * SLOT }),
};

/** `n` kernels of a database, each launched in a range. */
function writeNsight(dimension: string, n: number, path: string): void {
  const tables = new Tables(NSIGHT_SCHEMA);
  const insert = (table: keyof typeof NSIGHT_SCHEMA, row: Row): void => tables.insert(table, row);
  insert('StringIds', { id: 0, value: 'cudaLaunchKernel' });
  const parts = Array.from({ length: n }, (_, i) => NSIGHT[dimension]?.(i, n) ?? {});
  const ids = (of: (part: NsightPart) => number): number[] => [...new Set(parts.map(of))];
  for (const name of ids((part) => part.name ?? 0)) insert('StringIds', { id: name + 1, value: `kernel_${name}` });
  for (const id of ids((part) => part.device ?? 0))
    insert('TARGET_INFO_GPU', { ...{ vmId: 0, id, name: 'A100', smCount: 108, cuDevice: id }, ...GPU });
  insert('PROCESSES', { globalPid: PROCESS, pid: 4242, name: 'python3' });
  for (const [i, part] of parts.entries()) {
    const start = i * SLOT;
    const globalTid = PROCESS | BigInt(1 + (part.thread ?? 0));
    const name = 1 + (part.name ?? 0);
    insert('CUPTI_ACTIVITY_KIND_RUNTIME', {
      ...{
        start: start + 100,
        end: start + 200,
        eventClass: 0,
        globalTid,
        correlationId: i + 1,
        nameId: 0,
        returnValue: 0,
      },
    });
    insert('CUPTI_ACTIVITY_KIND_KERNEL', {
      ...{ start: start + 300, end: start + 900, deviceId: part.device ?? 0, contextId: 1, streamId: part.stream ?? 7 },
      ...{ correlationId: i + 1, globalPid: PROCESS, demangledName: name, shortName: name, mangledName: name },
      ...{ gridX: 1, gridY: 1, gridZ: 1, blockX: 64, blockY: 1, blockZ: 1, registersPerThread: 16 },
      ...KERNEL_REST,
    });
    const end = part.end === undefined ? start + 1000 : part.end;
    insert('NVTX_EVENTS', { start, end, eventType: 59, text: `range ${i}`, globalTid, domainId: 0 });
  }
  writeFileSync(path, tables.bytes());
}

const GPU: Row = {
  clockRate: 1_410_000_000,
  computeMajor: 8,
  computeMinor: 0,
  memoryBandwidth: 1_555_000_000_000,
  totalMemory: 42_505_273_344,
};
const KERNEL_REST: Row = {
  ...{ cacheConfig: 0, staticSharedMemory: 0, dynamicSharedMemory: 0, localMemoryPerThread: 0, localMemoryTotal: 0 },
  ...{ gridId: 0, sharedMemoryExecuted: 0, sharedMemoryLimitConfig: 0 },
};

interface KinetoPart {
  readonly device?: number;
  readonly stream?: number;
  readonly tid?: number;
  readonly name?: string;
  readonly op?: string;
  /** Start and length of the op around the launch, in us. */
  readonly ts?: number;
  readonly dur?: number;
  readonly step?: true;
}

const KINETO: Readonly<Record<string, (i: number, n: number) => KinetoPart>> = {
  devices: (i) => ({ device: i }),
  streams: (i) => ({ stream: i }),
  threads: (i) => ({ tid: i + 1 }),
  names: (i) => ({ name: `kernel_${i}` }),
  ops: (i) => ({ op: `aten::op_${i}` }),
  steps: () => ({ step: true }),
  'nested ops': (i, n) => ({ ts: i * 0.001, dur: 20 * n - 2 * i * 0.001 }),
  'ops at once': (_, n) => ({ dur: 10 * n }),
};

/** `n` kernels of a trace, each launched in an op. */
function writeKineto(dimension: string, n: number, path: string): void {
  writePieces(path, (write) => {
    write(Buffer.from('{"schemaVersion":1,"deviceProperties":[],"traceEvents":[\n'));
    for (let i = 0; i < n; i++) {
      const part = KINETO[dimension]?.(i, n) ?? {};
      const at = 10 * i;
      const host = { ph: 'X', pid: 1, tid: part.tid ?? 1 };
      const ids = { correlation: i + 1, 'External id': i + 1 };
      const { device = 0, stream = 7 } = part;
      const events: unknown[] = [
        {
          ...host,
          cat: 'cpu_op',
          name: part.op ?? 'aten::add',
          ts: part.ts ?? at,
          dur: part.dur ?? 5,
          args: { 'External id': i + 1 },
        },
        { ...host, cat: 'cuda_runtime', name: 'cudaLaunchKernel', ts: at + 1, dur: 2, args: ids },
        {
          ...{ ph: 'X', cat: 'kernel', name: part.name ?? 'kernel', pid: device, tid: stream, ts: at + 4, dur: 3 },
          args: { ...ids, device, stream, grid: [1, 1, 1], block: [64, 1, 1] },
        },
      ];
      if (part.step === true)
        events.push({ ...host, cat: 'user_annotation', name: `ProfilerStep#${i}`, ts: at, dur: 9, args: {} });
      write(Buffer.from(`${i === 0 ? '' : ',\n'}${events.map((event) => JSON.stringify(event)).join(',\n')}`));
    }
    write(Buffer.from('\n]}\n'));
  });
}

interface Made {
  readonly file: string;
  readonly dimensions: readonly string[];
  readonly write: (dimension: string, n: number, path: string) => void;
}

export const PROFILES: Readonly<Record<string, Made>> = {
  nsight: { file: 'net.sqlite', dimensions: Object.keys(NSIGHT), write: writeNsight },
  kineto: { file: 'net.json', dimensions: Object.keys(KINETO), write: writeKineto },
};
