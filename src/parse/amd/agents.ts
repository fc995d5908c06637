/** Devices in AMD's tables and labels of agents. */
import type { Device } from '../../record/record.js';
import { listOf, fieldOf, sizeOf } from '../json/json-value.js';

/** The number of an agent in its label, `Agent 4`, `GPU 0`, `GPU-0` or `4`; null when there is none. */
export function agentNumber(label: string): number | null {
  const digits = /\d{1,15}$/.exec(label)?.[0];
  return digits === undefined ? null : Number(digits);
}

/** Untyped facts of a device, from the tracer's table of agents. */
interface AgentFacts {
  /** Number of the device in the profile. */
  readonly id: number;
  readonly product: unknown;
  /** Such as gfx942. */
  readonly arch: unknown;
  /** Compute units. */
  readonly units: unknown;
  /** The highest clock of the compute units. */
  readonly megahertz: unknown;
  /** Bytes of the device's memory, and of its transfers each second; unknown when not given. */
  readonly memory: unknown;
  readonly bytesPerS?: number | null;
}

/**
 * Transfers for each clock of the memory: two of HBM2 and HBM2E, four of HBM3, sixteen of GDDR6. Others, such as those of
 * APUs, have memory of several kinds. Source: AMD's data sheets, whose bandwidths these are times clock and width.
 */
const TRANSFERS: readonly (readonly [arch: RegExp, transfers: number])[] = [
  [/^gfx90[068a]/, 2],
  [/^gfx9[45]\d/, 4],
  [/^gfx1(?:03[0124]|10[012]|20[01])/, 16],
];

/** Size and bandwidth of the largest memory. System memory that the device can access is smaller, or listed elsewhere. */
export function memoryIn(banks: unknown, arch: unknown): Required<Pick<AgentFacts, 'memory' | 'bytesPerS'>> {
  const numbers = (bank: unknown): (number | null)[] =>
    ['size_in_bytes', 'width', 'mem_clk_max'].map((key) => sizeOf(fieldOf(bank, key)));
  const [largest] = listOf(banks)
    .map(numbers)
    .sort(([a = 0], [b = 0]) => Number(b) - Number(a));
  const [memory = null, bits = null, megahertz = null] = largest ?? [];
  const transfers = TRANSFERS.find(([pattern]) => pattern.test(String(arch)))?.[1];
  const isStated = transfers !== undefined && bits !== null && megahertz !== null;
  return { memory, bytesPerS: isStated ? positive((transfers * megahertz * 1e6 * bits) / 8) : null };
}

export function amdDevice({ id, product, arch, units, megahertz, memory, bytesPerS = null }: AgentFacts): Device {
  const clock = positive(megahertz);
  return {
    ...{ id, vendor: 'amd', name: textOrNull(product), arch: textOrNull(arch), units: positive(units) },
    ...{ clockHz: clock === null ? null : clock * 1e6, memBytesPerS: bytesPerS, memBytes: positive(memory) },
  };
}

const positive = (cell: unknown): number | null => (typeof cell === 'number' && cell > 0 ? cell : null);
const textOrNull = (cell: unknown): string | null => (typeof cell === 'string' && cell !== '' ? cell : null);
