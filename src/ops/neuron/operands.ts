/**
 * Operands of an instruction, as the vendor's tool writes them, in parts: semaphores, access patterns, registers, values.
 * Source: operands of all instructions of five captures of Trainium2, whose access patterns give the bytes and
 * multiply-accumulates that the tool states for them.
 */
import { dtypeBytes } from '../../record/element-types.js';
import { numel } from '../call.js';

/** What an operand is. `word`: anything else, such as a mode or a function. */
export type OperandKind = 'wait' | 'update' | 'event' | 'pattern' | 'register' | 'value' | 'extents' | 'word';

export interface Operand {
  readonly kind: OperandKind;
  /** Its name, or that of the semaphore (`S[5]`) or event (`$E[1]`); '' for an operand without one. */
  readonly name: string;
  /** What follows the name, as written; the whole operand where it has no name. */
  readonly text: string;
  /** Of a semaphore: the engine or queue that owns it; '' where it is not written. */
  readonly owner: string;
}

/** Elements of a tensor that an engine or a DMA visits: one extent and one stride for each loop, innermost first. */
export interface AccessPattern {
  /** In the tool's words; null where it is not written. */
  readonly dtype: string | null;
  /** As written, in hexadecimal; null for a pattern without one. */
  readonly address: string | null;
  /** On-chip memory of an engine's address; null for addresses of a DMA. */
  readonly memory: 'SBUF' | 'PSUM' | null;
  readonly strides: readonly number[];
  readonly sizes: readonly number[];
  /** Of one partition. */
  readonly elements: number;
  /** Of one partition; null where the size of an element is not known. */
  readonly bytes: number | null;
}

/** An owner in parentheses belongs to the semaphore before it. */
const PARTS = /\$?[SE]\[\d{1,9}\](?: \([^()]*\))?\S*|\S+/g;

/** The first that matches decides; groups: name, owner, text. */
const SEMAPHORES: readonly (readonly [OperandKind, RegExp])[] = [
  ['wait', /^(\$?S\[\d+\])(?: \(([^()]*)\))?((?:>=|==|<=|>|<)\d+)$/],
  ['update', /^(\$?S\[\d+\])(?: \(([^()]*)\))?((?:\+\+|--|[+-]?=\d)\S*)$/],
  ['event', /^(\$?E\[\d+\])(?: \(([^()]*)\))?(\S+)$/],
];

const NAMED = /^(\w+)=(\S+)$/;

/** What stands after the `=` of a named operand, or alone. */
const VALUES: readonly (readonly [OperandKind, RegExp])[] = [
  ['pattern', /^(?:\w+@)?(?:0x[\da-fA-F]+)?\[[-\d,]+\]\[[\d,]+\]$/],
  ['register', /^\$R\[\d+\](?:,\$R\[\d+\])*$/],
  ['value', /^(?:\w+@)?-?(?:0x[\da-fA-F]+|\d+(?:\.\d+)?(?:e[+-]?\d+)?)(?:,-?(?:0x[\da-fA-F]+|\d+(?:\.\d+)?))*$/],
  ['extents', /^\d+(?:\*\d+)+$/],
];

const kindOf = (text: string): OperandKind => VALUES.find(([, form]) => form.test(text))?.[0] ?? 'word';

function operandOf(part: string): Operand {
  for (const [kind, form] of SEMAPHORES) {
    const [, name, owner = '', text] = form.exec(part) ?? [];
    if (name !== undefined && text !== undefined) return { kind, name, text, owner };
  }
  const [, name, text] = NAMED.exec(part) ?? [];
  if (name !== undefined && text !== undefined) return { kind: kindOf(text), name, text, owner: '' };
  return { kind: kindOf(part), name: '', text: part, owner: '' };
}

/** The operands of a text in their order; none of them is lost. */
export const operandsOf = (text: string): readonly Operand[] =>
  Array.from(text.matchAll(PARTS), ([part]) => operandOf(part));

const PATTERN = /^(?:(\w+)@)?(0x[\da-fA-F]+)?\[([-\d,]+)\]\[([\d,]+)\]$/;

/** First address of PSUM; those below are of SBUF. Engines address both of their core, in 32 bits. */
const FIRST_PSUM = 0x2000000;
const FIRST_BEYOND = 2 ** 32;

function memoryOf(address: string): AccessPattern['memory'] {
  const place = Number(address);
  if (place >= FIRST_BEYOND) return null;
  return place >= FIRST_PSUM ? 'PSUM' : 'SBUF';
}

/** The pattern of an operand of that kind; null for any other. */
export function patternOf({ kind, text }: Operand): AccessPattern | null {
  const [, dtype = null, address = null, strides, extents] = PATTERN.exec(text) ?? [];
  if (kind !== 'pattern' || strides === undefined || extents === undefined) return null;
  const sizes = extents.split(',').map(Number);
  const elements = numel(sizes);
  const size = dtype === null ? null : dtypeBytes(dtype);
  return {
    dtype,
    address,
    memory: address === null ? null : memoryOf(address),
    strides: strides.split(',').map(Number),
    sizes,
    elements,
    bytes: size === null ? null : elements * size,
  };
}

/** Names of semaphores that an instruction waits for: `S[5]` → its owner. */
export const waitsOf = (operands: readonly Operand[]): ReadonlyMap<string, string> =>
  new Map(operands.filter(({ kind }) => kind === 'wait').map(({ name, owner }) => [name, owner]));

/** Names of the semaphores that an instruction changes, or that its transfer raises: `semaphore=8 sem_increment=16`. */
export function updatesOf(operands: readonly Operand[]): ReadonlySet<string> {
  return new Set(
    operands.flatMap(({ kind, name, text }) =>
      kind === 'update' ? [name] : kind === 'value' && name === 'semaphore' ? [`S[${text}]`] : [],
    ),
  );
}
