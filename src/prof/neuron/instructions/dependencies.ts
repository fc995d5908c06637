/** Dependencies of instructions, and their operands as text. */
import { labelledLine } from '../../../table/readable.js';
import { LruCache } from '../../../containers/map-entry.js';
import type { KernelRecord } from '../../../record/record.js';
import {
  operandsOf,
  updatesOf,
  waitsOf,
  patternOf,
  type AccessPattern,
  type Operand,
  type OperandKind,
} from '../../../ops/neuron/instruction-work.js';

const WORDS: Readonly<Record<OperandKind, string>> = {
  wait: 'waits until',
  update: 'changes',
  event: 'event',
  pattern: 'pattern',
  register: 'register',
  value: 'value',
  extents: 'rows*columns',
  word: 'word',
};

/** Characters of the words of operands. */
const LABEL = 12;

/** `pattern   src=fp32@0x26500[1,0,0][128,1,1]: 128 elements, 512 bytes of a partition of SBUF`. */
export function operandText(operand: Operand): string {
  const { kind, name, owner, text } = operand;
  const isSemaphore = kind === 'wait' || kind === 'update' || kind === 'event';
  const named = isSemaphore
    ? `${name}${owner === '' ? ' ' : ` (${owner}) `}${text}`
    : name === ''
      ? text
      : `${name}=${text}`;
  const pattern = patternOf(operand);
  return labelledLine(WORDS[kind], `${named}${pattern === null ? '' : `: ${patternText(pattern)}`}`, LABEL);
}

function patternText({ elements, bytes, memory, sizes, strides }: AccessPattern): string {
  const loops = sizes.flatMap((size, i) => (size === 1 ? [] : [`${size} by ${strides[i] ?? 'na'}`]));
  const place = memory === null ? '' : ` of a partition of ${memory}`;
  const size = bytes === null ? '' : `, ${bytes} bytes`;
  return `${elements} elements${size}${place}${loops.length === 0 ? '' : ` (${loops.join(', ')})`}`;
}

/** `57 MATMUL (Tensor)`: number of the kernel, name, engine. */
const instructionText = ({ kernel, name, engine }: EarlierInstruction): string =>
  `${kernel} ${name}${engine === null ? '' : ` (${engine})`}`;

/**
 * `flow: 57 MATMUL (Tensor), ended 12 ns before; S[5] (Tensor)`.
 * @param start the start of the instruction that waits, in ns
 */
export function dependencyText({ id, kind, on, semaphore }: ResolvedDependency, start: number): string {
  if (on === null) return `${kind}: instruction ${id}, which is not among the earlier records`;
  const joined = semaphore === null ? '' : `; ${semaphore}`;
  return `${kind}: ${instructionText(on)}, ${endText(on.end, start)}${joined}`;
}

function endText(end: number | null, start: number): string {
  if (end === null) return 'its end unknown';
  return end <= start ? `ended ${start - end} ns before` : `ended ${end - start} ns after it started`;
}

/** Minimum number of instructions to hold. */
const MOST_HELD = 1 << 16;

/** An instruction for which another one waits. */
interface EarlierInstruction {
  /** Number of its kernel in its profile. */
  readonly kernel: number;
  readonly name: string;
  readonly engine: string | null;
  /** End in ns; null if unknown. */
  readonly end: number | null;
  readonly operands: string;
}

export interface ResolvedDependency {
  /** Decimal text, as in records. */
  readonly id: string;
  /** Kind of dependency: 'flow', 'anti', 'output', 'ordered'. */
  readonly kind: string;
  /** Null when it is not in the records so far, or no longer held. */
  readonly on: EarlierInstruction | null;
  /**
   * Semaphore that connects the two, with its owner: the earlier instruction changes it, and the later one waits for
   * it. Null when there is none, because an engine executes in order and may wait once for several instructions.
   */
  readonly semaphore: string | null;
}

const NONE: readonly never[] = [];

/**
 * The dependencies of instructions. Records name earlier instructions by the tool's ids. The latest instructions are
 * held, to convert these ids to kernels. Memory: 200 bytes for each held instruction.
 */
export class InstructionDependencies {
  #held = new LruCache<string, EarlierInstruction>(MOST_HELD);
  #profile = -1;

  /** Dependencies of a kernel, in the order of its record. Must be called with all kernels in order. */
  take(record: KernelRecord): readonly ResolvedDependency[] {
    const id = record.labels?.['id'];
    if (id === undefined) return NONE;
    if (record.profile !== this.#profile) {
      this.#profile = record.profile;
      this.#held = new LruCache(MOST_HELD);
    }
    const found = record.after === undefined ? NONE : this.#resolve(record);
    const { id: kernel, short: name, engine = null, operands = '', start, dur } = record;
    this.#held.set(String(id), { kernel, name, engine, operands, end: dur === null ? null : start + dur });
    return found;
  }

  #resolve({ after = NONE, operands = '' }: KernelRecord): readonly ResolvedDependency[] {
    const waits = waitsOf(operandsOf(operands));
    return after.map(({ id, kind }) => {
      const on = this.#held.get(id) ?? null;
      return { id, kind, on, semaphore: on === null ? null : joining(on.operands, waits) };
    });
  }
}

function joining(earlier: string, waits: ReadonlyMap<string, string>): string | null {
  if (waits.size === 0) return null;
  for (const name of updatesOf(operandsOf(earlier))) {
    const owner = waits.get(name);
    if (owner !== undefined) return owner === '' ? name : `${name} (${owner})`;
  }
  return null;
}
