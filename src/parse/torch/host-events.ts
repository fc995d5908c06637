/**
 * PyTorch's host events: ops, annotations and Python frames are ranges. Memory: 24 bytes for each range, 52 more for each
 * op.
 */
import type { Arg } from '../../record/record.js';
import { elementAt } from '../../containers/element.js';
import { Ranges, NumberIndex } from '../trace/trace-columns.js';
import { columns, type NarrowColumn } from '../../containers/numeric-column.js';
import { readFrame, readName, type HostName } from './event-names.js';
import { countBelow } from '../../containers/row-order.js';

/** The callers that a profile records for Python frames. Memory: 12 bytes for each frame with an id. */
export class FrameCallers extends columns({
  /** Row of the frame among the ranges, in ascending order. */
  range: 'u32',
  id: 'id',
  /** Id of the calling frame; NaN for none. */
  caller: 'id',
}) {
  /** Id of a frame; NaN for a range without an id. */
  readonly idOf = (range: number): number => this.#at(this.id, range);

  /** Id of the frame that called a range; NaN for none. */
  readonly callerOf = (range: number): number => this.#at(this.caller, range);

  #at(column: NarrowColumn, range: number): number {
    const row = countBelow(this.range.length, (index) => this.range.at(index), range);
    return row < this.range.length && this.range.at(row) === range ? column.at(row) : NaN;
  }
}

export interface HostTexts {
  text(number: number): string;
  /** The arguments of an op, from the cells of its columns; null when they were not recorded. */
  readArguments(dims: number, types: number, concrete: number, strides: number): Arg[] | null;
  /** The shapes of one or more tensors, from the `dims` cell of a backward node; null when they were not recorded. */
  readExtents(dims: number): number[][] | null;
  /**
   * The frames of a call stack, outermost first. Without this method, stacks are strings with the innermost frame first.
   */
  readFrames?(callStack: number): readonly string[];
  /**
   * The frames of a call stack as the profile writes them, including those outside the program. Without this method, the
   * same as for `readFrames`.
   */
  stackTexts?(callStack: number): readonly string[];
}

/** Columns of ops other than their times. A string is stored as its number plus one; 0 when the event has none. */
class OpColumns extends columns({
  name: 'u32',
  dims: 'u32',
  types: 'u32',
  concrete: 'u32',
  strides: 'u32',
  callStack: 'u32',
  /** NaN when the event has none. */
  externalId: 'f64',
  /** Sequence number of the autograd node that the op makes or belongs to; NaN when there is none. */
  sequence: 'f64',
  /** The profiler's number of the forward thread; above 0 for ops of the backward pass. */
  forwardThread: 'u32',
  /** Row of the op among the ranges. */
  range: 'u32',
}) {}

/** An op as a reader passes it, with the name unchanged. Fields that the profile does not record are absent. */
type OpRow = Partial<Omit<Parameters<OpColumns['push']>[0], 'range'>> & { readonly name: number };

interface OpsById {
  /** Rows by id; if several ops have the same id, the last one. */
  readonly index: NumberIndex;
  /** Ids that more than one op has. */
  readonly ambiguous: ReadonlySet<number>;
}

/** Kinds of named ranges that are not ops. `overhead` is time that the profiler and the driver used for themselves. */
const HOST_KINDS = ['annotation', 'frame', 'overhead'] as const;
type HostKind = (typeof HOST_KINDS)[number];

/**
 * The host events of a profile. A range's `text` cell is -1 - op for an op; for other ranges it is three times the number
 * of the name plus the kind.
 */
export class HostEvents {
  readonly ranges = new Ranges();
  readonly ops = new OpColumns();
  readonly callers = new FrameCallers();
  /** Parsed names by number; names of frames are parsed differently. */
  readonly #names: (HostName | undefined)[] = [];
  readonly #frames: (HostName | undefined)[] = [];

  #opsById: OpsById | null = null;

  constructor(readonly texts: HostTexts) {}

