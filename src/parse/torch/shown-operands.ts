/**
 * Finds the operands of kernels outside any op, from the ops just before their launch. triton_kernels multiplies rows
 * by the weights of their experts in one kernel, `_matmul_ogs_NNT_bf16xbf16xmxfp4_16x128x256x1_swiglu`. Before the
 * launch, the program allocates the result and views the weights as [experts, k, n]. The types in the name are those of
 * result, input and weights. Source: triton_kernels (matmul_ogs.py: matmul_ogs, matmul_ogs_repr).
 */
import { elementAt } from '../../containers/element.js';
import { entryOf } from '../../containers/map-entry.js';
import { sortRows, countBelow } from '../../containers/row-order.js';
import type { Writable } from '../../containers/writable.js';
import type { Arg, Context, OpCall } from '../../record/record.js';
import { UNNAMED } from '../trace/trace.js';
import { NO_OP } from './forward-ops.js';
import type { HostEvents } from './host-events.js';
import { OUTSIDE, type Nesting } from './nesting.js';
import { elementType } from '../../record/element-types.js';

const GROUPED = /^_(?:p_)?matmul_ogs_[NT]{3}_([a-wyz\d]+)x([a-wyz\d]+)x([a-z\d]+)_\d+x\d+x\d+x\d+(_swiglu)?/;

/** Number of bits per value, for types that put several values into one tensor element. */
const PACKED: Readonly<Record<string, number>> = { mxfp4: 4, nvfp4: 4 };
const BYTE = 8;

/** Maximum number of ops between the launch and the ops that show its operands. */
const MOST_OPS = 64;

interface GroupedTypes {
  readonly input: string;
  readonly weights: string;
  readonly isGated: boolean;
}

function typesOf(name: string): GroupedTypes | null {
  const [whole, , input = '', weights = '', gated] = GROUPED.exec(name) ?? [];
  return whole === undefined ? null : { input, weights, isGated: gated !== undefined };
}

interface ShownCall {
  readonly call: OpCall;
  /** The op that shows the weights, from which the call takes its number. */
  readonly op: number;
}

export class ShownOperands {
  /** Types by the number of a kernel's name. */
  readonly #types = new Map<number, GroupedTypes | null>();
  /** Rows of ops by thread, in order of start time; created when the first kernel needs them. */
  #byThread: ReadonlyMap<number, Uint32Array> | null = null;

  constructor(
    private readonly events: HostEvents,
    private readonly nesting: Nesting,
  ) {}

