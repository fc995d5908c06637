/** Calls of device libraries that wait for work or copy memory, and instructions that wait for or start transfers. */
import { isNeuronInstruction } from './neuron/neuron-cores.js';
import type { KernelLine, Labels } from './record.js';

/** Whether a function copies memory, as `cudaMemcpyAsync`, `hipMemcpyWithStream` and `cuMemcpyDtoH_v2` do. */
export const isCopyCall = (api: string): boolean => /memcpy/i.test(api) && !/Graph/.test(api);

/** Whether a function returns only when its copy is done. */
export const isWaitingCopy = (api: string): boolean => isCopyCall(api) && !/async/i.test(api);

/** Number of calls that copied memory, in the profile line of a profile with kernels that contains no copies. */
export const CALLED_COPIES_FACT = 'copies_called_but_not_recorded';

/**
 * What a call waits for, by its name. Rows of waits state it too, but not reliably: an export from 2024 gives
 * `cudaStreamWaitEvent`, for which the host does not wait, the kind of `cudaStreamSynchronize`; one of 2025 does the
 * reverse.
 */
const WAIT_CALLS: readonly (readonly [pattern: RegExp, kind: string])[] = [
  [/^(cuda|hip)DeviceSynchronize|^(cu|hip)CtxSynchronize/, 'context'],
  [/^(cuda|hip|cu)StreamSynchronize/, 'stream'],
  [/^(cuda|hip|cu)StreamWaitEvent/, 'stream-wait-event'],
  [/^(cuda|hip|cu)EventSynchronize/, 'event'],
  // Intel: Unified Runtime, SYCL's older plugin interface, and Level Zero, whose immediate command list is also a queue.
  // Source: ur_api.h, pi.h, ze_api.h.
  [/^(ur|pi)QueueFinish|^zeCommand(Queue|ListHost)Synchronize/, 'stream'],
  [/^urEventWait|^piEventsWait|^ze(Event|Fence)HostSynchronize/, 'event'],
];

/** The kind of wait that a host API function makes, as in `sync` records; null for functions that do not wait. */
export const waitOfCall = (api: string | null): string | null =>
  api === null ? null : (WAIT_CALLS.find(([pattern]) => pattern.test(api))?.[1] ?? null);

/** Further calls for which the host waits, on Ascend. Source: CANN, acl/acl_rt.h. */
const ASCEND_WAITS: readonly (readonly [pattern: RegExp, kind: string])[] = [
  [/^aclrtSynchronizeDevice/, 'context'],
  [/^aclrtSynchronizeStream/, 'stream'],
  [/^aclrtSynchronizeEvent/, 'event'],
];

/** The same as `waitOfCall`, also for Ascend, whose readers find the kind of a wait in its task. */
export const waitOfAnyCall = (api: string | null): string | null =>
  waitOfCall(api) ?? ASCEND_WAITS.find(([pattern]) => api !== null && pattern.test(api))?.[1] ?? null;

/** Whether an instruction of a TPU waits for the end of a transfer. */
export const isTransferWait = (labels: Labels | undefined): boolean => /-done$/.test(String(labels?.['category']));

/** Whether an instruction of a TPU starts a transfer, which goes on after it. */
export const isTransferStart = (labels: Labels | undefined): boolean => /-start$/.test(String(labels?.['category']));

/** Whether an instruction of a TPU starts a copy. */
export const isCopyStart = (labels: Labels | undefined): boolean => labels?.['category'] === 'copy-start';

/**
 * Whether it only waits: an instruction of a NeuronCore waits for a semaphore, and one of a TPU for the end of a
 * transfer.
 */
export const isWait = (kernel: KernelLine): boolean =>
  (kernel.name === 'EVENT_SEMAPHORE' && isNeuronInstruction(kernel)) || isTransferWait(kernel.labels);