  /** Ops by external id. Valid only after all ops have been added. */
  get opsById(): OpsById {
    return (this.#opsById ??= indexOps(this.ops));
  }

  /** Reserves space for this many events in total, each of which may be an op. */
  reserve(events: number): void {
    this.ranges.reserve(events);
    this.ops.reserve(events);
  }

  /** Adds an annotation, a Python frame or overhead. */
  add(kind: HostKind, start: number, end: number, thread: number, name: number): void {
    this.ranges.pushCells(start, end, thread, name * HOST_KINDS.length + HOST_KINDS.indexOf(kind));
  }

  addOp(start: number, end: number, thread: number, op: OpRow): void {
    const { name, dims = 0, types = 0, concrete = 0, strides = 0, callStack = 0 } = op;
    const { externalId = NaN, sequence = NaN, forwardThread = 0 } = op;
    const texts = [name, dims, types, concrete, strides, callStack] as const;
    const [node, caller] = [sequence >= 0 ? sequence : NaN, forwardThread > 0 ? forwardThread : 0];
    this.ops.pushCells(...texts, externalId, node, caller, this.ranges.length);
    this.ranges.pushCells(start, end, thread, -this.ops.length);
  }

  /** Number of the op of a range; -1 when the range is not an op. */
  opOf(range: number): number {
    const text = this.ranges.text.at(range);
    return text < 0 ? -1 - text : -1;
  }

  isFrame(range: number): boolean {
    return this.kindOf(range) === 'frame';
  }

  /** Kind of a range; null for an op. */
  kindOf(range: number): HostKind | null {
    const text = this.ranges.text.at(range);
    return text < 0 ? null : elementAt(HOST_KINDS, text % HOST_KINDS.length);
  }

  /** Number of the text that is a range's name, by its `text` cell. */
  nameNumber(text: number): number {
    return text < 0 ? this.ops.name.at(-1 - text) : Math.floor(text / HOST_KINDS.length);
  }

  /** The name of a range, by its `text` cell. */
  nameText(text: number): string {
    return this.texts.text(this.nameNumber(text));
  }

  nameOf(range: number): HostName {
    const text = this.ranges.text.at(range);
    const isFrame = this.isFrame(range);
    const number = this.nameNumber(text);
    const known = isFrame ? this.#frames : this.#names;
    return (known[number] ??= isFrame ? readFrame(this.texts.text(number)) : readName(this.texts.text(number)));
  }

  /**
   * The parsed name of a range. An annotation named like an op is not an op, and a torch.autograd.Function counts as a
   * call.
   */
  roleOf(range: number): HostName {
    const { ops } = this;
    if (this.kindOf(range) === 'overhead') return { kind: 'none' };
    const name = this.nameOf(range);
    const op = this.opOf(range);
    if (op === -1) return name.kind === 'call' ? { kind: 'range', text: `${name.mod}::${name.op}` } : name;
    if (name.kind !== 'range' || name.recomputes === true || name.compiled !== undefined) return name;
    if (!IDENTIFIER.test(name.text)) return name;
    if (OPS_WITHOUT_MODULE.has(name.text)) return { kind: 'call', mod: 'aten', op: name.text };
    const isFunction = ops.dims.at(op) !== 0 && ops.sequence.at(op) >= 0 && !(ops.forwardThread.at(op) > 0);
    return isFunction ? { kind: 'call', mod: AUTOGRAD, op: name.text } : name;
  }
}

/** Module of functions that the user defines for autograd (`class Fused(torch.autograd.Function)`). */
const AUTOGRAD = 'autograd';
/** Ops that autograd records a second time without their namespace: traces have `detach` inside each `aten::detach`. */
const OPS_WITHOUT_MODULE: ReadonlySet<string> = new Set(['detach', 'detach_']);
const IDENTIFIER = /^[A-Za-z_]\w*$/;

function indexOps(ops: OpColumns): OpsById {
  const index = new NumberIndex(ops.externalId);
  const ambiguous = new Set<number>();
  for (let op = 0; op < ops.length; op++) {
    const id = ops.externalId.at(op);
    if (Number.isNaN(id)) continue;
    if (index.get(id) !== -1) ambiguous.add(id);
    index.put(op);
  }
  return { index, ambiguous };
}

/** Types of arguments that are neither tensors nor lists: `Int`, `Bool` and `Double` before 2022, `Scalar` since then. */
const PLAIN_TYPES = new Set(['Scalar', 'Int', 'Bool', 'Double', 'String', 'Device', 'Generator', 'Layout', 'Stream']);
const LIST_TYPES = new Set(['ScalarList', 'GenericList', 'IntList', 'DoubleList', 'BoolList']);

/** Whether a type is that of a number, text, device or the like. */
export const isPlainType = (text: string): boolean => PLAIN_TYPES.has(text);
/** Whether a type is that of a list that is not a tensor list. */
export const isListType = (text: string): boolean => LIST_TYPES.has(text);
