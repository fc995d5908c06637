/**
 * Traces of other programs: many write the same JSON with other events. Ascend's profiler takes PyTorch's categories
 * for the host, and none for the device.
 * Source: trace_view.json of torch_npu and MindStudio.
 */
import { UserError } from '../../../record/errors.js';
import { ARG, EVENT, type TraceEvent } from './event.js';

/** Phase of events that name processes and threads: `M`. */
const METADATA = 0x4d;

/** What Ascend's profiler calls the process of its device. */
const ASCEND = 'Ascend Hardware';

export class Foreign {
  #isAscend = false;
  /** Complete events of other categories than PyTorch's. */
  passedOver = 0;

  /** To be told every event that is no complete one. */
  take(event: TraceEvent, bytes: Buffer): void {
    if (bytes[event.fields.from[EVENT.ph] ?? 0] !== METADATA || !event.readArgs(bytes)) return;
    const { from, to } = event.args;
    if (event.args.has(ARG.label))
      this.#isAscend ||= bytes.toString('latin1', from[ARG.label], to[ARG.label]) === ASCEND;
  }

  /**
   * To be asked of a whole trace that has nothing of a device.
   * @param read how many host events were read
   * @throws UserError when it is no trace of PyTorch on a device that is known
   */
  refuse(where: string, read: number): void {
    const hint = 'dparse reads PyTorch traces of NVIDIA and AMD devices';
    if (this.#isAscend) throw new UserError('is a trace of an Ascend device, which cannot be read', { where, hint });
    if (read === 0 && this.passedOver > 0) throw new UserError("is a trace without PyTorch's events", { where, hint });
  }
}