  /**
   * The call that a kernel implements.
   * @param name text number of the kernel's name; undefined or UNNAMED when it has none
   * @param leaf row of the innermost range around the launch
   * @param launched time of the launch, in ns
   * @returns null when the kernel is not one of these, or its operands are not shown
   */
  of(name: number | undefined, leaf: number, launched: number): ShownCall | null {
    if (name === undefined || name === UNNAMED || leaf === OUTSIDE) return null;
    const types = entryOf(this.#types, name, () => typesOf(this.events.texts.text(name)));
    if (types === null) return null;
    const { input, weights, isGated } = types;
    let viewed: { readonly op: number; readonly shape: readonly number[] } | null = null;
    let allocated: readonly number[] | null = null;
    for (const op of this.#before(leaf, launched)) {
      const { call, args } = this.#read(op);
      if (call === 'aten::view') viewed ??= weightsOf(args, weights, op);
      else if (call === 'aten::empty') allocated ??= allocatedBy(args);
      if (viewed !== null && allocated !== null) break;
    }
    if (viewed === null || allocated === null) return null;
    const [experts = 0, packed = 0, columns = 0] = viewed.shape;
    const inner = packed * (BYTE / (PACKED[weights] ?? BYTE));
    const [rows, width] = [allocated.slice(0, -1).reduce((product, extent) => product * extent, 1), allocated.at(-1)];
    // A gated activation uses half of the columns as gates.
    if (width !== (isGated ? columns / 2 : columns)) return null;
    const args = [tensor([rows, inner], input), tensor([experts, inner, columns], weights)];
    return {
      op: viewed.op,
      call: { mod: 'triton_kernels', op: 'matmul_ogs', args, from: 'dispatcher', out: [[rows, width]] },
    };
  }

  /** Ops inside the same op that ended before the launch, latest first. */
  *#before(leaf: number, launched: number): Generator<number> {
    const { ranges } = this.events;
    const rows = (this.#byThread ??= this.#sorted()).get(ranges.thread.at(leaf)) ?? new Uint32Array(0);
    const end = countBelow(rows.length, (i) => ranges.start.at(elementAt(rows, i)), launched);
    const around = this.#opAround(leaf);
    for (let at = end - 1; at >= Math.max(0, end - MOST_OPS); at--) {
      const row = elementAt(rows, at);
      if (row === around) return;
      const isBefore = ranges.end.at(row) <= launched;
      if (isBefore && this.#opAround(elementAt(this.nesting.parent, row)) === around) yield this.events.opOf(row);
    }
  }

  /** Row of the op of a range, or of the innermost op around it; OUTSIDE when there is none. */
  #opAround(range: number): number {
    let row = range;
    while (row !== OUTSIDE && this.events.opOf(row) === NO_OP) row = elementAt(this.nesting.parent, row);
    return row;
  }

  #sorted(): ReadonlyMap<number, Uint32Array> {
    const { ranges, ops } = this.events;
    const rows = new Map<number, number[]>();
    for (let op = 0; op < ops.length; op++) {
      const row = ops.range.at(op);
      const thread = ranges.thread.at(row);
      entryOf(rows, thread, (): number[] => []).push(row);
    }
    const byTime = (a: number, b: number): number =>
      ranges.start.at(a) - ranges.start.at(b) || ranges.end.at(b) - ranges.end.at(a);
    return new Map(
      [...rows].map(([thread, unsorted]) => {
        const sorted = Uint32Array.from(unsorted);
        sortRows(sorted, byTime);
        return [thread, sorted] as const;
      }),
    );
  }

  #read(op: number): { readonly call: string; readonly args: readonly Arg[] } {
    const { ops, texts } = this.events;
    const call = texts.text(ops.name.at(op));
    if (call !== 'aten::view' && call !== 'aten::empty') return { call, args: [] };
    const [dims, types, concrete] = [ops.dims.at(op), ops.types.at(op), ops.concrete.at(op)];
    return { call, args: texts.readArguments(dims, types, concrete, ops.strides.at(op)) ?? [] };
  }
}

/**
 * Adds the call of a kernel to the calls around its launch.
 * @param id id of the call in the records
 */
export function addShown(context: Writable<Context>, { call }: ShownCall, id: number): void {
  context.calls = [...context.calls, call];
  context.mod = [...context.mod, call.mod];
  context.op = [...context.op, call.op];
  context.callIds = [...(context.callIds ?? []), id];
  context.callKernels = [...(context.callKernels ?? []), 1];
}

/** A view with three dimensions and the weights' type, or with bytes if the weights are packed; null for any other op. */
function weightsOf(
  [viewed]: readonly Arg[],
  type: string,
  op: number,
): { readonly op: number; readonly shape: readonly number[] } | null {
  const dtype = Object.hasOwn(PACKED, type) ? 'uint8' : dtypeOf(type);
  const shape = viewed?.dtype === dtype ? (viewed.shape ?? []) : [];
  return shape.length === 3 ? { op, shape } : null;
}

function allocatedBy([size]: readonly Arg[]): readonly number[] | null {
  const extents = Array.isArray(size?.value) ? (size.value as readonly unknown[]) : [];
  const known = extents.filter((extent) => typeof extent === 'number');
  return known.length === extents.length && known.length > 1 ? known : null;
}

const tensor = (shape: readonly number[], type: string): Arg => ({
  ...{ name: '', type: 'tensor', shape },
  dtype: dtypeOf(type),
});

const dtypeOf = (type: string): string => elementType(type)?.dtype ?? type;
