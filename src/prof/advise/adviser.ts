/**
 * Turns records and their rows into findings: what is worth doing. Runs in one pass. The rules keep a bounded amount of
 * memory.
 */
import { append, elementAt, largest } from '../../containers/element.js';
import { entryOf, groupsOf } from '../../containers/map-entry.js';
import { deviceWords, inDeviceWords } from '../../record/glossary.js';
import type { ProfileLine, ProfileRecord } from '../../record/record.js';
import { withoutDevice, withoutTimes, type Analysis, type Answer, type Item, type RecordTypes } from '../analysis.js';
import { countNotes } from '../limits.js';
import { Annotated } from '../annotate.js';
import { idleCoresText, isOfNeuronDevice, workingDevices } from '../neuron/machine.js';
import { ProfileSums } from '../neuron/metric-sums.js';
import { namesOfSeveral } from '../ranks/membership.js';
import { UnrecordedCopies } from '../steps/transfers.js';
import { missingWorkOf, MissingTimes } from '../steps/missing-work.js';
import { workOf } from '../steps/step-work.js';
import { ByDevice, DeviceTimes, type DeviceActivityTime, type Gap } from './device-times.js';
import { FINDING_COLUMNS, type Finding, type Found, type Silence, type FindingRow } from './finding.js';
import { actionIn, frameworkWords } from './framework-words.js';
import { HostGaps, type OnIdleGap } from './idle/host-gaps.js';
import { IdleTimes } from './idle/idle-causes.js';
import { knownIdle, workTimesOf } from './idle/known-idle.js';
import { JOB_RULE, type JobVerdict, type Rule, type RuleAnswer } from './rule.js';
import { PROFILE_RULES, RULES } from './rules.js';
import { belowRoof } from './rules/below-roof.js';
import { exposedCollectives, stragglers } from './rules/communication.js';
import { oldArchitecture } from './rules/kernel-lists.js';
import { percent } from './wording.js';
import { MovedTimes } from './moved-times.js';
import { verdictOf, type ProfileVerdict } from './verdict/verdict.js';
import { GraphCaptureTest, ComputedTimes, DoubtedWork } from './verdict/verdict-facts.js';

export const ADVICE_TYPES: RecordTypes = new Set([
  ...(['profile', 'kernel', 'copy', 'set', 'graph', 'collective'] as const),
  ...(['range', 'sample', 'tensor', 'notice', 'end'] as const),
]);

/** Findings below this share of the device's time are not worth reading: the variation between runs is as large. */
export const MIN_SHARE = 0.01;

export interface AdviserOptions {
  readonly rules?: readonly Rule[];
  /**
   * Minimum share of the device's time, from its first work to its last, that a finding could save, or, if the possible
   * saving is unknown, that it affects.
   */
  readonly minShare?: number;
  /** As `AdviseOptions.top` of the library. */
  readonly top?: number;
  readonly onIdle?: OnIdleGap;
}

/** What a profile's devices did with their time, as a sentence and as figures. */
export interface VerdictLine extends Omit<ProfileVerdict, 'text'> {
  readonly verdict: string;
}

/** A line of `dprof advise -f json`. Times in ns. */
export type AdviceLine = VerdictLine | Finding | Silence;

type RankedFinding = Pick<Finding, 'profile' | 'device' | 'stake' | 'gain'>;

const sumOver = (devices: readonly DeviceActivityTime[], lengthOf: (device: DeviceActivityTime) => number): number =>
  devices.reduce((all, device) => all + lengthOf(device), 0);

export class Adviser implements Analysis<Adviser> {
  readonly types = ADVICE_TYPES;
  readonly ranges = 'long-calls';
  readonly #minShare: number;
  readonly #top: number;
  readonly #onIdle: OnIdleGap | undefined;
  readonly #watches;
  readonly #devices = new DeviceTimes();
  readonly #host = new HostGaps();
  /** Time of missing work by device, in ns. */
  readonly #missing = new ByDevice(() => new MissingTimes());
  readonly profiles = new Map<number, ProfileRecord>();
  readonly #neuron = new Map<number, ProfileSums>();
  readonly #computed = new Map<number, ComputedTimes>();
  readonly #moved = new Map<number, MovedTimes>();
  readonly #copies = new Map<number, UnrecordedCopies>();
  readonly #doubted = new Map<number, DoubtedWork>();
  readonly #captures = new Map<number, GraphCaptureTest>();
  /**
   * A verdict needs the findings of all rules. When only some rules were requested, there is no verdict, and nothing is
   * collected for it.
   */
  readonly #hasVerdict: boolean;
  #outcome: { readonly findings: Finding[]; readonly silences: Silence[]; readonly job: JobVerdict | null } | null =
    null;
  kernels = 0;

