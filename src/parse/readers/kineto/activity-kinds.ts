/** Kinds of copies and waits, by the names of their events. */
import type { CopyKind, HostMemory } from '../../../record/record.js';

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

/** What is waited for; an unknown name is its own kind. */
export const syncKind = (name: string): string => SYNC_KINDS.find(([pattern]) => pattern.test(name))?.[1] ?? name;
