/**
 * Device time by region of the program. A region is what ranges of the host with one name enclose, or all steps, or all
 * steps of a phase; each range or step is a pass. The times of a pass are those of a step (steps.ts), so that a figure means
 * the same for both.
 */
import { entryOf } from '../../containers/map-entry.js';
import { PS_PER_NS } from '../../containers/interval-union.js';
import { awaitedTransfer } from '../../ops/families/hlo.js';
import { UserError } from '../../record/errors.js';
import { durationOf } from '../../record/fields/times.js';
import { many } from '../../record/plural.js';
import type { KernelLine, ProfileLine, ProfileRecord, RangeKind, RangeRecord } from '../../record/record.js';
import { readRequests, type ServingStep } from '../../record/serving-step.js';
import { RANGES_HINT, withoutDevice, type Analysis, type Answer, type Item, type RecordTypes } from '../analysis.js';
import { countNotes } from '../limits.js';
import { Annotated } from '../annotate.js';
import { annotationOf, hostRangeName, threadKey } from '../by/host/range-name.js';
import { launchOf, type DeviceActivity } from '../input/device-activity.js';
import type { TimeWindow } from '../input/named-range.js';
import { withoutChosenSteps, type RecordChoice } from '../input/record-choice.js';
import { layerMarks, partMarks, stepMarks } from '../work/capture-options.js';
import { KernelTally, type KernelSum } from '../tally/kernel-tally.js';
import { HostSteps, MOST_STEPS, stepOf } from './host-steps.js';
import { missingWorkOf, type MissingWork } from './missing-work.js';
import { REGION_COLUMNS, type RegionRow } from './region-columns.js';
import { DeviceIdle, StepSums } from './step-sums.js';
import { workOf, type StepActivity, type StepWorkKind } from './step-work.js';
import { UnrecordedCopies } from './transfers.js';
import { DeviceSteps, rowsOf, WITHOUT_COPIES } from './steps.js';
import { elementAt } from '../../containers/element.js';
import { countUpTo } from '../../containers/row-order.js';

/** What the passes of a kind of region are: host ranges of these kinds, or steps when there are no kinds. */
interface RegionKind {
  readonly doc: string;
  readonly ranges: ReadonlySet<RangeKind>;
  /** The regions of a range by its text; by default the one of its name. */
  readonly regionsOf?: (text: string) => readonly string[];
  /** The region of a server's step; null for a step that is in none. */
  readonly served?: (step: ServingStep) => string | null;
}

const STEPS_ONLY: ReadonlySet<RangeKind> = new Set();

export const REGION_KEYS: Readonly<Record<string, RegionKind>> = {
  range: { doc: 'annotations and layers on the CPU', ranges: new Set(['annotation', 'layer']) },
  annotation: { doc: 'annotations on the CPU', ranges: new Set(['annotation']) },
  layer: { doc: 'layers on the CPU', ranges: new Set(['layer']) },
  step: { doc: 'all steps as passes of one region', ranges: STEPS_ONLY },
  phase: { doc: 'steps of an LLM server by phase', ranges: STEPS_ONLY, served: ({ phase }) => phase },
  batch: { doc: 'steps of an LLM server by phase, requests and tokens', ranges: STEPS_ONLY, served: batchOf },
  request: {
    doc: 'ranges that name requests; a step counts for each of its requests',
    ranges: new Set(['annotation']),
    regionsOf: readRequests,
  },
};

/** `decode, 32 requests, 32 tokens`. */
function batchOf({ phase, batch, tokens }: ServingStep): string | null {
  if (phase === null || batch === null) return null;
  return `${phase}, ${many(batch, 'request')}${tokens === null ? '' : `, ${many(tokens, 'token')}`}`;
}

/** The region of steps without a phase, and of all steps. */
const STEPS = 'step';

const REGION_TYPES: RecordTypes = new Set([
  ...(['profile', 'kernel', 'collective', 'graph', 'copy', 'set', 'sample', 'range', 'end'] as const),
]);

