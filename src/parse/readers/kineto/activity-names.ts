/** What the names of copies and waits tell. */
import type { HostMemory } from '../../../record/record.js';

const COPY_KIND = /\b(HtoD|DtoH|DtoD|PtoP|HtoH)\b/;
/** Of a copy between host and device. */
const HOST_MEMORY = /\b(?:HtoD|DtoH) .*\b(Pageable|Pinned|Managed)\b/;
/** `Stream Sync` and its kin, in the words of the other formats. */
const SYNC_KINDS: readonly (readonly [pattern: RegExp, kind: string])[] = [
  [/^Event Sync/i, 'event'],
  [/^Stream Wait Event/i, 'stream-wait-event'],
  [/^Stream Sync/i, 'stream'],
  [/^Context Sync/i, 'context'],
];

/** `Memcpy HtoD (Pageable -> Device)` → `HtoD`. */
export const copyKind = (name: string): string | null => COPY_KIND.exec(name)?.[1] ?? null;

/** `Memcpy HtoD (Pageable -> Device)` → `pageable`; AMD's traces say no more than `Host`. */
export const hostMemory = (name: string): HostMemory | null =>
  (HOST_MEMORY.exec(name)?.[1]?.toLowerCase() as HostMemory | undefined) ?? null;

/** What is waited for; a name that is not known stands for itself. */
export const syncKind = (name: string): string => SYNC_KINDS.find(([pattern]) => pattern.test(name))?.[1] ?? name;
