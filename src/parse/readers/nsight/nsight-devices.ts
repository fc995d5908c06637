/**
 * Devices of an Nsight Systems export. Activities refer to a device by its CUDA ordinal, which differs between processes
 * (CUDA_VISIBLE_DEVICES): TARGET_INFO_CUDA_DEVICE maps process and ordinal to the GPU.
 */
import type { Device } from '../../../record/record.js';
import { UNKNOWN_DEVICE } from '../../trace/trace.js';
import type { Cell, SqliteFile } from '../../sqlite/sqlite.js';

/** Device ids for the records, and the devices themselves. */
export interface DeviceMap {
  /** The device id: the CUDA ordinal, unless one ordinal is different GPUs in different processes; then the GPU's id. */
  idOf(pid: number, ordinal: number): number;
  /** Devices in order of id: those described, and used ones about which nothing else is known. */
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
  const unknown = (id: number): Device => ({ id, ...UNKNOWN_DEVICE, vendor: 'nvidia' });
  return {
    idOf,
    list: (used) =>
      [...new Set([...described.keys(), ...used])].sort((a, b) => a - b).map((id) => described.get(id) ?? unknown(id)),
  };
}

interface Gpu {
  readonly gpu: number;
  /** CUDA ordinal in the GPU's own row; null when there is none. */
  readonly ordinal: number | null;
  readonly device: Omit<Device, 'id'>;
}

/** `memoryBandwidth` is in bytes per second and `clockRate` in hertz, whatever the documentation states. */
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

/** GPU by process and ordinal; exports without processes have pid 0. */
function readOrdinals(database: SqliteFile): Map<string, number> {
  const gpuOf = new Map<string, number>();
  for (const [gpu, ordinal, pid] of database.rows('TARGET_INFO_CUDA_DEVICE', ['gpuId', 'cudaId', 'pid'])) {
    if (typeof gpu !== 'number' || typeof ordinal !== 'number') continue;
    gpuOf.set(key(typeof pid === 'number' ? pid % 0x1000000 : 0, ordinal), gpu);
  }
  return gpuOf;
}

const ordinalOf = (processAndOrdinal: string): number => Number(processAndOrdinal.split(':')[1]);

/** Whether one ordinal is different GPUs in different processes. */
function isAmbiguous(gpuOf: ReadonlyMap<string, number>): boolean {
  const firstGpus = new Map<number, number>();
  return [...gpuOf].some(([place, gpu]) => {
    const ordinal = ordinalOf(place);
    const known = firstGpus.get(ordinal) ?? gpu;
    firstGpus.set(ordinal, known);
    return known !== gpu;
  });
}

/** The ordinals that are mapped to a GPU; when nothing is mapped, the ordinal in its own row, else its id. */
function ordinalsOf(gpuOf: ReadonlyMap<string, number>, gpu: number, stated: number | null): number[] {
  const ordinals = [...gpuOf].filter(([, target]) => target === gpu).map(([place]) => ordinalOf(place));
  if (ordinals.length > 0) return [...new Set(ordinals)];
  return gpuOf.size > 0 ? [] : [stated ?? gpu];
}
