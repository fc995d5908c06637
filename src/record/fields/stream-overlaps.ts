/** Work of one stream that overlaps, although a stream runs its work in order: its start or duration is wrong. */
import { deviceWords, LAUNCHING } from '../glossary.js';
import type { Device } from '../record.js';
import { capabilityOf } from './stated-device.js';

/** Unit: ns. Shorter overlaps come from the resolution of the device's clock. */
const LEAST_OVERLAP = 1_000;

/** What a device runs strictly in the order of its streams. */
type InOrder = 'nothing' | 'copies' | 'all';

/**
 * Compute capability from which a kernel may start before the kernel in front of it has ended: programmatic dependent launch
 * (CUDA C++ Programming Guide).
 */
const STARTS_EARLY = 90;

function inOrderOn(device: Device): InOrder {
  const { vendor } = deviceWords({ devices: [device] });
  if (vendor === null || !LAUNCHING.includes(vendor)) return 'nothing';
  // A device of unknown compute capability may be a new one.
  const capability = capabilityOf(device.arch ?? '') ?? STARTS_EARLY;
  return vendor === 'nvidia' && capability >= STARTS_EARLY ? 'copies' : 'all';
}

/** Overlaps of the work of each stream. Memory: one number for each stream. Times in ns. */
export class StreamOverlaps {
  count = 0;
  total = 0;
  most = 0;
  /** What each device runs in order, and the latest end of work on each of its streams. */
  readonly #devices: ReadonlyMap<number, { readonly order: InOrder; readonly ends: Map<number, number> }>;

  constructor(devices: readonly Device[]) {
    this.#devices = new Map(devices.map((device) => [device.id, { order: inOrderOn(device), ends: new Map() }]));
  }

  /** Adds a kernel, copy or memset that is not part of a graph, in order of start time. */
  add(
    device: number,
    stream: number,
    { start, end, isKernel }: { start: number; end: number; isKernel: boolean },
  ): void {
    const found = this.#devices.get(device);
    if (found === undefined || found.order === 'nothing' || (found.order === 'copies' && isKernel)) return;
    const before = found.ends.get(stream) ?? -Infinity;
    const overlap = Math.min(before, end) - start;
    found.ends.set(stream, Math.max(before, end));
    if (overlap <= LEAST_OVERLAP) return;
    this.count++;
    this.total += overlap;
    this.most = Math.max(this.most, overlap);
  }
}
