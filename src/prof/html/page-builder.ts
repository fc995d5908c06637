/**
 * Turns records and their annotated kernels into the data of a page, in one pass. Memory: each part is bounded; most of it
 * is the events for the timeline, up to 110 MB for each profile whose records are still being read.
 */
import { entryOf } from '../../containers/map-entry.js';
import { UserError } from '../../record/errors.js';
import { counted } from '../../record/plural.js';
import type { ProfileLine } from '../../record/record.js';
import { RANGES_HINT, withoutTimes, type Analysis, type Answer, type Item, type RecordTypes } from '../analysis.js';
import { countNotes } from '../limits.js';
import { Annotated } from '../annotate.js';
import type { PathRange } from '../critical-path/critical-path.js';
import { isDeviceActivity } from '../input/device-activity.js';
import { Adviser, ADVICE_TYPES } from '../advise/adviser.js';
import { Memory, MEMORY_TYPES } from '../memory/memory-report.js';
import { jobReport, type JobReport } from '../ranks/job-report.js';
import { RankCollector } from '../ranks/part/rank-collector.js';
import { ProfileSummaries, SUMMARY_TYPES } from '../summary/summaries.js';
import { boundsOfHeld, type Bounds } from './bounds.js';
import type { ProfileSummary } from '../summary/summary-data.js';
import type { RankPart } from '../ranks/part/rank-part.js';
import { pageKernelOf } from './page-kernel.js';
import { isNeuronCapture, NeuronCapture } from './neuron/neuron-capture.js';
import { MonitorRun } from './neuron/monitor-run.js';
import { stepAfter } from './idle/longest-gaps.js';
import { PROFILE_RULES } from '../advise/rules.js';
import { adviceGroups } from '../advise/grouped-findings.js';
import type { PageContents, PageData, PageProfile } from './page-data.js';
import { timelineId, type PagePart, type TimelineChoice } from './timeline/timeline-data.js';
import { pageJob } from './job/page-job.js';
import { workOf } from '../steps/step-work.js';
import { timedActivity } from './timed-activity.js';
import { durationOf } from '../../record/fields/times.js';
import { TimelineBuilder, type BuiltTimeline } from './timeline/timeline-builder.js';
import { builtProfile, pageProfile, PageSums, type BuiltProfile } from './page-sums.js';
import { elementAt } from '../../containers/element.js';
import { ownWork } from '../ranks/stragglers/own-work.js';
import { median } from '../../record/statistics.js';
import { deflateRawSync, inflateRawSync } from 'node:zlib';

type DeviceFigures = Pick<PageProfile, 'ops' | 'annotations'>;

const UNKNOWN = { count: null, time: null } as const;

/** The figures of ops and annotations, with device figures set to unknown. */
const withoutDevices = ({ ops, annotations }: DeviceFigures): DeviceFigures => ({
  ops: { ...ops, time: null, shown: ops.shown.map((op) => ({ ...op, ...UNKNOWN, within: null })) },
  annotations: {
    ...annotations,
    shown: annotations.shown.map((annotation) => ({ ...annotation, ...UNKNOWN, own: null })),
  },
});

export const PAGE_TYPES: RecordTypes = new Set<ProfileLine['type']>([
  ...SUMMARY_TYPES,
  ...ADVICE_TYPES,
  ...MEMORY_TYPES,
  'range',
]);

const CURVE_POINTS = 400;

export interface PageOptions {
  readonly timeline: TimelineChoice;
  /** Maximum number of events in the timelines of all profiles together. */
  readonly events: number;
  /** Maximum number of profiles in the page. */
  readonly held?: number;
  /** The critical path of each profile, in order of start time. */
  readonly paths?: ReadonlyMap<number, readonly PathRange[]>;
}

/** Calls are shown as launches; only the advice and the check use them. */
const isCall = (record: ProfileLine): boolean => record.type === 'range' && record.kind === 'api';

/** Makes the contents of a page when it is written, because they are large. */
type MakePage = (about: Pick<PageData, 'tool' | 'title' | 'input' | 'doubts'>) => PageContents;

// When a page cannot hold all profiles, it holds the important ones and a sample of the others.

/** This level is fast, and its output is little larger than that of the best level. */
const LEVEL = 1;

class PackedProfile {
  readonly #bytes: Buffer;

  constructor(
    built: BuiltProfile,
    /** Steps of the profile's timeline, and whether the profile contains what was requested. */
    readonly steps: readonly number[],
    readonly isMet: boolean,
    readonly outOfOrder: number,
  ) {
    this.#bytes = deflateRawSync(JSON.stringify(built), { level: LEVEL });
  }

