/** Defaults for the kernel fields that a format omits. */
import type { KernelLine, KernelRecord } from './record.js';

const NONE: readonly never[] = Object.freeze([]);

/** Context of a kernel without a host launch and without enclosing ranges. */
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

/** The kernel with every field; the same object when none is absent. */
export const completeKernel = (line: KernelLine): KernelRecord => (isComplete(line) ? line : { ...ABSENT, ...line });
