/** What a profile's devices did with their time, as parts that add up, and as a sentence. */
import { type IdleCause, IDLE_CAUSES } from '../idle/cause-names.js';
import type { IdleTimes, DeviceWait } from '../idle/idle-causes.js';
import { topOf } from '../kernel-tally.js';
import type { SpanPart, SpanPartName, VerdictFacts, Pace } from './verdict-facts.js';
import { many, percent, rate, time, spokenName } from '../wording.js';
import { unknownIdleText, withoutCopiesText } from '../idle/known-idle.js';
import { inDeviceWords } from '../../../record/glossary.js';
import { frameworkWords } from '../framework-words.js';
import { LONGEST_LAUNCH, LONGEST_SWITCH } from '../../steps/step-work.js';
import { MOSTLY } from '../../steps/transfers.js';
import { MovedAmounts, mostlyWaiting, type LongOperation } from '../moved-times.js';

export interface ProfileVerdict {
  readonly profile: number;
  readonly devices: number;
  /** Total in ns over all devices. */
  readonly span: number;
  /** Sorted by time, largest first; no part is empty. */
  readonly parts: readonly SpanPart[];
  readonly text: string;
}

function detailOf({ idle, computed, moved }: VerdictFacts, part: SpanPartName, cause: IdleCause | null) {
  if (part === 'compute') return computed.top?.name ?? null;
  if (part === 'communication') return moved.communicated.top(1)[0]?.[0] ?? null;
  if (part === 'copy') return moved.copied.top(1)[0]?.[0] ?? null;
  if (cause === 'call') return topOf(idle.calls)?.[0] ?? null;
  if (cause === 'host') return topOf(idle.places)?.[0] ?? null;
  if (cause === 'semaphore' || cause === 'transfer') return topOf(idle.awaited)?.[0] ?? null;
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
  const text = inDeviceWords(verdictText(facts, parts), typeof profile === 'number' ? null : profile);
  return { profile: number, devices, span, parts, text };
}

/** Minimum share of the span to be mentioned. */
const LEAST = 0.05;

/** `; a graph would recover up to 33 %`; '' when the share is small. */
function savingText({ findings, span }: VerdictFacts, rule: string, remedy: string): string {
  const gain = findings.reduce((sum, finding) => sum + (finding.rule === rule ? (finding.gain?.ns ?? 0) : 0), 0);
  return gain / span >= LEAST ? `; ${remedy} would recover up to ${percent(gain / span)}` : '';
}

/** Usual names of the devices of a profile, by vendor. */
const DEVICE_WORDS: Readonly<Record<string, string | undefined>> = { aws: 'NeuronCore', huawei: 'NPU', google: 'TPU' };

function deviceWord({ profile }: VerdictFacts): string {
  const vendor = typeof profile === 'number' ? undefined : profile.devices[0]?.vendor;
  return DEVICE_WORDS[vendor ?? ''] ?? 'GPU';
}

/** `4 GPUs`, or `4 of 8 GPUs` when the machine has more. A profile of one device is usually one rank of many. */
function deviceWords(facts: VerdictFacts): string {
  const { devices, profile } = facts;
  const installed = typeof profile === 'number' ? 0 : profile.devices.length;
  if (devices < 2) return deviceWord(facts);
  return `${installed > devices ? `${devices} of ${installed}` : devices} ${deviceWord(facts)}s`;
}

/** If the first cause takes this share of the idle time, only it is named. */
const NEARLY_ALL = 0.9;
/** Minimum share of the idle time for a second cause to be named. */
const NOTABLE = 0.25;
/** A place in the code is named only if it has at least this share of its cause's time. */
const NAMED = 0.1;

