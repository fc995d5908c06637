/** NCCL's calls → the collective operation of the kernels that they launch. */
import type { Collective } from '../../../../record/fields/collective.js';
import type { Labels } from '../../../../record/record.js';
import type { NcclFacts } from './nccl-payload.js';

/** How many of a call's messages go in and come out: one, or one a rank; unknown where it depends on the rank. */
type Messages = 'one' | 'ranks' | 'unknown';

interface OperationForm {
  readonly op: string;
  readonly in: Messages;
  readonly out: Messages;
}

const form = (op: string, ...[into, out]: [Messages, Messages]): OperationForm => ({ op, in: into, out });

/** Calls by their name without `nccl`. Source: NCCL, "Collective Communication Functions": what `count` is of each. */
export const OPERATIONS: ReadonlyMap<string, OperationForm> = new Map([
  ['AllReduce', form('allreduce', 'one', 'one')],
  ['AllGather', form('allgather', 'one', 'ranks')],
  ['ReduceScatter', form('reducescatter', 'ranks', 'one')],
  ['Broadcast', form('broadcast', 'one', 'one')],
  ['Reduce', form('reduce', 'one', 'one')],
  ['AlltoAll', form('alltoall', 'ranks', 'ranks')],
  ['AllToAll', form('alltoall', 'ranks', 'ranks')],
  ['Gather', form('gather', 'one', 'unknown')],
  ['Scatter', form('scatter', 'unknown', 'one')],
  ['Send', form('send', 'one', 'one')],
  ['Recv', form('recv', 'one', 'one')],
]);

/** One call of NCCL. */
export interface NcclCall {
  readonly form: OperationForm;
  readonly facts: NcclFacts;
}

/** Kernels of one launch: an operation, or those of a group. */
export interface LaunchedOperation {
  readonly collective: Collective;
  /** What a single call states in the numbers of its communicator, by NVTX's names. */
  readonly labels?: Labels;
}

const sum = (sizes: readonly (number | null)[]): number | null =>
  sizes.reduce((total, size) => (total === null || size === null ? null : total + size), 0);

/**
 * The operation that the calls of a group make together; null for calls of different kinds.
 * @param kernels how many kernels the group launched: the sizes of several are known where each call launched its own
 * @param within what the framework calls the operation that the group is part of
 * @param sizeOf ranks of a communicator
 */
export function operationOf(
  calls: readonly NcclCall[],
  kernels: number,
  within: string | null,
  sizeOf: (communicator: string | null) => number | null,
): LaunchedOperation | null {
  const [first] = calls;
  if (first === undefined) return null;
  const groups = [...new Set(calls.map(({ facts }) => facts.communicator))];
  const group = groups.length === 1 ? first.facts.communicator : null;
  const groupSize = group === null ? null : sizeOf(group);
  const types = [...new Set(calls.map(({ facts }) => facts.dtype))];
  const dtype = types.length === 1 ? first.facts.dtype : null;
  const kinds = [...new Set(calls.map((call) => call.form.op))];
  const isMessages = kinds.every((kind) => kind === 'send' || kind === 'recv');
  if (kinds.length > 1 && !isMessages) return null;
  const sizes = isMessages
    ? messageSizes(calls, kernels, within)
    : { op: first.form.op, ...collectiveSizes(calls, kernels, sizeOf) };
  const lone = calls.length === 1;
  const ordinal = lone ? first.facts.ordinal : null;
  const collective = {
    ...sizes,
    dtype,
    group,
    groupSize,
    ranks: null,
    ...(ordinal === null ? undefined : { ordinal }),
  };
  const labels = lone ? labelsOf(first.facts) : undefined;
  return { collective, ...(labels === undefined ? undefined : { labels }) };
}

type Sizes = Pick<Collective, 'bytesIn' | 'bytesOut'>;

const UNKNOWN_SIZES: Sizes = { bytesIn: null, bytesOut: null };

/** Sends and receives: what the framework makes of them, else the messages. */
function messageSizes(calls: readonly NcclCall[], kernels: number, within: string | null): Sizes & { op: string } {
  const bytesOf = (op: string): number | null =>
    sum(calls.filter((call) => call.form.op === op).map(({ facts }) => facts.bytes));
  const isOf = (op: string): boolean => calls.some((call) => call.form.op === op);
  const [sends, receives] = [isOf('send'), isOf('recv')];
  const op = within ?? (sends && receives ? 'sendrecv' : sends ? 'send' : 'recv');
  if (kernels !== 1) return { op, ...UNKNOWN_SIZES };
  const [bytesIn, bytesOut] = [bytesOf('send'), bytesOf('recv')];
  // A message that goes one way has one size.
  if (sends === receives || !/^(?:send|recv)/.test(op)) return { op, bytesIn, bytesOut };
  const bytes = sends ? bytesIn : bytesOut;
  return { op, bytesIn: bytes, bytesOut: bytes };
}

/** Calls of one kind: those of one kernel added up, or the size that all have where each has a kernel. */
function collectiveSizes(
  calls: readonly NcclCall[],
  kernels: number,
  sizeOf: (communicator: string | null) => number | null,
): Sizes {
  const sizes = calls.map(({ form: { in: into, out }, facts }): Sizes => {
    const ranks = sizeOf(facts.communicator);
    return { bytesIn: times(facts.bytes, into, ranks), bytesOut: times(facts.bytes, out, ranks) };
  });
  if (kernels === 1)
    return { bytesIn: sum(sizes.map((size) => size.bytesIn)), bytesOut: sum(sizes.map((size) => size.bytesOut)) };
  const [first] = sizes;
  const isSame = sizes.every(({ bytesIn, bytesOut }) => bytesIn === first?.bytesIn && bytesOut === first.bytesOut);
  return isSame && kernels === calls.length && first !== undefined ? first : UNKNOWN_SIZES;
}

function times(bytes: number | null, messages: Messages, ranks: number | null): number | null {
  if (messages === 'one') return bytes;
  return messages === 'unknown' || bytes === null || ranks === null ? null : bytes * ranks;
}

function labelsOf({ peer, root }: NcclFacts): Labels | undefined {
  if (peer === null && root === null) return undefined;
  return {
    ...(peer === null ? undefined : { 'Peer rank': peer }),
    ...(root === null ? undefined : { Root: root }),
  };
}