  get built(): BuiltProfile {
    return JSON.parse(inflateRawSync(this.#bytes).toString('utf8')) as BuiltProfile;
  }
}

/** Maximum number of profiles in a page; any others appear only in its tables of ranks. */
const MOST_HELD = 64;

/**
 * Shares of the profiles: for ranks that are late, were delayed, or make others wait longest; for the slowest ranks;
 * and for ranks around the median.
 */
const [NAMED, SLOWEST, MIDDLE] = [0.25, 0.125, 0.125];

interface HeldCandidate {
  /** Number of the profile. */
  readonly profile: number;
  /** Time that its devices worked, in ns. */
  readonly busy: number;
  readonly parts: readonly RankPart[];
}

/** @param report null when there are no ranks to compare */
export function heldProfiles(
  candidates: readonly HeldCandidate[],
  report: JobReport | null,
  most: number,
): ReadonlySet<number> {
  if (candidates.length <= most) return new Set(candidates.map(({ profile }) => profile));
  const placeOf = new Map(candidates.flatMap(({ profile, parts }) => parts.map((part) => [part, profile] as const)));
  const named = report === null ? [] : namedIn(report).flatMap((part) => placeOf.get(part) ?? []);
  const bySlowness = candidates
    .map((candidate) => ({ profile: candidate.profile, time: timeOf(candidate) }))
    .sort((a, b) => b.time - a.time || a.profile - b.profile)
    .map(({ profile }) => profile);
  const [slowest, around] = [Math.round(SLOWEST * most), Math.round(MIDDLE * most)];
  const middle = Math.floor((bySlowness.length - around) / 2);
  const held = new Set(named.slice(0, Math.round(NAMED * most)));
  for (const profile of bySlowness.slice(0, slowest)) held.add(profile);
  for (const profile of bySlowness.slice(middle, middle + around)) held.add(profile);
  const others = bySlowness.filter((profile) => !held.has(profile));
  const left = most - held.size;
  for (let i = 0; i < left; i++)
    held.add(elementAt(others, Math.floor((i * (others.length - 1)) / Math.max(1, left - 1))));
  return held;
}

/** Ranks that are late, were delayed, or are latest though perhaps by chance; then those that made others wait longest. */
function namedIn({ parts, ranks, lateness }: JobReport): RankPart[] {
  const { stragglers, delays, latest } = lateness;
  const waitedFor = ranks.toSorted((a, b) => b.delayed - a.delayed || a.part - b.part);
  const named = [...stragglers, ...delays, ...(latest === null ? [] : [latest]), ...waitedFor];
  return [...new Set(named.map(({ part }) => elementAt(parts, part)))];
}

/**
 * Work per step of the rank's slowest device, in ns. The length of the steps would not show it, because it is equal on
 * ranks that wait for each other.
 */
function timeOf({ parts, busy }: HeldCandidate): number {
  const times = parts.flatMap((part) => median(part.steps.step.map((_, index) => ownWork(part, index))) ?? []);
  return times.reduce((most, time) => Math.max(most, time), parts.length === 0 ? busy : 0);
}

export class PageBuilder implements Analysis<MakePage> {
  readonly types = PAGE_TYPES;
  /** The timeline has room for a limited number of events. */
  readonly ranges = 'long-calls';
  readonly #profiles = new Map<number, PageSums>();
  readonly #packed = new Map<number, PackedProfile>();
  /** Packed profiles that have more records after those of another profile. */
  readonly #scattered = new Set<number>();
  readonly #summaries = new ProfileSummaries();
  readonly #adviser = new Adviser({
    // The page shows the ranks of a job in a separate part.
    rules: PROFILE_RULES,
    onIdle: (idle) => {
      const { gaps, stepBars, timeline } = this.#profile(idle.gap.profile);
      timeline.gap(idle);
      gaps.gap(idle, !stepBars.hasBegun(idle.gap.device, stepAfter(idle)));
      stepBars.gap(idle);
    },
  });
  readonly #memory = new Memory(CURVE_POINTS);
  readonly #ranks = new RankCollector();
  /** Profile of the last complete kernel. */
  #current: number | null = null;
  /** Number of records other than profile and end records. */
  records = 0;
  /** Number of activities with a time, and without. */
  timed = 0;
  untimed = 0;

  constructor(private readonly options: PageOptions) {}

  take(item: Item): void {
    this.#adviser.take(item);
    if (item instanceof Annotated) this.#takeKernel(item);
    else if (isCall(item)) this.#profile(item.profile).checker.take(item);
    else this.#takeRecord(item);
  }