class Region {
  readonly host: HostSteps;
  readonly devices = new Map<number, DeviceSteps>();
  readonly work = new Map<number, PassWork>();

  constructor(window: TimeWindow | undefined) {
    this.host = new HostSteps(window);
  }
}

/** Work of kernels by pass, or of all passes together. */
class PassWork {
  readonly #tally = new KernelTally();
  readonly #keys = new Map<number, number>();

  add(pass: number, time: number, row: Annotated): void {
    this.#tally.add(
      entryOf(this.#keys, pass, () => this.#keys.size),
      time,
      row,
    );
  }

  of(passes: readonly number[]): KernelSum {
    return this.#tally.together(passes.flatMap((pass) => this.#keys.get(pass) ?? []));
  }
}

/** The number for the sum over all passes, when the work of each pass is not needed. */
const ALL_PASSES = -1;

/** Ranges of the threads for which threads work. Only kernels and collectives have them; copies get those of their thread. */
class CallerRanges {
  readonly #latest = new Map<string, readonly string[]>();

  of(record: DeviceActivity, thread: string): readonly string[] {
    if (record.type !== 'kernel' && record.type !== 'collective') return this.#latest.get(thread) ?? [];
    const { callerRanges = [] } = record;
    this.#latest.set(thread, callerRanges);
    return callerRanges;
  }
}

// The ranges of the host of one profile that are passes of regions, and in which of them a time of a thread lies.

/** A pass of a region: one range of the host with its name. */
export interface Pass {
  readonly region: string;
  /** Position among the passes of the region, from 0. */
  readonly number: number;
  readonly start: number;
  readonly end: number;
  /** The passes of any region in which it begins on its thread; null for none. */
  readonly outer: OpenPasses | null;
}

/** Passes that had not ended at a time, innermost first. */
interface OpenPasses {
  readonly pass: Pass;
  readonly outer: OpenPasses | null;
}

/** Passes of a profile, added in order of start time. */
export class RegionPasses {
  readonly #threads = new Map<string, Pass[]>();
  readonly #counts = new Map<string, number>();

  /** Adds a range; null for one within a range of the same name, which is a part of that pass. */
  add(region: string, range: RangeRecord): Pass | null {
    const passes = entryOf(this.#threads, threadKey(range), () => [] as Pass[]);
    const { start, dur } = range;
    const last = passes.at(-1);
    const outer = last === undefined ? null : openAt({ pass: last, outer: last.outer }, start);
    for (let open = outer; open !== null; open = open.outer) if (open.pass.region === region) return null;
    const number = this.#counts.get(region) ?? 0;
    this.#counts.set(region, number + 1);
    const added = { region, number, start, end: start + dur, outer };
    passes.push(added);
    return added;
  }

  /** The passes around a time of a thread, innermost first. */
  around(thread: Parameters<typeof threadKey>[0], time: number): Pass[] {
    const passes = this.#threads.get(threadKey(thread)) ?? [];
    const begun = countUpTo(passes.length, (index) => elementAt(passes, index).start, time);
    const last = passes[begun - 1];
    if (last === undefined) return [];
    const found = [last];
    for (let { outer } = last; outer !== null; outer = outer.outer) found.push(outer.pass);
    return found.filter(({ end }) => time <= end);
  }
}

/** Drops passes that have ended: where ranges overlap without nesting, the list would otherwise keep all earlier ones. */
function openAt(passes: OpenPasses, time: number): OpenPasses | null {
  const open: OpenPasses[] = [];
  for (let at: OpenPasses | null = passes; at !== null; at = at.outer) if (at.pass.end > time) open.push(at);
  let outer: OpenPasses | null = null;
  for (const entry of open.reverse()) outer = entry.outer === outer ? entry : { pass: entry.pass, outer };
  return outer;
}

class RegionProfile {
  header: ProfileRecord | null = null;
  window: TimeWindow | undefined;
  readonly callers = new CallerRanges();
  readonly passes = new RegionPasses();
  readonly regions = new Map<string, Region>();
  readonly idle = new Map<number, DeviceIdle>();
  readonly missing: MissingWork[] = [];
  readonly copies = new UnrecordedCopies();
}

/** The place of a piece of work: a region, and the number of the pass. */
type Place = readonly [region: string, pass: number];

export interface ProfileRegions {
  readonly profile: number;
  readonly header: ProfileRecord | null;
  readonly rows: readonly RegionRow[];
}

export class Regions implements Analysis<readonly ProfileRegions[]> {
  readonly types = REGION_TYPES;
  readonly ranges = 'without-calls';
  /** Work inside the selected time belongs to the ranges that launched it before. */
  readonly anyTime = 'ranges';
  readonly #profiles = new Map<number, RegionProfile>();
  readonly #kind: RegionKind;
  #hasRanges = false;
  #passes = 0;
  #activities = 0;
  #untimed = 0;
  /** Steps in which work was launched, if some are chosen. */
  readonly #launchedIn = new Set<number>();
  /** Number of pieces of work in no region, and of those whose launch is unknown. */
  #outside = 0;
  #unlinked = 0;

