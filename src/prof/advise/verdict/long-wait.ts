/**
 * A wait that is longer than all the rest: what is beside it is what the profile is about. Launched work may wait at the
 * begin of a profile; an operation of communication waits for a rank that joins it late, as where the profilers of a job's
 * ranks do not begin at one time.
 */
import { many, time } from '../amount-text.js';
import type { DeviceWait } from '../idle/idle-causes.js';
import { MovedAmounts, type LongOperation } from '../moved-times.js';
import { BEFORE } from './idle-text.js';
import type { SpanPart, VerdictFacts } from './verdict-facts.js';

/** What a profile is about beside a wait. */
interface BesideWait {
  /** `waited for 463.3 ms at the beginning, … In the 10.4 ms after it` */
  readonly text: string;
  readonly facts: VerdictFacts;
  readonly parts: readonly SpanPart[];
}

/** Null where no wait is longer than half of the span. */
export const besideWait = (facts: VerdictFacts, parts: readonly SpanPart[]): BesideWait | null =>
  afterFirstWait(facts, parts) ?? besideOperation(facts, parts);

const lengthOf = ({ start, end }: Pick<DeviceWait, 'start' | 'end'>): number => end - start;

function afterFirstWait(facts: VerdictFacts, parts: readonly SpanPart[]): BesideWait | null {
  const { waiting: wait } = facts.idle;
  if (wait?.isFirst !== true || 2 * lengthOf(wait) <= facts.span) return null;
  const ns = lengthOf(wait);
  const rest = { ...facts, span: facts.span - ns, idle: facts.idle.withoutWait };
  const host = wait.call === null ? '' : `, the host in ${wait.call}`;
  return {
    text: `waited for ${time(ns)} at the beginning${BEFORE}${host}. In the ${time(rest.span)} after it`,
    facts: rest,
    parts: without(parts, ns, ({ part, cause }) => part === 'idle' && cause === 'queue'),
  };
}

/** How many others of its name say what an operation takes, and how much longer one is that waits. */
const [FEWEST_OTHERS, FAR_LONGER] = [3, 10];

function besideOperation(facts: VerdictFacts, parts: readonly SpanPart[]): BesideWait | null {
  const { longest } = facts.moved;
  if (longest === null) return null;
  const ns = lengthOf(longest);
  const exposed = parts.find(({ part }) => part === 'communication')?.time ?? 0;
  // What computes at the same time does not wait.
  if (2 * ns <= facts.span || exposed < ns || !isFarLonger(longest)) return null;
  const { name, others, othersTime } = longest;
  const rest: VerdictFacts = {
    ...{ ...facts, span: facts.span - ns },
    // Rates and gains are those of all operations: of the others they are not known.
    moved: {
      ...{ communicated: new MovedAmounts(), copied: facts.moved.copied },
      ...{ movingShare: null, longest: null },
    },
    findings: facts.findings.filter(({ rule }) => rule !== 'exposed-collectives'),
  };
  const usual = `${many(others, 'other')} ${others === 1 ? 'takes' : 'take'} ${time(othersTime / others)} on average`;
  return {
    text: `waited for ${time(ns)} in one ${name} (${usual}), perhaps for a rank that began later. In the other ${time(rest.span)}`,
    facts: rest,
    parts: without(parts, ns, ({ part }) => part === 'communication'),
  };
}

const isFarLonger = (longest: LongOperation): boolean =>
  longest.others >= FEWEST_OTHERS && lengthOf(longest) * longest.others > FAR_LONGER * longest.othersTime;

/** Parts without the time of a wait. */
const without = (parts: readonly SpanPart[], ns: number, isOf: (part: SpanPart) => boolean): readonly SpanPart[] =>
  parts
    .map((part) => (isOf(part) ? { ...part, time: part.time - ns } : part))
    .filter((part) => part.time > 0)
    .sort((a, b) => b.time - a.time);
