/**
 * Reads what an Nsight Systems export states about its session: tool, duration, machine, devices, warnings and errors,
 * and the overhead of Nsight Systems and CUPTI. Messages may name files and programs, so they are only counted by kind.
 */
import { numberOf, type Cell, type SqliteFile, type Selection } from '../../sqlite/sqlite.js';
import type { DiagnosticName, Diagnostics } from '../../../record/diagnostics.js';
import { Ranges } from '../../trace/trace-columns.js';
import { isNear } from '../../trace/clocks/trace-clock.js';
import type { Device } from '../../../record/record.js';
import { UNKNOWN_DEVICE } from '../../trace/trace.js';

/** The devices of an export, and their ids in records. */
export interface DeviceMap {
  /**
   * The device id: the CUDA ordinal, or the GPU's id if the same ordinal means different GPUs in different processes.
   */
  idOf(pid: number, ordinal: number): number;
  /** Device ids that stand for a GPU, by the GPU's id. */
  ofGpu(gpu: number): readonly number[];
  /** Devices in order of id: described devices, and used devices with nothing known but their id. */
  list(used: ReadonlySet<number>): Device[];
}

const number = (cell: Cell | undefined): number | null => (typeof cell === 'number' ? cell : null);

/**
 * Devices of an Nsight Systems export. Activities refer to a device by its CUDA ordinal, which differs between processes
 * (CUDA_VISIBLE_DEVICES). TARGET_INFO_CUDA_DEVICE maps process and ordinal to the GPU.
 */
export function readDevices(database: SqliteFile): DeviceMap {
  const gpus = readGpus(database);
  const gpuOf = readOrdinals(database);
  const ambiguous = isAmbiguous(gpuOf);
  const idOf = (pid: number, ordinal: number): number =>
    ambiguous ? (gpuOf.get(key(pid, ordinal)) ?? ordinal) : ordinal;
  const described = new Map<number, Device>();
  const byGpu = new Map<number, readonly number[]>();
  for (const { gpu, ordinal, device } of gpus) {
    const ids = [...new Set(ambiguous ? [gpu] : ordinalsOf(gpuOf, gpu, ordinal))];
    byGpu.set(gpu, ids);
    for (const id of ids) described.set(id, { id, ...device });
  }
  const unknown = (id: number): Device => ({ id, ...UNKNOWN_DEVICE, vendor: 'nvidia' });
  return {
    idOf,
    ofGpu: (gpu) => byGpu.get(gpu) ?? [gpu],
    list: (used) =>
      [...new Set([...described.keys(), ...used])].sort((a, b) => a - b).map((id) => described.get(id) ?? unknown(id)),
  };
}

interface Gpu {
  readonly gpu: number;
  /** CUDA ordinal in the GPU's own row; null when it has none. */
  readonly ordinal: number | null;
  readonly device: Omit<Device, 'id'>;
}

/**
 * Reads the GPUs. `memoryBandwidth` is in bytes per second and `clockRate` in hertz, although the documentation states
 * other units.
 */
function readGpus(database: SqliteFile): Gpu[] {
  const columns = [
    'id',
    'cuDevice',
    'name',
    'computeMajor',
    'computeMinor',
    'smCount',
    'clockRate',
    'memoryBandwidth',
    'totalMemory',
  ];
  return [...database.rows('TARGET_INFO_GPU', columns)].flatMap((row) => {
    const [id, ordinal, name, majorCell, minorCell, units, clockHz, memBytesPerS, memBytes] = row;
    const [gpu, major, minor] = [number(id), number(majorCell), number(minorCell)];
    if (gpu === null) return [];
    return {
      gpu,
      ordinal: number(ordinal),
      device: {
        vendor: 'nvidia',
        name: typeof name === 'string' ? name : null,
        arch: major === null || minor === null ? null : `sm${major}${minor}`,
        units: number(units),
        clockHz: number(clockHz),
        memBytesPerS: number(memBytesPerS),
        memBytes: number(memBytes),
      },
    };
  });
}

const key = (pid: number, ordinal: number): string => `${pid}:${ordinal}`;

/** GPU by process and ordinal; exports without processes use pid 0. */
function readOrdinals(database: SqliteFile): Map<string, number> {
  const gpuOf = new Map<string, number>();
  for (const [gpu, ordinal, pid] of database.rows('TARGET_INFO_CUDA_DEVICE', ['gpuId', 'cudaId', 'pid'])) {
    if (typeof gpu !== 'number' || typeof ordinal !== 'number') continue;
    gpuOf.set(key(typeof pid === 'number' ? pid % 0x1000000 : 0, ordinal), gpu);
  }
  return gpuOf;
}

const ordinalOf = (processAndOrdinal: string): number => Number(processAndOrdinal.split(':')[1]);

/** Whether the same ordinal means different GPUs in different processes. */
function isAmbiguous(gpuOf: ReadonlyMap<string, number>): boolean {
  const firstGpus = new Map<number, number>();
  return [...gpuOf].some(([place, gpu]) => {
    const ordinal = ordinalOf(place);
    const known = firstGpus.get(ordinal) ?? gpu;
    firstGpus.set(ordinal, known);
    return known !== gpu;
  });
}