  /**
   * @param key a key of `REGION_KEYS`
   * @param steps only work launched in these steps belongs to regions; undefined for all
   * @param most maximum number of passes on all devices
   * @param windowOf the selected time of a profile, at whose edges passes are cut
   */
  constructor(
    private readonly key: string,
    private readonly steps?: ReadonlySet<number>,
    private readonly most = MOST_STEPS,
    private readonly windowOf: RecordChoice['windowOf'] = () => undefined,
  ) {
    this.#kind = REGION_KEYS[key] ?? { doc: key, ranges: STEPS_ONLY };
  }

  take(item: Item): void {
    if (item instanceof Annotated) {
      this.#addKernel(item);
      return;
    }
    const profile = entryOf(this.#profiles, item.profile, () => new RegionProfile());
    profile.copies.take(item);
    profile.window ??= this.windowOf(item.profile);
    if (item.type === 'profile') profile.header = item;
    else if (item.type === 'range') this.#addRange(profile, item);
    else if (item.type === 'sample') this.#addSample(profile, item);
    else {
      const found = workOf(item);
      if (found !== null) this.#add(profile, found.work, found.record);
      else if (item.type === 'kernel') addWait(profile, item);
    }
  }

  /** Their regions, those with the most busy time first. */
  get profiles(): ProfileRegions[] {
    return [...this.#profiles].map(([profile, sums]) => ({
      ...{ profile, header: sums.header },
      rows: this.#rowsOf(profile, sums).sort((a, b) => timeOf(b) - timeOf(a)),
    }));
  }

