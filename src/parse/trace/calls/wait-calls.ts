/**
 * What a call makes wait, by its name. Rows of waits state it too, but not reliably: an export of 2024 has
 * `cudaStreamWaitEvent`, for which the host does not wait, as the kind of `cudaStreamSynchronize`, one of 2025 the reverse.
 */

const WAIT_CALLS: readonly (readonly [pattern: RegExp, kind: string])[] = [
  [/^(cuda|hip)DeviceSynchronize|^(cu|hip)CtxSynchronize/, 'context'],
  [/^(cuda|hip|cu)StreamSynchronize/, 'stream'],
  [/^(cuda|hip|cu)StreamWaitEvent/, 'stream-wait-event'],
  [/^(cuda|hip|cu)EventSynchronize/, 'event'],
  // Intel's: Unified Runtime, SYCL's older plugin interface, Level Zero, whose immediate command list is a queue too.
  // Source: ur_api.h, pi.h, ze_api.h.
  [/^(ur|pi)QueueFinish|^zeCommand(Queue|ListHost)Synchronize/, 'stream'],
  [/^urEventWait|^piEventsWait|^ze(Event|Fence)HostSynchronize/, 'event'],
];

/** The kind of the wait that a function of the host's interface makes, in the words of `sync` records; null for others. */
export const waitOfCall = (api: string | null): string | null =>
  api === null ? null : (WAIT_CALLS.find(([pattern]) => pattern.test(api))?.[1] ?? null);
