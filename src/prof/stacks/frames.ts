/** The table of frame kinds for a kernel's stack, which command line, help and stacks use. */
import { rankOn } from '../../record/fields/stated-device.js';
import { append } from '../../containers/element.js';
import type { OpCall } from '../../record/record.js';
import type { Annotated } from '../annotate.js';

/** @typeParam Row the type of the stack's row: a kernel, or an op of the host */
export interface FrameKind<Row = Annotated> {
  readonly name: string;
  readonly doc: string;
  /** Whether the frames show where in the program the row comes from. */
  readonly isOrigin?: true;
  readonly frames: (row: Row) => readonly string[];
}

const single =
  (text: (row: Annotated) => string | number | null | undefined) =>
  (row: Annotated): readonly string[] => [String(text(row) ?? 'na')];

const origin = (name: string, doc: string, frames: FrameKind['frames']): FrameKind => ({
  name,
  doc,
  isOrigin: true,
  frames,
});

export const FRAME_KINDS: readonly FrameKind[] = [
  origin('stack', 'trace, or layer if there is no trace', (row) => (row.trace.length > 0 ? row.trace : row.layer)),
  origin('trace', 'call stack, file:line', (row) => row.trace),
  origin('layer', 'layers or user annotations', (row) => row.layer),
  origin('op', 'op calls; for backward kernels, the forward op, its gradient, then the calls', opFrames),
  { name: 'kernel', doc: 'name of the kernel, shortened', frames: ({ record }) => [record.short] },
  { name: 'name', doc: 'name of the kernel in full', frames: ({ record }) => [record.name] },
  {
    name: 'rank',
    doc: 'rank of the profile, or of the device in a profile of several ranks',
    frames: single(({ profile, record }) => `rank ${rankOn(profile ?? null, record.device) ?? 'na'}`),
  },
  {
    name: 'profile',
    doc: 'number of the profile, from 0',
    frames: single(({ record }) => `profile ${record.profile}`),
  },
  { name: 'device', doc: 'device', frames: single(({ record }) => `device ${record.device}`) },
  { name: 'stream', doc: 'stream or queue', frames: single(({ record }) => `stream ${record.stream ?? 'na'}`) },
  { name: 'engine', doc: 'engine or core class', frames: single(({ record }) => record.engine) },
  { name: 'step', doc: 'training step', frames: single(({ record }) => `step ${record.step ?? 'na'}`) },
  { name: 'dir', doc: 'fprop or bprop', frames: single(({ record }) => record.dir) },
];

const isName = (name: string | undefined): name is string => name !== undefined && name !== '' && name !== 'na';

/** `aten::mm` for dispatcher ops, `torch.nn.functional.linear` for calls in Python. */
export function callName({ mod, op, from }: Pick<OpCall, 'mod' | 'op' | 'from'>): string {
  if (!isName(mod)) return op;
  return from === undefined ? `${mod}.${op}` : `${mod}::${op}`;
}

/** `AddmmBackward0, seq = 5` → `AddmmBackward0`. */
function nodeOf(marker: string | undefined): readonly string[] {
  const name = marker?.split(', ', 1)[0];
  return isName(name) ? [name] : [];
}

function opFrames(row: Annotated): readonly string[] {
  const { record, pairing } = row;
  if (record.dir !== 'bprop') return record.calls.length > 0 ? record.calls.map(callName) : namesOf(row);
  const { forward, calls, seqMarker } = record;
  const paired = pairing.kind === 'paired' ? pairing.forward.context.calls.map(callName) : [];
  const outer = forward ? [callName({ ...forward, from: 'dispatcher' })] : paired;
  const inner = [...nodeOf(seqMarker.at(-1)), ...calls.map(callName)];
  return [...outer, ...(inner.length > 0 ? inner : namesOf(row))];
}

/** Ops from their sequence markers, for kernels without calls. */
const namesOf = ({ record }: Annotated): string[] =>
  record.op.filter(isName).map((op, i) => callName({ mod: record.mod[i] ?? 'na', op }));

const UNKNOWN = '[unknown]';

/** The frames of some kinds; `[unknown]` when none of them shows where in the program the row comes from. */
export function framesOf<Row>(row: Row, kinds: readonly FrameKind<Row>[]): string[] {
  const frames: string[] = [];
  let firstOrigin = -1;
  let hasOrigin = false;
  for (const kind of kinds) {
    const kindFrames = kind.frames(row);
    if (kind.isOrigin === true) {
      if (firstOrigin === -1) firstOrigin = frames.length;
      hasOrigin ||= kindFrames.length > 0;
    }
    append(frames, kindFrames);
  }
  if (firstOrigin !== -1 && !hasOrigin) frames.splice(firstOrigin, 0, UNKNOWN);
  return frames;
}
