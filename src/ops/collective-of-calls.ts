/** The collective operation of a kernel for which the profile records none, by the call that launched it. */
import { isCommunication } from './kernels/kernel-name.js';
import type { Collective } from '../record/fields/collective.js';
import type { KernelRecord, OpCall } from '../record/record.js';
import { tensorBytes, type Tensor } from './call.js';
import { messageOf } from './families/collective.js';
import { total } from './work.js';

type Launched = Pick<KernelRecord, 'name' | 'short' | 'calls' | 'callKernels'>;

const bytesOf = (tensors: readonly Tensor[]): number | null => total(tensors.map(tensorBytes));

/**
 * Operation and sizes by the innermost call that states the message; the size of the result, where that call leaves it
 * open, by one around it with the same message. The group is unknown: no argument names it.
 * @returns null for a kernel that moves nothing between devices, one whose calls do not state the message, and one of
 * several kernels of a call, of which each moves an unknown part
 */
export function collectiveOfCalls(kernel: Launched): Collective | null {
  if (kernel.calls.length === 0 || !isCommunication(kernel)) return null;
  const described = kernel.calls.flatMap((call, i) => describe(call, kernel.callKernels?.[i] ?? 1)).reverse();
  const [inner] = described;
  if (inner === undefined || inner.kernels !== 1) return null;
  const { op, bytesIn, dtype } = inner;
  const bytesOut = described.find((other) => other.bytesIn === bytesIn && other.bytesOut !== null)?.bytesOut ?? null;
  return { op, bytesIn, bytesOut, dtype, group: null, groupSize: null, ranks: null };
}

interface Described extends Pick<Collective, 'op' | 'bytesOut' | 'dtype'> {
  readonly bytesIn: number;
  /** That the call launched. */
  readonly kernels: number;
}

/** What a call states of its operation; nothing where it does not state the message. */
function describe(call: OpCall, kernels: number): Described[] {
  const { message = [], result = null } = messageOf(call) ?? {};
  const [bytesIn, dtype] = [bytesOf(message), message[0]?.dtype ?? null];
  if (message.length === 0 || bytesIn === null) return [];
  // A message that goes one way has one size.
  const bytesOut = result?.length === 0 ? bytesIn : result === null ? null : bytesOf(result);
  return [{ op: call.op.replace(/^nccl:/, ''), bytesIn, bytesOut, dtype, kernels }];
}
