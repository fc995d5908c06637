/** What a profile's devices did with their time, in parts that add up, and the sentence that says it. */
import { addTo, boundedEntryOf } from '../../containers/map-entry.js';
import type { ProfileRecord } from '../../record/record.js';
import type { RooflineBound } from '../roofline/roofline.js';
import { percent, time } from './amount-text.js';
import type { Finding } from './finding.js';
import { IDLE_CAUSES, type IdleCause } from './idle-causes.js';

/** Parts of a device's span from its first work to its last, of which each moment is in one. */
type SpanPartName = 'compute' | 'communication' | 'copy' | 'idle' | 'missing';

export interface SpanPart {
  readonly part: SpanPartName;
  /** Of idle time. */
  readonly cause: IdleCause | null;
  /** The kernels' op that took most; the call that held the host most, or that waited with the device. */
  readonly detail: string | null;
  /** ns, of all devices together. */
  readonly time: number;
}

export interface ProfileVerdict {
  readonly profile: number;
  readonly devices: number;
  /** ns, of all devices together. */
  readonly span: number;
  /** Most time first; none is empty. */
  readonly parts: readonly SpanPart[];
  readonly text: string;
}

/** Ops and names of kernels that are summed. */
const MOST_NAMES = 1000;

/** Kernels by op, or by name where no op is known. */
export class ComputedTimes {
  readonly #byName = new Map<string, { time: number; readonly bounds: Map<RooflineBound, number> }>();
  /** Sum of durations, ns. */
  time = 0;

  add(name: string, bound: RooflineBound | null, dur: number): void {
    this.time += dur;
    const entry = boundedEntryOf(this.#byName, name, MOST_NAMES, () => ({
      time: 0,
      bounds: new Map<RooflineBound, number>(),
    }));
    if (entry === null) return;
    entry.time += dur;
    if (bound !== null) addTo(entry.bounds, bound, dur);
  }

  /** What takes most time, and what bounds most of it. */
  get top(): { readonly name: string; readonly time: number; readonly bound: RooflineBound | null } | null {
    const [first] = [...this.#byName].sort(([a, x], [b, y]) => y.time - x.time || (a < b ? -1 : 1));
    if (first === undefined) return null;
    const [name, { time: ns, bounds }] = first;
    const bound = [...bounds].find(([, bounded]) => bounded > ns / 2)?.[0] ?? null;
    return { name, time: ns, bound };
  }
}

export interface VerdictFacts {
  readonly profile: ProfileRecord | number;
  readonly devices: number;
  /** ns, of all devices together. */
  readonly span: number;
  readonly times: Readonly<Record<Exclude<SpanPartName, 'idle'>, number>>;
  readonly idle: ReadonlyMap<IdleCause, number>;
  /** Time by the call that held the host. */
  readonly calls: ReadonlyMap<string, number>;
  /** The call in which the host was in the longest gap of work that waited; null for none that fills it. */
  readonly waitingIn: string | null;
  readonly computed: ComputedTimes;
  /** Launches of graphs whose work is missing. */
  readonly missing: number;
  /** Of the profile. */
  readonly findings: readonly Finding[];
}

const longest = (times: ReadonlyMap<string, number>): string | null =>
  [...times].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))[0]?.[0] ?? null;

export function verdictOf(facts: VerdictFacts): ProfileVerdict {
  const { profile, devices, span, times, idle, calls, waitingIn, computed } = facts;
  const parts = [
    ...(['compute', 'communication', 'copy', 'missing'] as const).map((part) => ({
      ...{ part, cause: null, time: times[part] },
      detail: part === 'compute' ? (computed.top?.name ?? null) : null,
    })),
    ...[...idle].map(([cause, ns]) => ({
      ...{ part: 'idle' as const, cause, time: ns },
      detail: cause === 'call' ? longest(calls) : cause === 'queue' ? waitingIn : null,
    })),
  ]
    .filter((part) => part.time > 0)
    .sort((a, b) => b.time - a.time);
  const number = typeof profile === 'number' ? profile : profile.profile;
  return { profile: number, devices, span, parts, text: textOf(facts, parts) };
}

/** Shares of the span below it are not spoken of. */
const SPOKEN = 0.1;
/** Of the idle time: the first cause alone is named; a second is named too. */
const [NEARLY_ALL, NOTABLE] = [0.9, 0.25];

function textOf(facts: VerdictFacts, parts: readonly SpanPart[]): string {
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

/** What people call a device, by its vendor. */
const DEVICE_WORDS: Readonly<Record<string, string>> = { aws: 'NeuronCore', huawei: 'NPU', ascend: 'NPU' };

function deviceWords({ profile, devices }: VerdictFacts): string {
  const vendor = typeof profile === 'number' ? undefined : profile.devices[0]?.vendor;
  const word = DEVICE_WORDS[vendor ?? ''] ?? 'GPU';
  return devices > 1 ? `${devices} ${word}s` : word;
}

type Clause = (facts: VerdictFacts, share: number, parts: readonly SpanPart[]) => string;

const CLAUSES: Readonly<Record<SpanPartName, Clause>> = {
  missing: ({ missing }, share) =>
    `not known ${percent(share)}: the trace lacks the work of ${missing} graph ${missing === 1 ? 'launch' : 'launches'}`,
  idle: (facts, share, parts) => `idle ${percent(share)}: ${idleText(facts, parts)}`,
  communication: (facts, share) =>
    `communicating ${percent(share)} while nothing is computed${savingText(facts, 'exposed-collectives', 'more overlap')}`,
  copy: (_, share) => `copying ${percent(share)} while nothing is computed`,
  compute: ({ computed }, share) => `computing ${percent(share)}${computedText(computed)}`,
};

function idleText(facts: VerdictFacts, parts: readonly SpanPart[]): string {
  const causes = parts.filter(({ part }) => part === 'idle');
  const total = causes.reduce((sum, part) => sum + part.time, 0);
  const [first, second] = causes;
  if (first === undefined) return '';
  const share = ({ time: ns }: SpanPart): string => percent(ns / facts.span);
  if (first.time >= NEARLY_ALL * total) return `${causeText(first)}${remedyText(facts, first)}`;
  const also =
    second !== undefined && second.time >= NOTABLE * total ? `, ${causeText(second)} (${share(second)})` : '';
  return `${causeText(first)} (${share(first)})${also}${remedyText(facts, first)}`;
}

function causeText({ cause, detail, time: ns }: SpanPart): string {
  if (cause === null) return '';
  const says = IDLE_CAUSES[cause];
  if (detail === null || detail === '') return says;
  return cause === 'call' ? `${detail} holds the host for ${time(ns)}` : `${says}, the host in ${detail}`;
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

function computedText(computed: ComputedTimes): string {
  const { top } = computed;
  if (top === null || computed.time === 0) return '';
  const share = top.time / computed.time;
  const what = share >= ALL ? `, all of it ${top.name}` : `: ${top.name} takes ${percent(share)} of the kernels' time`;
  return `${what}${top.bound === null ? '' : `, bound by ${top.bound}`}`;
}
