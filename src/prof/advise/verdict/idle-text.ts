/** Why the devices were idle, in words. */
import { percent, time } from '../amount-text.js';
import { MOSTLY } from '../idle/host-places.js';
import { IDLE_CAUSES, type IdleCause, type IdleTimes } from '../idle/idle-causes.js';
import { topOf } from '../longest.js';
import { LONGEST_LAUNCH } from '../../steps/late-launch.js';
import { deviceWord } from './device-words.js';
import { savingText } from './saving-text.js';
import type { SpanPart, VerdictFacts } from './verdict-facts.js';

/** Of the idle time: the first cause alone is named; a second is named too; what fills so much of a cause is named. */
const [NEARLY_ALL, NOTABLE, NAMED] = [0.9, 0.25, 0.1];

/** `the host loads data (40 %), …`: the main cause of idle time, and the next where that is notable. */
export function idleText(facts: VerdictFacts, parts: readonly SpanPart[]): string {
  const causes = parts.filter(({ part }) => part === 'idle');
  const total = causes.reduce((sum, part) => sum + part.time, 0);
  const [first, second] = causes;
  if (first === undefined) return '';
  const share = ({ time: ns }: SpanPart): string => ` (${percent(ns / facts.span)})`;
  if (first.time >= NEARLY_ALL * total) return `${causeText(facts, first, '')}${remedyText(facts, first)}`;
  const also =
    second !== undefined && second.time >= NOTABLE * total ? `, ${causeText(facts, second, share(second))}` : '';
  return `${causeText(facts, first, share(first))}${also}${remedyText(facts, first)}`;
}

/** @param share of the span, to be said behind the cause; '' where it is that of all idle time */
type CauseText = (facts: VerdictFacts, part: SpanPart, share: string) => string | null;

/** What is known beyond the cause itself. */
const CAUSE_TEXTS: Readonly<Partial<Record<IdleCause, CauseText>>> = {
  call: (facts, { detail, time: ns }, share) => {
    if (detail === null || detail === '') return null;
    const holds = `${detail} holds the host for ${time(ns)}${share}`;
    return loadsCode(facts) ? `first launches load the code of kernels, ${holds}` : holds;
  },
  launch: ({ hasFrames }, _, share) =>
    hasFrames ? `${IDLE_CAUSES.launch}${share}, perhaps slowed by recording each call of Python` : null,
  host: ({ idle }, { time: ns }, share) => {
    const top = topOf(idle.places);
    if (top === null || top[1] < NAMED * ns) return null;
    const isMost = top[1] > MOSTLY * ns;
    return isMost ? `the host is busy in ${top[0]}${share}` : `${IDLE_CAUSES.host}${share}, partly in ${top[0]}`;
  },
  queue: ({ idle }, part, share) => `${IDLE_CAUSES.queue}${share}${waitText(idle, part)}`,
  // No host launches the instructions of a NeuronCore one by one.
  unknown: (facts, _, share) => (deviceWord(facts) === 'NeuronCore' ? `the profile does not say why${share}` : null),
};

/** As the rule found it: most of the long launches were the first ones of their kernels. */
function loadsCode({ findings }: VerdictFacts): boolean {
  const found = findings.find(({ rule, evidence }) => rule === 'long-calls' && Number(evidence['ofNewKernels']) > 0);
  const { ofNewKernels = 0, longLaunches = 0 } = found?.evidence ?? {};
  return found !== undefined && 2 * Number(ofNewKernels) >= Number(longLaunches);
}

function causeText(facts: VerdictFacts, part: SpanPart, share: string): string {
  if (part.cause === null) return '';
  return CAUSE_TEXTS[part.cause]?.(facts, part, share) ?? `${IDLE_CAUSES[part.cause]}${share}`;
}

/** What a wait at the begin of a profile may be for. */
export const BEFORE = ', perhaps for work from before the profile';

/** Longer ones are no time that a device takes from one piece of work to the next. */
const LONGEST_SWITCH = 20_000;

function waitText({ waiting, queued }: IdleTimes, { time: all, detail }: SpanPart): string {
  const mean = all / queued;
  if (mean <= LONGEST_SWITCH) return `, ${time(mean)} on average`;
  const longest = waiting === null ? 0 : waiting.end - waiting.start;
  const isOne = longest > LONGEST_LAUNCH && longest > MOSTLY * all;
  const host = detail === null ? '' : `, the host in ${detail}`;
  const why = isOne && waiting?.isFirst === true ? BEFORE : '';
  return `${isOne ? `, once for ${time(longest)}` : ''}${why}${host}`;
}

function remedyText(facts: VerdictFacts, { cause }: SpanPart): string {
  if (cause !== 'launch') return '';
  const found = facts.findings.filter(({ rule }) => rule === 'launch-gaps');
  const sum = (name: string): number => found.reduce((all, { evidence }) => all + Number(evidence[name] ?? 0), 0);
  const hasGraphs = sum('beforeGraphsNs') > MOSTLY * sum('idleNs');
  return savingText(facts, 'launch-gaps', hasGraphs ? 'launching graphs ahead' : 'a graph');
}