/** `the host loads data (40 %), …`: the main cause of idle time, and the next one when its share is notable. */
function idleText(facts: VerdictFacts, parts: readonly SpanPart[]): string {
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

/** @param share the share of the span, to print after the cause; '' when it equals that of all idle time */
type CauseText = (facts: VerdictFacts, part: SpanPart, share: string) => string | null;

/** Sentences with more details than the name of the cause. */
const CAUSE_TEXTS: Readonly<Partial<Record<IdleCause, CauseText>>> = {
  call: (facts, { detail, time: ns }, share) => {
    if (detail === null || detail === '') return null;
    const holds = `${detail} blocks the CPU for ${time(ns)}${share}`;
    return loadsCode(facts) ? `first launches load kernel code, ${holds}` : holds;
  },
  launch: ({ hasFrames }, _, share) =>
    hasFrames ? `${IDLE_CAUSES.launch}${share}, and recording Python stacks slows it further` : null,
  host: ({ idle }, { time: ns }, share) => {
    const top = topOf(idle.places);
    if (top === null || top[1] < NAMED * ns) return null;
    const isMost = top[1] > MOSTLY * ns;
    return isMost ? `the CPU is busy in ${top[0]}${share}` : `${IDLE_CAUSES.host}${share}, partly in ${top[0]}`;
  },
  queue: ({ idle }, part, share) => `${IDLE_CAUSES.queue}${share}${waitText(idle, part)}`,
  semaphore: (facts, part, share) => awaitedText('engines wait', facts, part, share),
  transfer: (facts, part, share) => awaitedText('the program waits', facts, part, share),
  // No host launches the instructions of a NeuronCore one by one.
  unknown: (facts, _, share) => (deviceWord(facts) === 'NeuronCore' ? `the profile does not say why${share}` : null),
};

/** What the device waited for, if most of the time was for the same; else what came first. */
function awaitedText(waits: string, { idle }: VerdictFacts, { cause, time: ns }: SpanPart, share: string) {
  const top = topOf(idle.awaited);
  if (top === null || cause === null) return null;
  return top[1] > MOSTLY * ns
    ? `${waits} for ${top[0]}${share}`
    : `${IDLE_CAUSES[cause]}${share}, partly for ${top[0]}`;
}

/** Whether the rule found that most of the long launches were the first ones of their kernels. */
function loadsCode({ findings }: VerdictFacts): boolean {
  const found = findings.find(({ rule, evidence }) => rule === 'long-calls' && Number(evidence['ofNewKernels']) > 0);
  const { ofNewKernels = 0, longLaunches = 0 } = found?.evidence ?? {};
  return found !== undefined && 2 * Number(ofNewKernels) >= Number(longLaunches);
}

function causeText(facts: VerdictFacts, part: SpanPart, share: string): string {
  if (part.cause === null) return '';
  return CAUSE_TEXTS[part.cause]?.(facts, part, share) ?? `${IDLE_CAUSES[part.cause]}${share}`;
}

/** Possible reason for a wait at the beginning of a profile. */
const BEFORE = ', perhaps for work from before the profile';

function waitText({ waiting, queued }: IdleTimes, { time: all, detail }: SpanPart): string {
  const mean = all / queued;
  if (mean <= LONGEST_SWITCH) return `, ${time(mean)} on average`;
  const longest = waiting === null ? 0 : waiting.end - waiting.start;
  const isLong = longest > LONGEST_LAUNCH;
  const isOne = isLong && longest > MOSTLY * all;
  const length = isOne ? `, once for ${time(longest)}` : isLong ? `, the longest ${time(longest)}` : '';
  const host = detail === null ? '' : `, the CPU in ${detail}`;
  const why = isOne && waiting?.isFirst === true ? BEFORE : '';
  return `${length}${why}${host}`;
}

function remedyText(facts: VerdictFacts, { cause }: SpanPart): string {
  if (cause === 'queue') return savingText(facts, 'queued-gaps', 'fewer, larger kernels');
  if (cause !== 'launch') return '';
  const found = facts.findings.filter(({ rule }) => rule === 'launch-gaps');
  const sum = (name: string): number => found.reduce((all, { evidence }) => all + Number(evidence[name] ?? 0), 0);
  const hasGraphs = sum('beforeGraphsNs') > MOSTLY * sum('idleNs');
  const runsGraphs = sum('kernelsInGraphs') > sum('kernels');
  const { together } = frameworkWords(typeof facts.profile === 'number' ? null : facts.profile);
  const action = hasGraphs ? 'launching graphs ahead' : runsGraphs ? 'fewer, larger kernels' : together;
  return savingText(facts, 'launch-gaps', action);
}

/** Minimum share of the span to be mentioned. */
const SPOKEN = 0.1;

/** The verdict in one or a few sentences. */
function verdictText(facts: VerdictFacts, parts: readonly SpanPart[]): string {
  if (facts.isCapture) return captureText(facts, parts);
  const beside = besideWait(facts, parts);
  const [first = '', ...others] = clausesOf(beside?.facts ?? facts, beside?.parts ?? parts);
  const begin = beside === null ? first : `${beside.text}, ${first}`;
  const more = [...others, ...throttlingTexts(facts), ...(facts.idleCores === null ? [] : [facts.idleCores])];
  return [`${deviceWords(facts)} ${begin}.`, ...more.map((clause) => ` ${capital(clause)}.`)].join('');
}

/** Verdict on a capture. It has no shares of the span, because they would describe only work outside the capture. */
function captureText(facts: VerdictFacts, parts: readonly SpanPart[]): string {
  const work = parts.reduce((sum, { part, time: ns }) => sum + (part === 'idle' ? 0 : ns), 0);
  return `This profile shows a graph capture, during which the ${deviceWord(facts)} does not run the graph: other work takes ${time(work)}.`;
}

function clausesOf(facts: VerdictFacts, parts: readonly SpanPart[]): string[] {
  const { span } = facts;
  const total = (part: SpanPartName): number =>
    parts.reduce((sum, entry) => sum + (entry.part === part ? entry.time : 0), 0);
  return (
    (Object.keys(CLAUSES) as SpanPartName[])
      .map((part) => ({ part, share: span > 0 ? total(part) / span : 0 }))
      .sort((a, b) => b.share - a.share)
      .filter(({ share }, place) => share >= SPOKEN || place === 0)
      // Lost time comes first, because it can be saved.
      .sort((a, b) => Number(a.part === 'compute') - Number(b.part === 'compute'))
      .map(({ part, share }) => CLAUSES[part](facts, share, parts))
  );
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

type Clause = (facts: VerdictFacts, share: number, parts: readonly SpanPart[]) => string;

const CLAUSES: Readonly<Record<SpanPartName, Clause>> = {
  missing: ({ missing, work }, share) => {
    const lost = missing > 0 ? [`the work of ${missing} ${missing === 1 ? 'launch' : 'launches'}`] : [];
    const untimed = work.untimed > 0 ? [`the time of ${many(work.untimed, 'piece')} of work`] : [];
    return `unknown ${percent(share)}: the trace lacks ${[...lost, ...untimed].join(', and ') || 'kernels'}`;
  },
  idle: (facts, share, parts) => {
    // A cause of idle time would be a guess: the device may have worked.
    const unknown = unknownIdleText(facts.profile, facts.work);
    return unknown === null
      ? `idle ${withoutCopiesText(percent(share), facts.devices, facts.withCopies.devices)}: ${idleText(facts, parts)}`
      : `idle at most ${percent(share)}: ${unknown}`;
  },
  communication: (facts, share, parts) =>
    `communicating ${percent(share)} without overlap${mostText(facts, 'communication', parts)}${communicationRemedy(facts)}`,
  copy: (facts, share, parts) => {
    const { span, devices, withCopies } = facts;
    // Without any copies, only memory was filled.
    if (withCopies.devices === 0) return `filling memory ${percent(share)} without overlap`;
    const text =
      withCopies.devices === devices
        ? percent(share)
        : `${percent((share * span) / withCopies.span)} on ${withCopies.devices} of ${devices} ${deviceWord(facts)}s`;
    return `copying ${text} without overlap${mostText(facts, 'copy', parts)}`;
  },
  compute: (facts, share) => `computing ${percent(share)}${computedText(facts)}`,
};

/** What took most of a part; null if unknown. */
const statedDetail = (name: SpanPartName, parts: readonly SpanPart[]): string | null =>
  parts.find(({ part }) => part === name)?.detail ?? null;

/** `, mostly AllReduce (1.5 GB/s)`. On a NeuronCore, DMA does all data movement, so nothing is named. */
function mostText(
  { moved, doubted }: VerdictFacts,
  name: 'communication' | 'copy',
  parts: readonly SpanPart[],
): string {
  const doubt = doubted.text(name);
  const detail = statedDetail(name, parts);
  if (detail === null || detail === 'DMA') return doubt;
  const bytesPerS = (name === 'copy' ? moved.copied : moved.communicated).rateOf(detail);
  const most = `mostly ${detail}${bytesPerS === null ? '' : ` (${rate(bytesPerS)})`}`;
  return doubt === '' ? `, ${most}` : `${doubt}; the rest is ${most}`;
}

/** Overlap does not help an operation that moves little data: it waits for other ranks, or for a slow link. */
function communicationRemedy(facts: VerdictFacts): string {
  const { profile, moved } = facts;
  const waiting = mostlyWaiting(moved, typeof profile === 'number' ? null : profile);
  if (waiting === null) return savingText(facts, 'exposed-collectives', 'more overlap');
  const share = percent(waiting.share);
  const isTime = waiting.of === 'time';
  const few = isTime
    ? `, but data moves for only ${share} of that time`
    : `, ${share} of the peak of links within a machine`;
  if (waiting.isBubble) return `${few}: the rest is mostly the pipeline bubble, waits for other stages`;
  return `${few}: look for a late rank${isTime ? '' : ' or a slow link'}`;
}

/** If something takes at least this share of the kernels' time, which prints as 100.0 %, the text says that it takes all of it. */
const ALL = 0.9995;
/** Minimum share of the kernels' time for kernels without an op to be mentioned. */
const NAMELESS = 0.1;

/** `: linear is 60.2 % of it, at 18.4 % of peak FLOP/s` */
function computedText(facts: VerdictFacts): string {
  const { computed, doubted } = facts;
  const { top, time: believed } = computed;
  const doubt = doubted.text('computing');
  if (top === null || believed === 0) return doubt;
  // The engines of a core work concurrently: their instructions add up to more than the time in which it computes.
  const all = deviceWord(facts) === 'NeuronCore' ? 'instruction time' : 'it';
  const it = doubt === '' ? all : 'the rest';
  const share = top.time / believed;
  const name = spokenName(top.name);
  if (share >= ALL) return `${doubt}, all of ${it} in ${name}${paceText(top.pace)}`;
  const nameless = top.isOp ? computed.nameless / believed : 0;
  const [least, why] = nameless > NAMELESS ? [' at least', ` (${percent(nameless)} has no op)`] : ['', ''];
  return `${doubt}: ${name} is${least} ${percent(share)} of ${it}${why}${paceText(top.pace)}`;
}

/** Fractions of a peak. Above the first, the work is bound by the peak; below the second, it is far from both peaks. */
const [BOUND, FAR] = [0.5, 0.1];

const PEAKS: Readonly<Record<Pace['peak'], string>> = { compute: 'peak FLOP/s', memory: 'peak bandwidth' };

function paceText(pace: Pace | null): string {
  if (pace === null) return '';
  const { peak, share } = pace;
  if (share < FAR) return ', far below both peaks';
  return share < BOUND
    ? `, at ${percent(share)} of ${PEAKS[peak]}`
    : `, ${peak}-bound (${percent(share)} of ${PEAKS[peak]})`;
}

/** What limits a NeuronCore, if the loss is notable. */
function throttlingTexts({ findings }: VerdictFacts): string[] {
  const found = findings.find(({ rule }) => rule === 'neuron-throttled');
  if (found === undefined) return [];
  const timeShare = Number(found.evidence['timeShare']);
  if (timeShare < SPOKEN) return [];
  return [`throttled for ${percent(timeShare)} of the time, which costs up to ${time(found.stake)}`];
}

/** What a profile shows apart from a long wait. */
interface BesideWait {
  /** `waited for 463.3 ms at the beginning, … In the 10.4 ms after it` */
  readonly text: string;
  readonly facts: VerdictFacts;
  readonly parts: readonly SpanPart[];
}

/** Null when no wait is longer than half of the span. */
const besideWait = (facts: VerdictFacts, parts: readonly SpanPart[]): BesideWait | null =>
  afterFirstWait(facts, parts) ?? besideOperation(facts, parts);

const lengthOf = ({ start, end }: Pick<DeviceWait, 'start' | 'end'>): number => end - start;

function afterFirstWait(facts: VerdictFacts, parts: readonly SpanPart[]): BesideWait | null {
  const { waiting: wait } = facts.idle;
  if (wait?.isFirst !== true || 2 * lengthOf(wait) <= facts.span) return null;
  const ns = lengthOf(wait);
  const rest = { ...facts, span: facts.span - ns, idle: facts.idle.withoutWait };
  const host = wait.call === null ? '' : `, the CPU in ${wait.call}`;
  return {
    text: `waited for ${time(ns)} at the beginning${BEFORE}${host}. In the ${time(rest.span)} after it`,
    facts: rest,
    parts: without(parts, ns, ({ part, cause }) => part === 'idle' && cause === 'queue'),
  };
}

/**
 * Minimum number of other operations of the same name from which the usual time is known, and the ratio to it above which
 * an operation is a wait.
 */
const [FEWEST_OTHERS, FAR_LONGER] = [3, 10];

function besideOperation(facts: VerdictFacts, parts: readonly SpanPart[]): BesideWait | null {
  const { longest } = facts.moved;
  if (longest === null) return null;
  const ns = lengthOf(longest);
  const exposed = parts.find(({ part }) => part === 'communication')?.time ?? 0;
  // A wait that overlaps with compute costs no time.
  if (2 * ns <= facts.span || exposed < ns || !isFarLonger(longest)) return null;
  const { name, others, othersTime } = longest;
  const rest: VerdictFacts = {
    ...{ ...facts, span: facts.span - ns },
    // Rates and gains include all operations, because they are unknown for the other operations alone.
    moved: {
      ...{ communicated: new MovedAmounts(), copied: facts.moved.copied },
      ...{ movingShare: null, isBubble: false, longest: null },
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
