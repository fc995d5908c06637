/** Lines of formats that cannot have all fields, with what stands for those that are absent. */
import type { KernelLine, KernelRecord } from './record.js';

const NONE: readonly never[] = Object.freeze([]);

/** A kernel of a device that no host call launches, and that no range stands around. */
const ABSENT = Object.freeze({
  grid: null,
  block: null,
  pid: null,
  tid: null,
  corr: null,
  launch: null,
  dir: null,
  layer: NONE,
  trace: NONE,
  calls: NONE,
  mod: NONE,
  op: NONE,
  seqMarker: NONE,
  seq: NONE,
  altSeq: NONE,
  sub: 0,
  repr: NONE,
  ranges: NONE,
}) satisfies Partial<KernelRecord>;

const isComplete = (line: KernelLine): line is KernelRecord => line.calls !== undefined && line.launch !== undefined;

/** The kernel with every field; the same object where nothing is absent. */
export const completeKernel = (line: KernelLine): KernelRecord => (isComplete(line) ? line : { ...ABSENT, ...line });