  /** @throws UserError when no region has device work */
  finish(): Answer<readonly ProfileRegions[]> {
    const { profiles } = this;
    const rows = profiles.flatMap((profile) => profile.rows);
    if (rows.length === 0) throw this.#nothing();
    return {
      table: { columns: REGION_COLUMNS, rows },
      facts: profiles.filter((profile) => profile.rows.length > 0),
      notes: countNotes(
        [this.#untimed, 'record', ' left out, so idle of the passes concerned is unknown', 'no time'],
        [this.#outside, 'activity', ' in no region', 'not launched during a region'],
        [this.#unlinked, 'activity', ' in no region', 'no known launch'],
        [this.#devicesWithoutCopies, 'device', ...WITHOUT_COPIES],
      ),
    };
  }

  get #devicesWithoutCopies(): number {
    return [...this.#profiles.values()].flatMap(({ idle, copies }) => [...idle.keys()].filter((id) => copies.has(id)))
      .length;
  }

  #nothing(): UserError {
    if (this.#activities === 0) return withoutDevice();
    const known = [...this.#launchedIn];
    if (this.steps !== undefined && !known.some((step) => this.steps?.has(step))) return withoutChosenSteps(known);
    if (this.#kind.served !== undefined)
      return new UserError('no steps with a phase', { hint: 'steps of LLM servers have phases' });
    if (this.key === 'request')
      return new UserError('no range names a request', { hint: 'docs/guide/record-serving.md says how to name them' });
    const marksOf = this.key === STEPS ? stepMarks : this.key === 'layer' ? layerMarks : partMarks;
    const marks = [...this.#profiles.values()].map(({ header }) => marksOf(header)).find((way) => way !== null) ?? null;
    if (this.key === STEPS) return new UserError('no steps', marks === null ? {} : { hint: marks });
    const { doc } = this.#kind;
    if (this.#unlinked === this.#activities)
      return new UserError(`it is not known which work was launched in ${doc}`, {
        hint: 'the profile does not record which call launched which work; record launch calls too',
      });
    const hint = marks === null ? RANGES_HINT : this.#hasRanges ? marks : `${marks}; ${RANGES_HINT}`;
    return new UserError(`no work was launched in ${doc}`, { hint });
  }

  #addRange(profile: RegionProfile, range: RangeRecord): void {
    const { kind = 'annotation', start, dur } = range;
    this.#hasRanges = true;
    if (!this.#kind.ranges.has(kind) || !Number.isFinite(start + dur)) return;
    for (const name of this.#regionsOf(hostRangeName(range))) {
      const pass = profile.passes.add(name, range);
      if (pass === null) continue;
      regionOf(profile, name).host.add({ step: pass.number, start, end: pass.end, thread: hostThread(range) });
    }
  }

  #regionsOf(text: string): readonly string[] {
    return this.#kind.regionsOf?.(text) ?? [annotationOf(text)];
  }

  #addSample(profile: RegionProfile, record: ProfileLine): void {
    const missing = missingWorkOf(record);
    if (missing !== null) profile.missing.push(missing);
    const step = this.#kind.ranges.size === 0 ? stepOf(record) : null;
    if (step !== null) regionOf(profile, STEPS).host.add(step);
  }

  #add(profile: RegionProfile, work: StepWorkKind, record: StepActivity): void {
    const { start, dur, device, step = null } = record;
    if (Number.isNaN(device)) return;
    const places = this.#placesOf(profile, record);
    const isTimed = dur !== null && !Number.isNaN(start + dur);
    this.#activities++;
    if (this.steps !== undefined && step !== null) this.#launchedIn.add(step);
    if (!isTimed) this.#untimed++;
    if (places.length === 0 && this.steps === undefined) {
      if (this.#kind.ranges.size > 0 && launchOf(record) === null) this.#unlinked++;
      else this.#outside++;
    }
    const idle = entryOf(profile.idle, device, () => new DeviceIdle());
    for (const [name, pass] of places) {
      const region = regionOf(profile, name);
      const sums = entryOf(region.devices, device, () => new DeviceSteps(idle));
      if (!isTimed) sums.untimed.add(pass);
      else this.#sumsOf(sums, pass).add(work, record, start, start + dur, (kernel) => region.host.isOwn(pass, kernel));
    }
    // Work in no region ends idle time too.
    if (isTimed && places.length === 0) idle.addWork(record, start, start + dur);
  }

  #sumsOf({ steps, idle }: DeviceSteps, pass: number): StepSums {
    return entryOf(steps, pass, () => {
      if (++this.#passes <= this.most) return new StepSums(idle);
      throw new UserError(`more than ${this.most} passes, counted on each device`, {
        hint: 'choose a part with --range, --from and --to, or --step',
      });
    });
  }

  #addKernel(row: Annotated): void {
    const { record } = row;
    const profile = this.#profiles.get(record.profile);
    const time = durationOf(record);
    if (profile === undefined || time === null) return;
    for (const [name, pass] of this.#placesOf(profile, record)) {
      const work = entryOf(regionOf(profile, name).work, record.device, () => new PassWork());
      work.add(this.#kind.served === undefined ? ALL_PASSES : pass, time, row);
    }
  }

  #isChosen({ step = null }: DeviceActivity): boolean {
    return this.steps === undefined || (step !== null && this.steps.has(step));
  }

  /** The passes that launched the work: those open on its thread, and on the thread for which its thread works. */
  #placesOf(profile: RegionProfile, record: DeviceActivity): Place[] {
    const step = record.step ?? null;
    if (!this.#isChosen(record)) return [];
    if (this.#kind.ranges.size === 0) return step === null ? [] : [[STEPS, step]];
    const launch = launchOf(record);
    if (launch === null) return [];
    const places: Place[] = [];
    const isKnown = (region: string): boolean => places.some(([known]) => known === region);
    const thread = { profile: record.profile, pid: launch.pid, tid: launch.tid };
    for (const { region, number } of profile.passes.around(thread, launch.start))
      if (!isKnown(region)) places.push([region, number]);
    for (const name of profile.callers.of(record, threadKey(thread)).flatMap((text) => this.#regionsOf(text))) {
      const pass = isKnown(name) ? null : (profile.regions.get(name)?.host.at(launch.start) ?? null);
      if (pass !== null) places.push([name, pass]);
    }
    return places;
  }

  #rowsOf(profile: number, { header, regions, missing, copies }: RegionProfile): RegionRow[] {
    return [...regions].flatMap(([name, { host, devices, work }]) =>
      [...devices]
        .sort(([a], [b]) => a - b)
        .flatMap(([device, sums]) => {
          const place = { profile, header, device };
          const { all, rest, steps, untimed } = sums;
          const onDevice = missing.filter((work) => work.device === device);
          const passes = rowsOf(
            place,
            { all, rest, steps, untimed, missing: onDevice },
            host,
            !copies.has(device),
          ).filter(({ step }) => typeof step === 'number');
          const causesOf = ({ step }: { readonly step: unknown }): StepSums['idleCauses'] =>
            sums.steps.get(step as number)?.idleCauses ?? { host: null, queue: null };
          const row = {
            ...place,
            region: name,
            passes,
            causes: passes.map(causesOf),
            work: work.get(device)?.of([ALL_PASSES]) ?? null,
            isSteps: this.#kind.ranges.size === 0,
          };
          const { served } = this.#kind;
          if (served !== undefined) return byServedStep(row, served, work.get(device) ?? null);
          return passes.length === 0 ? [] : [row];
        }),
    );
  }
}

const regionOf = (profile: RegionProfile, name: string): Region =>
  entryOf(profile.regions, name, () => new Region(profile.window));

/** The thread of a pass, in the form that `HostSteps` compares with that of a kernel. */
const hostThread = ({ pid, tid }: RangeRecord): string | null => (tid === null ? null : `${pid ?? ''}/${tid}`);

const timeOf = ({ passes }: RegionRow): number => passes.reduce((sum, { times }) => sum + times.busy, 0);

/** Waits of a program for transfers that it started are no work, but causes of idle time. */
function addWait(profile: RegionProfile, record: KernelLine): void {
  const awaited = awaitedTransfer(record);
  const { start, dur, device } = record;
  if (awaited === null || dur === null) return;
  const idle = entryOf(profile.idle, device, () => new DeviceIdle());
  idle.wait(start * PS_PER_NS, (start + dur) * PS_PER_NS, awaited.name);
}

/** The regions of a server's steps. */
function byServedStep(
  row: RegionRow,
  regionOfStep: (step: ServingStep) => string | null,
  work: PassWork | null,
): RegionRow[] {
  const regions = new Map<string, number[]>();
  for (const [i, { served }] of row.passes.entries()) {
    const step = served?.step ?? null;
    const region = step === null ? null : regionOfStep(step);
    if (region !== null) entryOf(regions, region, () => [] as number[]).push(i);
  }
  return [...regions].map(([region, indices]) => {
    const passes = indices.flatMap((i) => row.passes[i] ?? []);
    return {
      ...{ ...row, region, passes },
      causes: indices.flatMap((i) => row.causes[i] ?? []),
      work: work?.of(passes.map(({ step }) => step as number)) ?? null,
    };
  });
}
