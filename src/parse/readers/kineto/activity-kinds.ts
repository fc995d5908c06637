/** Kinds of work, copies and waits, by the names of their events. */
import type { CopyKind, HostMemory } from '../../../record/record.js';
import type { TracedActivity } from './categories.js';

const COPY_KIND = /\b(HtoD|DtoH|DtoD|PtoP|HtoH)\b/;
/** The host's memory in a copy between host and device. */
const HOST_MEMORY = /\b(?:HtoD|DtoH) .*\b(Pageable|Pinned|Managed)\b/;
/** `Stream Sync` and others, as the kinds used for all formats. */
const SYNC_KINDS: readonly (readonly [pattern: RegExp, kind: string])[] = [
  [/^Event Sync/i, 'event'],
  [/^Stream Wait Event/i, 'stream-wait-event'],
  [/^Stream Sync/i, 'stream'],
  [/^Context Sync/i, 'context'],
];

/** `Memcpy HtoD (Pageable -> Device)` → `HtoD`. */
export const copyKind = (name: string): CopyKind | null => (COPY_KIND.exec(name)?.[1] as CopyKind | undefined) ?? null;

/** `Memcpy HtoD (Pageable -> Device)` → `pageable`; null for AMD's traces, which state only `Host`. */
export const hostMemory = (name: string): HostMemory | null =>
  (HOST_MEMORY.exec(name)?.[1]?.toLowerCase() as HostMemory | undefined) ?? null;

/**
 * Names of work that are not kernels: accelerators with one category for all they do (MTIA) say so. Kernels of
 * others have the names of functions.
 */
const NO_KERNELS: readonly (readonly [pattern: RegExp, kind: TracedActivity])[] = [
  [/^dma_(?:request|copy|read|write|transfer)$/i, 'copy'],
  [/^(?:event_wait|wait_event|semaphore_wait|barrier_wait)$/i, 'sync'],
];

/** What an event of the category of kernels is. */
export const workKind = (name: string): TracedActivity =>
  NO_KERNELS.find(([pattern]) => pattern.test(name))?.[1] ?? 'kernel';

/** What is waited for; an unknown name is its own kind. */
export const syncKind = (name: string): string => SYNC_KINDS.find(([pattern]) => pattern.test(name))?.[1] ?? name;