  /** Profiles before that of the last kernel are complete: their page data is kept compressed. */
  #pack(): void {
    const current = this.#current;
    if (current === null || !this.#profiles.has(current)) return;
    for (const [number, sums] of this.#profiles) {
      if (number === current) return;
      const overview = this.#summaries.of(number);
      if (overview === null) continue;
      this.#profiles.delete(number);
      if (this.#packed.has(number)) this.#scattered.add(number);
      else {
        const built = builtProfile(sums, overview, this.#bounds);
        const { timeline, utilisation } = sums;
        const steps = timeline.steps.map(({ step }) => step);
        this.#packed.set(number, new PackedProfile(built, steps, timeline.isMet, utilisation.outOfOrder));
      }
    }
  }

  #takeRecord(record: ProfileLine): void {
    const profile = this.#profile(record.profile);
    profile.stepBars.take(record);
    profile.checker.take(record);
    this.#summaries.take(record);
    this.#ranks.take(record);
    this.#memory.take(record);
    this.#takeActivity(record, profile);
    profile.neuron?.take(record);
    profile.monitor?.take(record);
    profile.graphs.take(record);
    profile.regions.take(record);
    profile.collectives.take(record);
    profile.timeline.take(record);
    if (record.type === 'kernel') profile.launches.take(record);
    else if (record.type === 'range') {
      profile.ops.range(record);
      profile.annotations.range(record);
    }
    if (record.type !== 'profile' && record.type !== 'end') this.records++;
    if (this.#count > this.#most) this.#pack();
  }

  #takeActivity(record: ProfileLine, profile: PageSums): void {
    if (isDeviceActivity(record)) {
      profile.sequences.take(record);
      const activity = timedActivity(record);
      if (activity === null) this.untimed++;
      else {
        this.timed++;
        profile.utilisation.take(activity);
      }
    }
    if (record.type === 'sample') profile.utilisation.takeSample(record);
    if (record.type === 'profile') {
      if (isNeuronCapture(record)) profile.neuron = new NeuronCapture();
      if (record.format === 'neuron-monitor') profile.monitor = new MonitorRun();
    }
  }

  #takeKernel(row: Annotated): void {
    const { record } = row;
    this.#summaries.take(row);
    this.#ranks.take(row);
    this.#enter(record.profile);
    const profile = this.#profile(record.profile);
    const { timeline, ops, lines, stepBars, kernels, categories, annotations, points, layers } = profile;
    const kernel = pageKernelOf(row);
    timeline.addKernel(kernel, row);
    profile.sequences.take(row);
    profile.regions.take(row);
    profile.checker.take(row);
    // An instruction that only waits is not work.
    if (workOf(record) === null) return;
    ops.add(row);
    lines.add(row);
    stepBars.takeKernel(row);
    const activity = timedActivity(record);
    if (activity === null) return;
    const time = durationOf(record) ?? activity.dur;
    kernels.add(kernel, time);
    categories.add(kernel, time);
    annotations.add(kernel, activity.dur);
    points.add(kernel, activity.dur);
    layers.add(kernel, time);
  }

