/** What a profile's devices did with their time, in parts that add up, and the sentence that says it. */
import type { IdleCause } from '../idle/idle-causes.js';
import { topOf } from '../longest.js';
import type { SpanPart, SpanPartName, VerdictFacts } from './verdict-facts.js';
import { verdictText } from './verdict-text.js';

export interface ProfileVerdict {
  readonly profile: number;
  readonly devices: number;
  /** ns, of all devices together. */
  readonly span: number;
  /** Most time first; none is empty. */
  readonly parts: readonly SpanPart[];
  readonly text: string;
}

function detailOf({ idle, computed, moved }: VerdictFacts, part: SpanPartName, cause: IdleCause | null) {
  if (part === 'compute') return computed.top?.name ?? null;
  if (part === 'communication') return moved.communicated.top(1)[0]?.[0] ?? null;
  if (part === 'copy') return moved.copied.top(1)[0]?.[0] ?? null;
  if (cause === 'call') return topOf(idle.calls)?.[0] ?? null;
  if (cause === 'host') return topOf(idle.places)?.[0] ?? null;
  return cause === 'queue' ? (idle.waiting?.call ?? null) : null;
}

export function verdictOf(facts: VerdictFacts): ProfileVerdict {
  const { profile, devices, span, times, idle } = facts;
  const parts = [
    ...(['compute', 'communication', 'copy', 'missing'] as const).map((part) => ({
      ...{ part, cause: null, detail: detailOf(facts, part, null), time: times[part] },
    })),
    ...[...idle.by].map(([cause, ns]) => ({
      ...{ part: 'idle' as const, cause, detail: detailOf(facts, 'idle', cause), time: ns },
    })),
  ]
    .filter((part) => part.time > 0)
    .sort((a, b) => b.time - a.time);
  const number = typeof profile === 'number' ? profile : profile.profile;
  return { profile: number, devices, span, parts, text: verdictText(facts, parts) };
}
