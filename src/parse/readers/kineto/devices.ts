/** The devices of a trace, the ranks in a merged trace, and the host in the trace's file name. */
import type { Device } from '../../../record/record.js';
import { UNKNOWN_DEVICE, type JobFacts } from '../../trace/trace.js';
import { isJsonObject } from '../../json/json-value.js';
import { elementAt } from '../../../containers/element.js';
import { entryOf } from '../../../containers/map-entry.js';
import { NumericColumn, type NarrowColumn } from '../../../containers/numeric-column.js';
import { basename } from 'node:path';
import type { ThreadTable } from '../../trace/threads.js';

/**
 * File names of the form `HOST_PID.TIME.pt.trace.json`. Source: `tensorboard_trace_handler` of torch/profiler/profiler.py.
 */
const TENSORBOARD = /^(.+)_(\d{1,10})\.\d{10,19}\.pt\.trace\.json(?:\.gz)?$/;

/**
 * The host that wrote a trace, from the name that PyTorch gives it for TensorBoard; none for any other name. The name may
 * be chosen by the user (`rank_3`), so it counts as a host only if the process in it is in the trace.
 */
export function hostOfName(file: string, threads: ThreadTable): JobFacts {
  const [, host, pid] = TENSORBOARD.exec(basename(file)) ?? [];
  if (host === undefined) return {};
  for (let thread = 0; thread < threads.count; thread++)
    if (threads.pid(threads.processOf(thread)) === Number(pid)) return { host };
  return {};
}

/**
 * Ranks in a trace that was merged from traces of several processes: merging tools state the rank of each event in its
 * `args`. Each process numbers its devices itself, so all ranks of a job with one device each may have device 0.
 */
export class MergedRanks {
  /** Rows of activities that state a rank, and these ranks. */
  readonly #rows = NumericColumn.counts();
  readonly #ranks = NumericColumn.floats();

  take(row: number, rank: number): void {
    if (!(rank >= 0)) return;
    this.#rows.push(row);
    this.#ranks.push(rank);
  }

  /**
   * Ranks by device; empty unless there are several ranks. If ranks share a device number, and each has only one device,
   * devices are renumbered to their ranks.
   * @param device device column of the activities
   */
  settle(device: NarrowColumn): ReadonlyMap<number, number> {
    const [ranksOf, devicesOf] = [new Map<number, Set<number>>(), new Map<number, Set<number>>()];
    for (let i = 0; i < this.#rows.length; i++) {
      const [rank, id] = [this.#ranks.at(i), device.at(this.#rows.at(i))];
      entryOf(ranksOf, id, () => new Set()).add(rank);
      entryOf(devicesOf, rank, () => new Set()).add(id);
    }
    if (devicesOf.size < 2) return new Map();
    if (areSingle(ranksOf)) return new Map([...ranksOf].map(([id, ranks]) => [id, elementAt([...ranks], 0)]));
    if (!areSingle(devicesOf) || this.#rows.length < device.length) return new Map();
    for (let i = 0; i < this.#rows.length; i++) device.set(this.#rows.at(i), this.#ranks.at(i));
    return new Map([...devicesOf.keys()].map((rank) => [rank, rank]));
  }
}

const areSingle = (sets: ReadonlyMap<number, ReadonlySet<number>>): boolean =>
  [...sets.values()].every(({ size }) => size === 1);

/**
 * Adds ranks to devices.
 * @param ranks ranks by device
 */
export const withRanks = (devices: readonly Device[], ranks: ReadonlyMap<number, number>): Device[] =>
  devices.map((device) => {
    const rank = ranks.get(device.id);
    return rank === undefined ? device : { ...device, rank };
  });

const number = (value: unknown): number | null =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : null;

/** AMD's architecture names by device name. Source: LLVM, "User Guide for AMDGPU Backend". */
const AMD_ARCHITECTURES: readonly (readonly [name: RegExp, arch: string])[] = [
  [/MI100/, 'gfx908'],
  [/MI2\d\d/, 'gfx90a'],
  [/MI3[02]\d[AX]?/, 'gfx942'],
  [/MI35\dX?/, 'gfx950'],
];

/**
 * The same by compute version, because a trace may lack the device's name. Only versions that belong to a single
 * architecture are listed.
 */
const AMD_BY_VERSION: ReadonlyMap<string, string> = new Map([
  ['9.4', 'gfx942'],
  ['9.5', 'gfx950'],
]);

const vendorOf = (name: string): string => {
  if (/AMD|Radeon|Instinct|gfx\d/i.test(name)) return 'amd';
  if (/Intel|Gaudi|^HL-\d/i.test(name)) return 'intel';
  if (/\bMTIA\b/i.test(name)) return 'meta';
  return /NVIDIA|Tesla|GeForce|Quadro|TITAN|^[ABHLV]\d{2,3}\b/i.test(name) ? 'nvidia' : 'unknown';
};

function architecture(vendor: string, name: string, major: number | null, minor: number | null): string | null {
  if (vendor === 'amd') {
    const named = AMD_ARCHITECTURES.find(([pattern]) => pattern.test(name))?.[1];
    return named ?? (name === '' ? (AMD_BY_VERSION.get(`${major}.${minor}`) ?? null) : null);
  }
  return vendor === 'nvidia' && major !== null && minor !== null ? `sm${major}${minor}` : null;
}

function readPeaks(value: unknown, traceVendor: string): Device | null {
  if (!isJsonObject(value)) return null;
  const id = number(value['id']);
  const name = value['name'];
  if (id === null) return null;
  const text = typeof name === 'string' ? name : '';
  const named = vendorOf(text);
  const vendor = named === 'unknown' ? traceVendor : named;
  return {
    id,
    ...UNKNOWN_DEVICE,
    vendor,
    name: text === '' ? null : text,
    arch: architecture(vendor, text, number(value['computeMajor']), number(value['computeMinor'])),
    units: number(value['numSms']),
    memBytes: number(value['totalGlobalMem']),
  };
}

/**
 * The devices that a trace describes, and devices that occur only in its activities. On AMD systems, CPUs are numbered
 * among the devices, so activities have other ids than the described devices. If all described devices are of one
 * model, the others are assumed to be of it too.
 * @param properties `deviceProperties` of the trace
 * @param used device ids of activities
 * @param vendor vendor of devices whose name does not show it
 */
export function devicesOfTrace(properties: unknown, used: ReadonlySet<number>, vendor = 'unknown'): Device[] {
  const described = (Array.isArray(properties) ? properties : [])
    .map((value) => readPeaks(value, vendor))
    .filter((device) => device !== null);
  const [first] = described;
  const oneModel =
    first !== undefined && described.every(({ name, units }) => name === first.name && units === first.units);
  const model = oneModel ? first : { ...UNKNOWN_DEVICE, vendor };
  const known = new Set(described.map(({ id }) => id));
  const others = [...used].filter((id) => !known.has(id)).map((id) => ({ ...model, id }));
  return [...described, ...others].sort((a, b) => a.id - b.id);
}
