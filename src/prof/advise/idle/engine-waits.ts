/**
 * What the engines of a NeuronCore wait for while the whole core is idle, from the semaphores in their instructions. An
 * instruction names the semaphore that it waits for, and usually the engine or DMA queue that updates it.
 */
import { addTo } from '../../../containers/map-entry.js';
import { operandsOf } from '../../../ops/neuron/instruction-work.js';
import { isNeuronInstruction, NEURON_ENGINES } from '../../../record/neuron/neuron-cores.js';
import type { ProfileLine } from '../../../record/record.js';
import { workOf } from '../../steps/step-work.js';
import { ByDevice, type Gap } from '../device-times.js';
import { topOf } from '../kernel-tally.js';

/** A time in which an engine executes an instruction that only waits. */
interface EngineWait {
  readonly stream: number | null;
  readonly start: number;
  readonly end: number;
  readonly awaited: string;
}

/** Number of waits to keep for each core, the latest ones. */
const MOST_WAITS = 32;
/** Minimum average number of engines that wait during a gap for their waits to be its cause. */
const MOST_ENGINES = NEURON_ENGINES.length / 2;

/**
 * `Scalar (S[4])`, `DMA queue qSyncDynamicHW (S[24])`, `each other (barrier $S[2])`; null when the instruction waits for no
 * semaphore. At a barrier, each engine waits for its turn to change the same semaphore.
 */
function awaitedIn(operands: string): string | null {
  const all = operandsOf(operands);
  const wait = all.find(({ kind }) => kind === 'wait');
  if (wait === undefined) return null;
  const { name, owner } = wait;
  if (owner !== '') return `${owner.startsWith('q') ? 'DMA queue ' : ''}${owner} (${name})`;
  return all.some((other) => other.kind === 'update' && other.name === name)
    ? `each other (barrier ${name})`
    : `semaphore ${name}`;
}

export class EngineWaits {
  readonly #latest = new ByDevice((): EngineWait[] => []);

  take(record: ProfileLine): void {
    if (record.type !== 'kernel' || !isNeuronInstruction(record) || workOf(record) !== null || record.dur === null)
      return;
    const { start, dur, stream, operands = '' } = record;
    const awaited = awaitedIn(operands);
    if (awaited === null) return;
    const waits = this.#latest.of(record);
    waits.push({ stream, start, end: start + dur, awaited });
    if (waits.length > MOST_WAITS) waits.shift();
  }

  /**
   * What the work after the gap waited for, from its operands, or else from the last wait of its engine during the gap;
   * or else what most engines waited for. Null when the instructions do not show it.
   */
  within({ profile, device, start, end, after }: Gap): string | null {
    const isInstruction = after.type === 'kernel' && isNeuronInstruction(after);
    const itself = isInstruction ? awaitedIn(after.operands ?? '') : null;
    const waits = (this.#latest.get(profile, device) ?? []).filter((wait) => wait.start < end && wait.end > start);
    const before = isInstruction ? waits.findLast(({ stream }) => stream === after.stream) : undefined;
    if (itself !== null || before !== undefined) return itself ?? before?.awaited ?? null;
    const times = new Map<string, number>();
    for (const wait of waits) addTo(times, wait.awaited, Math.min(end, wait.end) - Math.max(start, wait.start));
    const all = [...times.values()].reduce((sum, time) => sum + time, 0);
    return all > MOST_ENGINES * (end - start) ? (topOf(times)?.[0] ?? null) : null;
  }
}