/**
 * The ordinals that are mapped to a GPU. Without a map, this is the ordinal in the GPU's row, or otherwise the GPU's
 * id.
 */
function ordinalsOf(gpuOf: ReadonlyMap<string, number>, gpu: number, stated: number | null): number[] {
  const ordinals = [...gpuOf].filter(([, target]) => target === gpu).map(([place]) => ordinalOf(place));
  if (ordinals.length > 0) return [...new Set(ordinals)];
  return gpuOf.size > 0 ? [] : [stated ?? gpu];
}

export const OVERHEAD_TABLES = ['PROFILER_OVERHEAD', 'CUPTI_ACTIVITY_KIND_OVERHEAD'];

interface RangeSource {
  readonly database: SqliteFile;
  readonly diagnostics: Diagnostics;
  /** Selects the process and thread of a row. */
  readonly thread: readonly Selection[];
  readonly threadOf: (process: number, tid: number) => number;
}

/** Calls of the operating system's libraries: `poll`, `ioctl`, `pthread_cond_wait` … (`nsys profile --trace=osrt`). */
export const SYSTEM_CALL_TABLE = 'OSRT_API';

/** Reads tables of named ranges of threads. Their `text` cells are numbers of registered strings. */
export function readNamedRanges(
  { database, diagnostics, thread, threadOf }: RangeSource,
  tables: readonly string[],
): Ranges {
  const ranges = new Ranges();
  for (const table of tables) {
    const columns = ['start', 'end', 'nameId', ...thread];
    database.eachNumbers(table, columns, ([start = NaN, end = NaN, name = NaN, process = NaN, tid = 0]) => {
      if (!isNear(start) || !isNear(end) || end < start || Number.isNaN(process)) diagnostics.count('bad-row');
      else ranges.push({ start, end, thread: threadOf(process, tid), text: -1 - name });
    });
  }
  return ranges;
}

export const MESSAGE_TABLE = 'DIAGNOSTIC_EVENT';

/** Warnings and errors. ENUM_DIAGNOSTIC_SEVERITY_LEVEL: 1 information, 2 warning, 3 error. */
const SEVERITIES: ReadonlySet<number> = new Set([2, 3]);

/**
 * Counters by the text of a message; the first match is used. Source: exports from 2022 to 2026, and the strings that users
 * report.
 */
const MEANINGS: readonly (readonly [text: RegExp, counter: DiagnosticName])[] = [
  [/insufficient.privileg/i, 'profiler-without-permission'],
  [
    /driver.*(?:not supported|unsupported|too old|out of date)|unsupported.*driver|incompatible.*driver/is,
    'profiler-driver-not-supported',
  ],
  [/CUPTI.*not.?initiali[sz]ed|CUPTI_ERROR/is, 'profiler-not-initialised'],
  [/no CUDA events/i, 'profiler-saw-no-device'],
];

/** The diagnostic that a message of the profiler is counted as. */
export const meaningOf = (text: string): DiagnosticName =>
  MEANINGS.find(([meant]) => meant.test(text))?.[1] ?? 'profiler-message';

export function countMessages(database: SqliteFile, diagnostics: Diagnostics): void {
  for (const [severity, text] of database.rows(MESSAGE_TABLE, ['severity', 'text'])) {
    if (!SEVERITIES.has(numberOf(severity)) || typeof text !== 'string') continue;
    diagnostics.count(meaningOf(text));
  }
}

const text = (cell: Cell | undefined): string | null => (typeof cell === 'string' ? cell : null);

/** Tool and version, such as `NVIDIA Nsight Systems 2024.2.1.106`; null for exports before 2022, which do not state it. */
export function toolOf(database: SqliteFile): string | null {
  let version: string | null = null;
  for (const table of ['META_DATA_EXPORT', 'EXPORT_META_DATA']) {
    for (const [name, value] of database.rows(table, ['name', 'value'])) {
      if (name === 'EXPORT_PRODUCT_VERSION') version = text(value) ?? '';
    }
  }
  return version === null ? null : `Nsight Systems ${version}`;
}

/** Duration in ns; null when not stated. */
export function durationOf(database: SqliteFile): number | null {
  for (const [duration] of database.rows('ANALYSIS_DETAILS', ['duration'])) {
    const value = numberOf(duration);
    if (value > 0) return value;
  }
  return null;
}

/** Name of the machine; null when none or several are stated. Other rows of this table are not read. */
export function hostOf(database: SqliteFile): string | null {
  const table = 'TARGET_INFO_SYSTEM_ENV';
  if (!database.hasColumn(table, 'name')) return null;
  const filter = [{ needs: ['name'], sql: "name = 'Hostname'" }];
  const names = new Set([...database.rows(table, ['value'], filter)].map(([value]) => text(value)));
  const [name = null] = names;
  return names.size === 1 && name !== '' ? name : null;
}
