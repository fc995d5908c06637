/** The verdict on a profile in words: what is lost first, with why; then what is computed. */
import { time, percent } from '../amount-text.js';
import { IDLE_CAUSES, type IdleCause, type IdleTimes } from '../idle/idle-causes.js';
import { MOSTLY } from '../idle/host-places.js';
import { topOf } from '../longest.js';
import { spokenName } from '../spoken-names.js';
import { LONGEST_LAUNCH } from '../../steps/late-launch.js';
import type { RooflineBound } from '../../roofline/roofline.js';
import type { SpanPart, SpanPartName, VerdictFacts } from './verdict-facts.js';

/** Shares of the span below it are not spoken of. */
const SPOKEN = 0.1;
/** Of the idle time: the first cause alone is named; a second is named too. */
const [NEARLY_ALL, NOTABLE] = [0.9, 0.25];

/** The verdict in a sentence or a few. */
export function verdictText(facts: VerdictFacts, parts: readonly SpanPart[]): string {
  const { span } = facts;
  const total = (part: SpanPartName): number => parts.reduce((sum, one) => sum + (one.part === part ? one.time : 0), 0);
  const clauses = (Object.keys(CLAUSES) as SpanPartName[])
    .map((part) => ({ part, share: span > 0 ? total(part) / span : 0 }))
    .sort((a, b) => b.share - a.share)
    .filter(({ share }, place) => share >= SPOKEN || place === 0)
    // What is lost comes first, as it is what can be won.
    .sort((a, b) => Number(a.part === 'compute') - Number(b.part === 'compute'))
    .map(({ part, share }) => CLAUSES[part](facts, share, parts));
  const [first = '', ...others] = clauses;
  return [`${deviceWords(facts)} ${first}.`, ...others.map((clause) => ` ${capital(clause)}.`)].join('');
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** What people call a device and the pieces of its work, by its vendor. */
const DEVICE_WORDS: Readonly<Record<string, { readonly device: string; readonly work: string } | undefined>> = {
  aws: { device: 'NeuronCore', work: "the instructions'" },
  huawei: { device: 'NPU', work: "the kernels'" },
};
const GPU = { device: 'GPU', work: "the kernels'" };

function wordsOf({ profile }: VerdictFacts) {
  const vendor = typeof profile === 'number' ? undefined : profile.devices[0]?.vendor;
  return DEVICE_WORDS[vendor ?? ''] ?? GPU;
}

/** `4 GPUs`; `4 of 8 GPUs` where the machine has more. A profile of one device mostly is of one rank of many. */
function deviceWords(facts: VerdictFacts): string {
  const { devices, profile } = facts;
  const { device } = wordsOf(facts);
  const installed = typeof profile === 'number' ? 0 : profile.devices.length;
  if (devices < 2) return device;
  return `${installed > devices ? `${devices} of ${installed}` : devices} ${device}s`;
}

type Clause = (facts: VerdictFacts, share: number, parts: readonly SpanPart[]) => string;

const CLAUSES: Readonly<Record<SpanPartName, Clause>> = {
  missing: ({ missing }, share) =>
    `not known ${percent(share)}: the trace lacks the work of ${missing} graph ${missing === 1 ? 'launch' : 'launches'}`,
  idle: (facts, share, parts) => `idle ${percent(share)}: ${idleText(facts, parts)}`,
  communication: (facts, share, parts) =>
    `communicating ${percent(share)} while nothing is computed${mostText('communication', parts)}${savingText(facts, 'exposed-collectives', 'more overlap')}`,
  copy: (_, share, parts) => `copying ${percent(share)} while nothing is computed${mostText('copy', parts)}`,
  compute: (facts, share) => `computing ${percent(share)}${computedText(facts)}`,
};

/** `, mostly AllReduce`. Of a NeuronCore all that moves data is DMA. */
function mostText(name: SpanPartName, parts: readonly SpanPart[]): string {
  const detail = parts.find(({ part }) => part === name)?.detail ?? null;
  return detail === null || detail === 'DMA' ? '' : `, mostly ${detail}`;
}

function idleText(facts: VerdictFacts, parts: readonly SpanPart[]): string {
  const causes = parts.filter(({ part }) => part === 'idle');
  const total = causes.reduce((sum, part) => sum + part.time, 0);
  const [first, second] = causes;
  if (first === undefined) return '';
  const share = ({ time: ns }: SpanPart): string => percent(ns / facts.span);
  if (first.time >= NEARLY_ALL * total) return `${causeText(facts, first)}${remedyText(facts, first)}`;
  const also =
    second !== undefined && second.time >= NOTABLE * total ? `, ${causeText(facts, second)} (${share(second)})` : '';
  return `${causeText(facts, first)} (${share(first)})${also}${remedyText(facts, first)}`;
}

type CauseText = (facts: VerdictFacts, part: SpanPart) => string | null;

/** What is known beyond the cause itself. */
const CAUSE_TEXTS: Readonly<Partial<Record<IdleCause, CauseText>>> = {
  call: (facts, { detail, time: ns }) =>
    detail === null || detail === '' ? null : `${detail} holds the host for ${time(ns)}${loadingText(facts)}`,
  launch: ({ hasFrames }) => (hasFrames ? `${IDLE_CAUSES.launch}, slowed by recording each call of Python` : null),
  host: ({ idle }, { time: ns }) => {
    const top = topOf(idle.places);
    if (top === null || top[1] < SPOKEN * ns) return null;
    return top[1] > MOSTLY * ns ? `the host is busy in ${top[0]}` : `${IDLE_CAUSES.host}, partly in ${top[0]}`;
  },
  queue: ({ idle }, part) => `${IDLE_CAUSES.queue}${waitText(idle, part)}`,
  // No host launches the instructions of a NeuronCore one by one.
  unknown: (facts) => (wordsOf(facts).device === 'NeuronCore' ? 'the profile does not say why' : null),
};

/** As the rule found it: most of the long launches were the first ones of their kernels. */
function loadingText({ findings }: VerdictFacts): string {
  const found = findings.find(({ rule, evidence }) => rule === 'long-calls' && Number(evidence['ofNewKernels']) > 0);
  const { ofNewKernels = 0, longLaunches = 0 } = found?.evidence ?? {};
  return found !== undefined && 2 * Number(ofNewKernels) >= Number(longLaunches) ? ', loading code of kernels' : '';
}

const causeText = (facts: VerdictFacts, part: SpanPart): string =>
  part.cause === null ? '' : (CAUSE_TEXTS[part.cause]?.(facts, part) ?? IDLE_CAUSES[part.cause]);

/** Longer ones are no time that a device takes from one piece of work to the next. */
const LONGEST_SWITCH = 20_000;

function waitText({ waiting, queued }: IdleTimes, { time: all, detail }: SpanPart): string {
  const mean = all / queued;
  if (mean <= LONGEST_SWITCH) return `, ${time(mean)} on average`;
  const longest = waiting === null ? 0 : waiting.end - waiting.start;
  const isOne = longest > LONGEST_LAUNCH && longest > MOSTLY * all;
  const host = detail === null ? '' : `, the host in ${detail}`;
  const why = isOne && waiting?.isFirst === true ? ', perhaps for work from before the profile' : '';
  return `${isOne ? `, once for ${time(longest)}` : ''}${why}${host}`;
}

const remedyText = (facts: VerdictFacts, { cause }: SpanPart): string =>
  cause === 'launch' ? savingText(facts, 'launch-gaps', 'a graph') : '';

/** `; a graph could save at most 33 %`, from the gains of a rule. */
function savingText({ findings, span }: VerdictFacts, rule: string, remedy: string): string {
  const gain = findings.reduce((sum, finding) => sum + (finding.rule === rule ? (finding.gain?.ns ?? 0) : 0), 0);
  return gain / span >= SPOKEN / 2 ? `; ${remedy} could save at most ${percent(gain / span)}` : '';
}

/** Of the kernels' time: what takes so much takes all. */
const ALL = 0.995;

const BOUNDS: Readonly<Record<RooflineBound, string>> = {
  compute: 'bound by compute',
  memory: 'bound by memory',
  latency: 'far below the peaks of compute and memory',
};

function computedText(facts: VerdictFacts): string {
  const { computed } = facts;
  const { top } = computed;
  if (top === null || computed.time === 0) return '';
  const share = top.time / computed.time;
  const name = spokenName(top.name);
  const what =
    share >= ALL ? `, all of it ${name}` : `: ${name} takes ${percent(share)} of ${wordsOf(facts).work} time`;
  return `${what}${top.bound === null ? '' : `, ${BOUNDS[top.bound]}`}`;
}