  /** @throws UserError when the page, or the selected timeline, would be empty */
  finish(): Answer<MakePage> {
    for (const number of this.#packed.keys()) if (this.#profiles.delete(number)) this.#scattered.add(number);
    const { records, timed, untimed } = this;
    if (records === 0) throw nothing();
    if (timed === 0 && untimed >= records) throw withoutTimes();
    const make: MakePage = (about) => {
      this.#checkTimeline();
      return this.contents(about);
    };
    const profiles = [...this.#profiles.values()];
    const outOfOrder = [...profiles.map(({ utilisation }) => utilisation), ...this.#packed.values()].reduce(
      (sum, source) => sum + source.outOfOrder,
      0,
    );
    const truncated = this.#summaries.all.reduce(
      (sum, { diagnostics }) => sum + (diagnostics['truncated-input'] ?? 0),
      0,
    );
    const notes = countNotes(
      [truncated, 'input', ' shown only in part', 'truncated; the page has the records before the cut'],
      [untimed, 'record', ' left out', 'no time'],
      [outOfOrder, 'record', ' around which utilisation is too low', 'not in order of start time'],
      [
        this.#scattered.size,
        'profile',
        ' shown only up to the first record of another profile',
        'records of several profiles are mixed',
      ],
      [
        Math.max(0, this.#count - this.#most),
        'profile',
        ' only in the rank tables',
        `the page holds ${counted(this.#most, 'profile')}`,
        { wayOut: PAGE_OF_ONE },
      ],
    );
    return { facts: make, notes };
  }

  /** @throws UserError when the selected step or time has no events */
  #checkTimeline(): void {
    const choice = this.options.timeline;
    const timelines = [...this.#profiles.values()].map(({ timeline }) => timeline);
    const all = [...timelines, ...this.#packed.values()];
    if (choice.of === 'usual' || all.some(({ isMet }) => isMet)) return;
    if (choice.of === 'time') throw new UserError('nothing ran between --from and --to');
    const numbers = [
      ...timelines.flatMap(({ steps }) => steps.map(({ step }) => step)),
      ...[...this.#packed.values()].flatMap(({ steps }) => steps),
    ];
    const steps = [...new Set(numbers)].sort((a, b) => a - b);
    const [first, last] = [steps[0], steps.at(-1)];
    const known =
      first === undefined || last === undefined
        ? 'the records have no steps'
        : `there are ${steps.length}, from ${first} to ${last}`;
    throw new UserError(`no step ${choice.step}: ${known}`);
  }

  /** Must be called after the last record. */
  contents(about: Parameters<MakePage>[0]): PageContents {
    const bounds = this.#bounds;
    const { reports } = this.#memory;
    const verdicts = new Map(this.#adviser.verdicts.map((verdict) => [verdict.profile, verdict]));
    const ranks = this.#ranks.partsByProfile;
    const rankParts = [...ranks.values()].flat();
    const { withoutWork } = this.#ranks;
    const isJob = rankParts.length > 0 && rankParts.length + withoutWork.length > 1;
    const report = isJob ? jobReport(rankParts, withoutWork) : null;
    const overviews = this.#summaries.all.filter(({ profile }) => this.#packed.has(profile) || this.#profiles.has(profile)); // prettier-ignore
    const held = heldProfiles(
      overviews.map(({ profile, devices }) => ({
        ...{ profile, parts: ranks.get(profile) ?? [] },
        busy: devices.reduce((sum, { busy, compute }) => sum + (busy ?? compute), 0),
      })),
      report,
      this.#most,
    );
    const parts: PagePart[] = [];
    const profiles: PageProfile[] = [];
    const places = new Map<RankPart, number>();
    for (const overview of overviews) {
      const { profile: number } = overview;
      if (!held.has(number)) continue;
      const built = this.#built(overview, bounds);
      const memory = reports.filter((report) => report.profile === number);
      for (const part of ranks.get(number) ?? []) places.set(part, profiles.length);
      if (built.timeline !== null) for (const part of partsOf(profiles.length, built.timeline)) parts.push(part);
      const profile = pageProfile(overview, built.figures, memory, bounds);
      const unknown = overview.devices.length === 0 ? withoutDevices(profile) : {};
      const timeline = built.timeline?.about ?? null;
      profiles.push({ ...profile, ...unknown, timeline, verdict: verdicts.get(number) ?? null });
    }
    const advice = adviceGroups(this.#adviser);
    const job = report === null ? null : pageJob(report, profiles, (part) => places.get(part) ?? null);
    return { data: { v: 1, ...about, profiles, leftOut: overviews.length - profiles.length, advice, job }, parts };
  }

  #built(overview: ProfileSummary, bounds: Bounds): BuiltProfile {
    const { profile } = overview;
    const packed = this.#packed.get(profile);
    return packed === undefined ? builtProfile(this.#profile(profile), overview, bounds) : packed.built;
  }

  /**
   * Kernels come in the order of their records, so earlier profiles are complete when one comes, and drop events that
   * are not shown.
   */
  #enter(number: number): void {
    if (this.#current === number) return;
    this.#current = number;
    const bounds = this.#bounds;
    for (const [other, { timeline }] of this.#profiles) {
      if (other === number) return;
      timeline.settle(bounds);
    }
  }

  get #most(): number {
    return this.options.held ?? MOST_HELD;
  }

  /** Number of profiles, packed or not. */
  get #count(): number {
    return this.#profiles.size + this.#packed.size;
  }

  get #bounds(): Bounds {
    return this.#boundsOf(Math.max(1, this.#count));
  }

  #boundsOf(profiles: number): Bounds {
    return boundsOfHeld(profiles, this.#most, this.options.events);
  }

  #profile(number: number): PageSums {
    return entryOf(this.#profiles, number, () => {
      const { timeline, paths } = this.options;
      const bounds = this.#boundsOf(1);
      return new PageSums(new TimelineBuilder(timeline, bounds, undefined, paths?.get(number)), bounds);
    });
  }
}

/** What to do about profiles that only the rank tables of the page contain. */
const PAGE_OF_ONE = 'dprof html FILE -o PAGE makes a page for one';

const nothing = (): UserError =>
  new UserError('nothing to show: no kernels, no ranges, no samples', { hint: RANGES_HINT });

/**
 * Elements for the timeline of a profile.
 * @param at index of the profile in the page
 */
function partsOf(at: number, { tables, pieces }: Pick<BuiltTimeline, 'tables' | 'pieces'>): PagePart[] {
  const held = pieces.flatMap((value, piece) => (value === null ? [] : [{ id: timelineId(at, piece), value }]));
  return [{ id: timelineId(at), value: tables }, ...held];
}
