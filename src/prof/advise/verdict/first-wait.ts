/** A wait at the begin of a profile that is longer than all the rest: what came after it is what the profile is about. */
import { time } from '../amount-text.js';
import type { DeviceWait } from '../idle/idle-causes.js';
import { BEFORE } from './idle-text.js';
import type { SpanPart, VerdictFacts } from './verdict-facts.js';

interface AfterWait {
  readonly wait: DeviceWait;
  /** Of the time after it. */
  readonly facts: VerdictFacts;
  readonly parts: readonly SpanPart[];
}

const lengthOf = ({ start, end }: DeviceWait): number => end - start;

const isQueue = ({ part, cause }: SpanPart): boolean => part === 'idle' && cause === 'queue';

/** Null where the profile does not begin with a wait of more than half of the span. */
export function afterFirstWait(facts: VerdictFacts, parts: readonly SpanPart[]): AfterWait | null {
  const { waiting: wait } = facts.idle;
  if (wait?.isFirst !== true || 2 * lengthOf(wait) <= facts.span) return null;
  const ns = lengthOf(wait);
  const rest = parts.map((part) => (isQueue(part) ? { ...part, time: part.time - ns } : part));
  return {
    wait,
    facts: { ...facts, span: facts.span - ns, idle: facts.idle.withoutWait },
    parts: rest.filter((part) => part.time > 0).sort((a, b) => b.time - a.time),
  };
}

/** `waited for 463.3 ms at the beginning, … In the 10.4 ms after it` */
export function firstWaitText({ wait, facts }: AfterWait): string {
  const host = wait.call === null ? '' : `, the host in ${wait.call}`;
  return `waited for ${time(lengthOf(wait))} at the beginning${BEFORE}${host}. In the ${time(facts.span)} after it`;
}