  constructor({ rules = RULES, minShare = MIN_SHARE, top = Infinity, onIdle }: AdviserOptions = {}) {
    this.#onIdle = onIdle;
    this.#minShare = minShare;
    this.#top = top;
    this.#hasVerdict = rules === RULES || rules === PROFILE_RULES;
    this.#watches = rules.map((rule) => ({ rule, watch: rule.watch() }));
  }

  take(item: Item): void {
    if (item instanceof Annotated) this.#takeKernel(item);
    else this.#takeRecord(item);
  }

  #takeRecord(record: ProfileLine): void {
    if (record.type === 'kernel') this.kernels++;
    if (record.type === 'profile') {
      this.profiles.set(record.profile, record);
      if (isOfNeuronDevice(record)) this.#neuron.set(record.profile, new ProfileSums());
    }
    if (record.type === 'end') {
      for (const { watch } of this.#watches) watch.take?.(record);
      return;
    }
    const missing = missingWorkOf(record);
    if (missing !== null) this.#missing.of({ ...missing, profile: record.profile }).add(missing);
    const gap = this.#devices.take(record);
    if (gap !== null) this.#gap(gap);
    this.#listen(record);
    this.#host.take(record);
    entryOf(this.#moved, record.profile, () => new MovedTimes()).take(record);
    if (this.#hasVerdict) {
      entryOf(this.#copies, record.profile, () => new UnrecordedCopies()).take(record);
      entryOf(this.#doubted, record.profile, () => new DoubtedWork()).take(record);
      entryOf(this.#captures, record.profile, () => new GraphCaptureTest()).take(record);
    }
    if (this.#neuron.size > 0) this.#neuron.get(record.profile)?.take(record);
    for (const { watch } of this.#watches) watch.take?.(record);
  }

  /** Watches for work without a duration, which may run until the next work of its stream. */
  #listen(record: ProfileLine): void {
    const found = workOf(record)?.record;
    if (found === undefined || !Number.isFinite(found.device)) return;
    const isTimed = found.dur !== null && Number.isFinite(found.start + found.dur);
    const times = isTimed ? this.#missing.get(found.profile, found.device) : this.#missing.of(found);
    times?.work(found, isTimed);
  }

  #gap(gap: Gap): void {
    // The host did not cause a gap in which work is missing.
    const before = this.#missing.get(gap.profile, gap.device)?.take(gap.start, gap.end) ?? null;
    const time = before ?? gap.end - gap.start;
    const { cause, host } = before === null ? this.#host.gap(gap) : this.#host.beforeMissing(gap, before);
    this.#onIdle?.({ cause, host, gap, time });
  }

  #takeKernel(row: Annotated): void {
    for (const { watch } of this.#watches) watch.row?.(row);
    if (this.#hasVerdict) this.#addComputed(row);
  }

  #addComputed({ record, op, placement }: Annotated): void {
    if (workOf(record)?.work !== 'computing' || record.dur === null || record.cut === true) return;
    const computed = entryOf(this.#computed, record.profile, () => new ComputedTimes());
    computed.add(op, record.short, placement, record.dur);
  }

  /** @throws UserError when no work has a time */
  finish(): Answer<Adviser> {
    if (this.kernels + this.activities === 0) throw withoutDevice(namesOfSeveral([...this.profiles.values()]));
    if (this.activities === 0) throw withoutTimes();
    const findings = this.findings
      .slice(0, this.#top)
      .map((finding): FindingRow => ({ finding, share: this.shareOf(finding) }));
    const notes = countNotes(
      [this.#devices.untimed, 'record', ' not included in idle and busy times', 'no time'],
      [this.disordered, 'record', ' around which idle and busy times are wrong', 'not in order of start time'],
    );
    return { table: { columns: FINDING_COLUMNS, rows: findings }, facts: this, notes };
  }

  /** Number of pieces of work, with and without a time. */
  get activities(): number {
    return this.#devices.all.reduce((sum, { of: activity }) => sum + activity.activities, 0);
  }
  get disordered(): number {
    return this.#devices.all.reduce((sum, { of: activity }) => sum + activity.disordered, 0);
  }

  /** What to change in the program, then what to change in profiling it. */
  get findings(): Finding[] {
    return this.#end().findings;
  }

  /** Reasons of the rules without findings, in the order of the rules. */
  get silences(): Silence[] {
    return this.#end().silences;
  }

  /** Who is late, and how long ranks waited; null for one profile, and when the rule about jobs was not requested. */
  get job(): JobVerdict | null {
    return this.profiles.size > 1 ? this.#end().job : null;
  }

  /** Share of the time of the finding's device; for a profile without device work, of the device that worked longest. */
  shareOf({ profile, device, stake }: Pick<Finding, 'profile' | 'device' | 'stake'>): number {
    const span = this.#devices.has(profile) ? this.#devices.span(profile, device) : this.#devices.longest;
    return span > 0 ? stake / span : 0;
  }

  /** One verdict for each profile with device work, in order; none when only some rules were requested. */
  get verdicts(): ProfileVerdict[] {
    if (!this.#hasVerdict) return [];
    const findings = groupsOf(this.findings, ({ profile }) => profile);
    const numbers = [...new Set(this.#devices.all.map(({ profile }) => profile))];
    return numbers.map((profile) => this.#verdictOf(profile, findings.get(profile) ?? []));
  }

  /** Numbers of the profiles in which no device work has a time, so they get no verdict. */
  get withoutWork(): number[] {
    return [...this.profiles.keys()].filter((profile) => !this.#devices.has(profile));
  }

  /**
   * Verdicts, findings, and the rules without a finding.
   * @param all whether to include rules without a finding
   */
  lines(all: boolean): AdviceLine[] {
    return [
      ...this.verdicts.map(({ text, ...facts }): VerdictLine => ({ verdict: text, ...facts })),
      ...this.findings.slice(0, this.#top),
      ...(all ? this.silences : []),
    ];
  }

  #verdictOf(profile: number, findings: readonly Finding[]): ProfileVerdict {
    const working = workingDevices(this.#devices.ofProfile(profile), ({ of: activity }) => activity.works);
    const devices = working.map(({ of: activity }) => activity);
    const missing = this.#missing.ofProfile(profile).map(({ of: lost }) => lost);
    const idle = new IdleTimes();
    for (const { device, of: hostGaps } of this.#host.ofProfile(profile))
      if (working.some((other) => other.device === device)) idle.merge(hostGaps.idle);
    const unrecorded = this.#copies.get(profile);
    const withCopies = working
      .filter(({ device }) => unrecorded?.has(device) !== true)
      .map(({ of: activity }) => activity);
    const sum = (lengthOf: (activity: DeviceActivityTime) => number): number => sumOver(devices, lengthOf);
    return verdictOf({
      profile: this.profiles.get(profile) ?? profile,
      devices: devices.length,
      idleCores: idleCoresText(this.profiles.get(profile) ?? null, working),
      span: sum((activity) => activity.span),
      times: {
        compute: sum(({ computing }) => computing.total),
        communication: sum(({ either, computing }) => either.total - computing.total),
        copy: sum(({ busy, either }) => busy.total - either.total),
        missing: missing.reduce((all, lost) => all + lost.time, 0),
      },
      withCopies: { devices: withCopies.length, span: sumOver(withCopies, (activity) => activity.span) },
      idle,
      hasFrames: this.#host.places.hasFrames(profile),
      computed: this.#computed.get(profile) ?? new ComputedTimes(),
      moved: this.#moved.get(profile) ?? new MovedTimes(),
      doubted: this.#doubted.get(profile) ?? new DoubtedWork(),
      isCapture: this.#captures.get(profile)?.isCapture === true,
      missing: missing.reduce((all, { launches }) => all + launches, 0),
      work: workTimesOf(profile, this.#devices, this.#missing),
      findings,
    });
  }

  #end() {
    if (this.#outcome !== null) return this.#outcome;
    const collected = {
      ...{ devices: this.#devices, host: this.#host, missing: this.#missing },
      ...{ profiles: this.profiles, neuron: this.#neuron, moved: this.#moved },
    };
    const facts = { ...collected, idle: knownIdle(collected) };
    const findings: Finding[] = [];
    const silences: Silence[] = [];
    let job: JobVerdict | null = null;
    for (const { rule, watch } of this.#watches) {
      const answer = watch.end(facts);
      job ??= answer.verdict ?? null;
      const said = answer.found
        .map((finding) => this.#bounded(finding))
        .filter((finding) => this.#worth(finding) >= this.#minShare);
      append(
        findings,
        said.map((finding): Finding => ({ rule: rule.name, about: rule.about ?? 'program', ...this.#worded(finding) })),
      );
      if (said.length === 0 && this.#concerns(rule))
        silences.push({ rule: rule.name, why: inDeviceWords(this.#whyNot(answer), this.#allDevices) });
    }
    return (this.#outcome = { findings: this.#ordered(withoutRepeated(findings)), silences, job });
  }

  get #allDevices() {
    return { devices: [...this.profiles.values()].flatMap(({ devices }) => devices) };
  }

  /** Whether a rule was requested by name, or applies to a device of the profiles; true when a vendor is unknown. */
  #concerns({ vendors }: Rule): boolean {
    if (!this.#hasVerdict) return true;
    const known = this.#allDevices.devices.map((device) => deviceWords({ devices: [device] }).vendor);
    return (
      vendors === undefined || known.length === 0 || known.some((vendor) => vendor === null || vendors.includes(vendor))
    );
  }

  /** A finding in the words of its program's framework and its devices' vendor. */
  #worded({ what, details, action, ...finding }: Found): Omit<Finding, 'rule' | 'about'> {
    const profile = this.profiles.get(finding.profile) ?? null;
    const worded = (text: string): string => inDeviceWords(text, profile);
    return {
      ...finding,
      ...{ what: worded(what), action: worded(actionIn(action, frameworkWords(profile))) },
      ...(details === undefined ? {} : { details: worded(details) }),
    };
  }

  /** Concurrent work can add up to more than the device's time, which limits the time at stake. */
  #bounded(finding: Found): Found {
    const span = this.#devices.span(finding.profile, finding.device);
    const { stake, gain } = finding;
    if (span === 0 || Math.max(stake, gain?.ns ?? 0) <= span) return finding;
    return {
      ...finding,
      stake: Math.min(stake, span),
      gain: gain === null ? null : { ...gain, ns: Math.min(gain.ns, span) },
    };
  }

  /** Share of the device's time that could be saved, or that is at stake when the saving is unknown. */
  #worth({ gain, stake, ...place }: RankedFinding): number {
    return this.shareOf({ ...place, stake: gain?.ns ?? stake });
  }

  /**
   * Sorts findings: changes to the program come before changes to the profiling. In each list, causes in a job come first, then
   * the findings by gain, with a cause before its effect. A finding of unknown gain counts half of the time that it concerns: no one knows how much can be saved.
   */
  #ordered(findings: readonly Finding[]): Finding[] {
    const rank = new Map(
      findings.map((finding) => [finding, this.#worth(finding) * (finding.gain === null ? UNKNOWN_GAIN : 1)]),
    );
    const worth = (finding: Finding): number => rank.get(finding) ?? 0;
    const sorted = findings.toSorted(
      (a, b) =>
        (a.about < b.about ? 1 : a.about > b.about ? -1 : 0) ||
        Number(b.rule === JOB_RULE) - Number(a.rule === JOB_RULE) ||
        worth(b) - worth(a) ||
        a.profile - b.profile ||
        (a.device ?? -1) - (b.device ?? -1),
    );
    return CAUSES.reduce(causeFirst, sorted);
  }

  #whyNot({ found, why }: RuleAnswer): string {
    if (found.length === 0) return why ?? 'nothing';
    const most = largest(found.map((finding) => this.#worth(finding)));
    return `below ${percent(this.#minShare)} of the device's time: ${percent(most)} at most`;
  }
}

/** Share of the time at stake that a finding of unknown gain counts in the order. */
const UNKNOWN_GAIN = 0.5;

/** Rules whose findings are why there is something for another rule to find. */
const CAUSES = [
  { cause: stragglers.name, effect: exposedCollectives.name, isOfKernels: false },
  // A kernel for an older architecture is slow, not the kernels of other ops.
  { cause: oldArchitecture.name, effect: belowRoof.name, isOfKernels: true },
] as const;

/** Puts the first finding of a cause before the first of its effect, which is about some of the same kernels. */
function causeFirst(sorted: Finding[], { cause, effect, isOfKernels }: (typeof CAUSES)[number]): Finding[] {
  const late = sorted.findIndex(({ rule }) => rule === cause);
  const kernels = new Set(sorted[late]?.kernels);
  const first = sorted.findIndex(
    (finding) => finding.rule === effect && (!isOfKernels || finding.kernels.some((kernel) => kernels.has(kernel))),
  );
  return first === -1 || late < first ? sorted : sorted.toSpliced(late, 1).toSpliced(first, 0, elementAt(sorted, late));
}

/** A rank that is late more often than by chance is not also reported for computing longest. */
function withoutRepeated(findings: readonly Finding[]): Finding[] {
  const named = new Set(findings.flatMap(({ rule, profile }) => (rule === JOB_RULE ? [profile] : [])));
  return findings.filter(({ rule, profile }) => rule !== stragglers.name || !named.has(profile));
}
