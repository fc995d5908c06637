/**
 * Devices of an Nsight Systems export. Activities name a device by its CUDA ordinal, which every process counts for
 * itself (CUDA_VISIBLE_DEVICES): TARGET_INFO_CUDA_DEVICE leads from process and ordinal to the GPU.
 */
import type { Device } from '../../../record/record.js';
import type { Cell, SqliteFile } from '../../sqlite/sqlite.js';

export interface DeviceMap {
  /** The device id for records: the CUDA ordinal, unless processes mean different GPUs by one ordinal; then the GPU's. */
  idOf(pid: number, ordinal: number): number;
  /** Devices in order of id: those described, and used ones of which nothing else is known. */
  list(used: ReadonlySet<number>): Device[];
}

const number = (cell: Cell | undefined): number | null => (typeof cell === 'number' ? cell : null);

export function readDevices(database: SqliteFile): DeviceMap {
  const gpus = readGpus(database);
  const gpuOf = readOrdinals(database);
  const ambiguous = isAmbiguous(gpuOf);
  const idOf = (pid: number, ordinal: number): number =>
    ambiguous ? (gpuOf.get(key(pid, ordinal)) ?? ordinal) : ordinal;
  const described = new Map<number, Device>();
  for (const { gpu, ordinal, device } of gpus) {
    const ids = ambiguous ? [gpu] : ordinalsOf(gpuOf, gpu, ordinal);
    for (const id of ids) described.set(id, { id, ...device });
  }
  const unknown = (id: number): Device => ({
    id,
    vendor: 'nvidia',
    name: null,
    arch: null,
    units: null,
    clockHz: null,
    memBytesPerS: null,
    memBytes: null,
  });
  return {
    idOf,
    list: (used) =>
      [...new Set([...described.keys(), ...used])].sort((a, b) => a - b).map((id) => described.get(id) ?? unknown(id)),
  };
}

interface Gpu {
  readonly gpu: number;
  /** CUDA ordinal that the GPU's own row gives, where it does. */
  readonly ordinal: number | null;
  readonly device: Omit<Device, 'id'>;
}

/** `memoryBandwidth` holds bytes per second and `clockRate` hertz, whatever the documentation says of them. */
function readGpus(database: SqliteFile): Gpu[] {
  const columns = [
    'id', 'cuDevice', 'name', 'computeMajor', 'computeMinor', 'smCount', 'clockRate', 'memoryBandwidth', 'totalMemory',
  ]; // prettier-ignore
  return [...database.rows('TARGET_INFO_GPU', columns)].map((row) => {
    const [id, ordinal, name, major, minor, units, clockHz, memBytesPerS, memBytes] = row;
    return {
      gpu: number(id) ?? 0,
      ordinal: number(ordinal),
      device: {
        vendor: 'nvidia',
        name: typeof name === 'string' ? name : null,
        arch: number(major) === null ? null : `sm${number(major) ?? ''}${number(minor) ?? 0}`,
        units: number(units),
        clockHz: number(clockHz),
        memBytesPerS: number(memBytesPerS),
        memBytes: number(memBytes),
      },
    };
  });
}

const key = (pid: number, ordinal: number): string => `${pid}:${ordinal}`;

/** GPU by process and ordinal. */
function readOrdinals(database: SqliteFile): Map<string, number> {
  const gpuOf = new Map<string, number>();
  for (const [gpu, ordinal, pid] of database.rows('TARGET_INFO_CUDA_DEVICE', ['gpuId', 'cudaId', 'pid'])) {
    gpuOf.set(key((number(pid) ?? 0) % 0x1000000, number(ordinal) ?? 0), number(gpu) ?? 0);
  }
  return gpuOf;
}

const ordinalOf = (processAndOrdinal: string): number => Number(processAndOrdinal.split(':')[1]);

function isAmbiguous(gpuOf: ReadonlyMap<string, number>): boolean {
  const seen = new Map<number, number>();
  return [...gpuOf].some(([at, gpu]) => {
    const ordinal = ordinalOf(at);
    const known = seen.get(ordinal) ?? gpu;
    seen.set(ordinal, known);
    return known !== gpu;
  });
}

/** The ordinals that lead to a GPU; without such rows the ordinal in its own row, else its id. */
function ordinalsOf(gpuOf: ReadonlyMap<string, number>, gpu: number, own: number | null): number[] {
  const ordinals = [...gpuOf].filter(([, target]) => target === gpu).map(([at]) => ordinalOf(at));
  if (ordinals.length > 0) return [...new Set(ordinals)];
  return gpuOf.size > 0 ? [] : [own ?? gpu];
}
