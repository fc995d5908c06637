/** What AMD's formats have in common: names of kernels, directions of copies, sizes of grids, facts of a device. */
import { entryOf } from '../../../containers/map-entry.js';
import type { CopyKind, Device } from '../../../record/record.js';
import { compareTexts } from '../../trace/record-order.js';
import type { Value } from '../../trace/trace-builder.js';

/** Suffix of a kernel's symbol, in two forms. */
const SYMBOL = /(?: \[clone \.kd\]|\.kd)$/;
/** `MEMORY_COPY_HOST_TO_DEVICE`, `CopyHostToDevice`. */
const DIRECTION = /(host|device)_?to_?(host|device)/i;

/** A kernel's name without the suffix of its symbol; null for a value that is not a name. */
export const kernelName = (cell: unknown): string | null =>
  typeof cell === 'string' && cell !== '' ? cell.replace(SYMBOL, '') : null;

/**
 * The kind of a copy.
 * @param isBetween whether source and target are two GPUs
 */
export function copyKind(direction: string, isBetween = false): CopyKind | null {
  const [, source, target] = DIRECTION.exec(direction) ?? [];
  if (source === undefined || target === undefined) return null;
  const kind = `${source.charAt(0)}to${target.charAt(0)}`.replaceAll(/[hd]/g, (letter) => letter.toUpperCase());
  return (kind === 'DtoD' && isBetween ? 'PtoP' : kind) as CopyKind;
}

/**
 * Whether a category of events is that of ranges and marks of roctx; its other functions pause the tracer or name things.
 */
export const isRange = (category: string | null): boolean => /^MARKER_CORE/i.test(category ?? '');

/** The grid in blocks of a grid in work-items, axis by axis; NaN where either is unknown. */
export const blocksOf = (workItems: readonly Value[], block: readonly Value[]): number[] =>
  workItems.map((count, axis) => Math.ceil(Number(count) / Number(block[axis])));

/** A handle or an address such as `0x20`; null for any other value. */
export const hexOf = (cell: unknown): number | null => (/^0x[\da-f]+$/i.test(String(cell)) ? Number(cell) : null);

/**
 * Process ids of a profile of several runs. They repeat where processes ran in containers or on several machines, while
 * threads and calls must not be mixed: each later process with a known id gets another number.
 */
export class ProcessIds {
  readonly #runs = new Map<unknown, Map<number, number>>();
  readonly #taken = new Set<number>();

  of(run: unknown, pid: number | null): number | null {
    if (pid === null) return null;
    return entryOf(
      entryOf(this.#runs, run, () => new Map<number, number>()),
      pid,
      () => {
        let free = pid;
        while (this.#taken.has(free)) free += 2 ** 32;
        this.#taken.add(free);
        return free;
      },
    );
  }
}

/** Values of a kernel's counters by name. */
export type Counters = Record<string, number>;

/** The same counters, in an order that does not depend on the order of the profile's rows. */
export const inNameOrder = <C extends Counters | undefined>(counters: C): C =>
  counters && (Object.fromEntries(Object.entries(counters).sort(([a], [b]) => compareTexts(a, b))) as C);

/** Untyped facts of a device, from the tracer's table of agents. */
interface AgentFacts {
  /** Number of the device in the profile. */
  readonly id: number;
  readonly product: unknown;
  /** Architecture, such as gfx942. */
  readonly arch: unknown;
  /** Compute units. */
  readonly units: unknown;
  /** The highest clock of the compute units. */
  readonly megahertz: unknown;
  /** Bytes of the device's memory. */
  readonly memory: unknown;
}

export function amdDevice({ id, product, arch, units, megahertz, memory }: AgentFacts): Device {
  const clock = positive(megahertz);
  return {
    ...{ id, vendor: 'amd', name: textOrNull(product), arch: textOrNull(arch), units: positive(units) },
    ...{ clockHz: clock === null ? null : clock * 1e6, memBytesPerS: null, memBytes: positive(memory) },
  };
}

const positive = (cell: unknown): number | null => (typeof cell === 'number' && cell > 0 ? cell : null);
const textOrNull = (cell: unknown): string | null => (typeof cell === 'string' && cell !== '' ? cell : null);
