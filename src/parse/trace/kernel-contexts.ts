/** The interface by which records get the program context of each kernel, whatever the format states it by. */
import type { Context, RangeKind } from '../../record/record.js';
import type { Step } from './launch-steps.js';

/** Finds the context of every kernel: the ranges, op calls, layers and call stack around its launch. */
export interface KernelContexts {
  /**
   * The context of the next kernel of a launch. Must be called once for every kernel, in order of start, because
   * kernels of one op are numbered in that order.
   * @param call row of the launching host call; -1 when it is not in the profile
   * @param activity row of the kernel
   */
  ofKernel(call: number, activity: number): Context;

  /** The steps of the profile in order of start; absent when the format has none by time. */
  readonly steps?: readonly Step[];

  /**
   * The step of work other than kernels, by its launch; null for none.
   * @param call row of the launching host call; -1 when it is not in the profile
   */
  stepOf?(call: number, activity: number): number | null;

  /** What a range of the host is, by its row and its text; when absent, all are annotations. */
  rangeKindOf?(range: number, text: string): RangeKind;

  /** Whether a range is one that the profile has twice; when absent, it is where another is the same in all that is written. */
  isRepeated?(range: number): boolean;

  /** The call stack that the profile has of a range, outermost frame first; empty or absent without one. */
  stackOf?(range: number): readonly string[];
}

/** Context of a kernel about whose launch nothing is known. */
export const NO_CONTEXT: Context = {
  dir: null,
  layer: [],
  trace: [],
  calls: [],
  mod: ['na'],
  op: [],
  repr: [],
  seqMarker: [],
  seq: [],
  altSeq: [],
  sub: 0,
  ranges: [],
};
