/** The host in the name of a trace. */
import { basename } from 'node:path';
import type { JobFacts } from '../../trace/trace.js';
import type { ThreadTable } from '../../trace/threads.js';

/** `HOST_PID.TIME.pt.trace.json`. Source: `tensorboard_trace_handler` of torch/profiler/profiler.py. */
const TENSORBOARD = /^(.+)_(\d{1,10})\.\d{10,19}\.pt\.trace\.json(?:\.gz)?$/;

/**
 * The host that wrote a trace, by the name that PyTorch gives it for TensorBoard; none for any other name. That name may
 * be the user's (`rank_3`): it is a host's only where the process in it is one of the trace.
 */
export function hostOfName(file: string, threads: ThreadTable): JobFacts {
  const [, host, pid] = TENSORBOARD.exec(basename(file)) ?? [];
  if (host === undefined) return {};
  for (let thread = 0; thread < threads.count; thread++)
    if (threads.pid(threads.processOf(thread)) === Number(pid)) return { host };
  return {};
}
