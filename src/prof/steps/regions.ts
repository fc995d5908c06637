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
import type { KernelLine, ProfileLine, ProfileRecord, RangeKind, RangeRecord } from '../../record/record.js';
import {
  RANGES_HINT,
  countNotes,
  withoutChosenSteps,
  withoutDevice,
  type Analysis,
  type Answer,
  type Item,
} from '../analysis.js';
import { Annotated } from '../annotate.js';
import { annotationOf, hostRangeName, threadKey } from '../by/host/range-name.js';
import { launchOf, type DeviceActivity } from '../input/device-activity.js';
import type { RecordTypes } from '../input/record-types.js';
import { stepMarks } from '../work/capture-options.js';
import { KernelTally } from '../tally/kernel-tally.js';
import { HostSteps, MOST_STEPS, stepOf } from './host-steps.js';
import { missingWorkOf, type MissingWork } from './missing-work.js';
import { RegionPasses } from './region-passes.js';
import { REGION_COLUMNS, type RegionRow } from './region-columns.js';
import { DeviceIdle, StepSums } from './step-sums.js';
import { workOf, type StepActivity, type StepWorkKind } from './step-work.js';
import { StartedCopies } from './started-copies.js';
import { DeviceSteps, rowsOf } from './steps.js';

/** Kinds of regions, with the host ranges that are their passes; none for steps. */
export const REGION_KEYS: Readonly<Record<string, { readonly doc: string; readonly ranges: ReadonlySet<RangeKind> }>> =
  {
    range: { doc: 'annotations and layers on the CPU', ranges: new Set(['annotation', 'layer']) },
    annotation: { doc: 'annotations on the CPU', ranges: new Set(['annotation']) },
    layer: { doc: 'layers on the CPU', ranges: new Set(['layer']) },
    step: { doc: 'all steps as passes of one region', ranges: new Set() },
    phase: { doc: 'steps of an LLM server by phase', ranges: new Set() },
  };

/** The region of steps without a phase, and of all steps. */
const STEPS = 'step';

const REGION_TYPES: RecordTypes = new Set([
  ...(['profile', 'kernel', 'collective', 'graph', 'copy', 'set', 'sample', 'range', 'end'] as const),
]);

class Region {
  readonly host = new HostSteps();
  readonly devices = new Map<number, DeviceSteps>();
  readonly work = new Map<number, KernelTally>();
}

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

class RegionProfile {
  header: ProfileRecord | null = null;
  readonly callers = new CallerRanges();
  readonly passes = new RegionPasses();
  readonly regions = new Map<string, Region>();
  readonly idle = new Map<number, DeviceIdle>();
  readonly missing: MissingWork[] = [];
  readonly copies = new StartedCopies();
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
  readonly #profiles = new Map<number, RegionProfile>();
  readonly #kinds: ReadonlySet<RangeKind>;
  #passes = 0;
  #activities = 0;
  #untimed = 0;
  /** Whether any work was launched in the chosen steps. */
  #hasChosen = false;
  /** Number of pieces of work in no region, and of those whose launch is unknown. */
  #outside = 0;
  #unlinked = 0;

  /**
   * @param key of `REGION_KEYS`
   * @param steps only work launched in these steps belongs to regions; undefined for all
   * @param most maximum number of passes on all devices
   */
  constructor(
    private readonly key: string,
    private readonly steps?: ReadonlySet<number>,
    private readonly most = MOST_STEPS,
  ) {
    this.#kinds = REGION_KEYS[key]?.ranges ?? new Set();
  }

  take(item: Item): void {
    if (item instanceof Annotated) {
      this.#addKernel(item);
      return;
    }
    const profile = entryOf(this.#profiles, item.profile, () => new RegionProfile());
    profile.copies.take(item);
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

  /** @throws UserError when there is no region with device work */
  finish(): Answer<readonly ProfileRegions[]> {
    const { profiles } = this;
    const rows = profiles.flatMap((profile) => profile.rows);
    if (rows.length === 0) throw this.#nothing();
    return {
      table: { columns: REGION_COLUMNS, rows },
      facts: profiles.filter((profile) => profile.rows.length > 0),
      notes: countNotes(
        [this.#untimed, 'record', ' left out (no time): idle of their passes is unknown'],
        [this.#outside, 'activity', ' in no region'],
        [this.#unlinked, 'activity', ' in no region: no known launch'],
      ),
    };
  }

  #nothing(): UserError {
    if (this.#activities === 0) return withoutDevice();
    if (this.steps !== undefined && !this.#hasChosen) return withoutChosenSteps();
    if (this.key === 'phase')
      return new UserError('no steps with a phase', { hint: 'steps of LLM servers have phases' });
    if (this.key === STEPS) {
      const marks =
        [...this.#profiles.values()].map(({ header }) => stepMarks(header)).find((way) => way !== null) ?? null;
      return new UserError('no steps', marks === null ? {} : { hint: marks });
    }
    const { doc } = REGION_KEYS[this.key] ?? { doc: this.key };
    return new UserError(`no work was launched in ${doc}`, { hint: RANGES_HINT });
  }

  #addRange(profile: RegionProfile, range: RangeRecord): void {
    const { kind = 'annotation', start, dur } = range;
    if (!this.#kinds.has(kind) || !Number.isFinite(start + dur)) return;
    const name = annotationOf(hostRangeName(range));
    const pass = profile.passes.add(name, range);
    if (pass === null) return;
    regionOf(profile, name).host.add({ step: pass.number, start, end: pass.end, thread: hostThread(range) });
  }

  #addSample(profile: RegionProfile, record: ProfileLine): void {
    const missing = missingWorkOf(record);
    if (missing !== null) profile.missing.push(missing);
    const step = this.#kinds.size === 0 ? stepOf(record) : null;
    if (step !== null) regionOf(profile, STEPS).host.add(step);
  }

  #add(profile: RegionProfile, work: StepWorkKind, record: StepActivity): void {
    const { start, dur, device } = record;
    if (Number.isNaN(device)) return;
    const places = this.#placesOf(profile, record);
    const isTimed = dur !== null && !Number.isNaN(start + dur);
    this.#activities++;
    if (this.#isChosen(record)) this.#hasChosen = true;
    if (!isTimed) this.#untimed++;
    if (places.length === 0 && this.steps === undefined) {
      if (this.#kinds.size > 0 && launchOf(record) === null) this.#unlinked++;
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
    for (const [name] of this.#placesOf(profile, record))
      entryOf(regionOf(profile, name).work, record.device, () => new KernelTally()).add(0, time, row);
  }

  #isChosen({ step = null }: DeviceActivity): boolean {
    return this.steps === undefined || (step !== null && this.steps.has(step));
  }

  /** The passes that launched the work: those open on its thread, and on the thread for which its thread works. */
  #placesOf(profile: RegionProfile, record: DeviceActivity): Place[] {
    const step = record.step ?? null;
    if (!this.#isChosen(record)) return [];
    if (this.#kinds.size === 0) return step === null ? [] : [[STEPS, step]];
    const launch = launchOf(record);
    if (launch === null) return [];
    const places = new Map<string, number>();
    const thread = { profile: record.profile, pid: launch.pid, tid: launch.tid };
    for (const { region, number } of profile.passes.around(thread, launch.start))
      if (!places.has(region)) places.set(region, number);
    for (const text of profile.callers.of(record, threadKey(thread))) {
      const name = annotationOf(text);
      const pass = places.has(name) ? null : (profile.regions.get(name)?.host.at(launch.start) ?? null);
      if (pass !== null) places.set(name, pass);
    }
    return [...places];
  }

  #rowsOf(profile: number, { header, regions, missing, copies }: RegionProfile): RegionRow[] {
    const { unrecorded } = copies;
    return [...regions].flatMap(([name, { host, devices, work }]) =>
      [...devices]
        .sort(([a], [b]) => a - b)
        .flatMap(([device, sums]) => {
          for (const work of missing) if (work.device === device) sums.missing.push(work);
          const place = { profile, header, device };
          const passes = rowsOf(place, sums, host, !unrecorded.has(device)).filter(
            ({ step }) => typeof step === 'number',
          );
          const causesOf = ({ step }: { readonly step: unknown }): StepSums['idleCauses'] =>
            sums.steps.get(step as number)?.idleCauses ?? { host: null, queue: null };
          const row = {
            ...place,
            region: name,
            passes,
            causes: passes.map(causesOf),
            work: work.get(device)?.of(0) ?? null,
          };
          return this.key === 'phase' ? byPhase(row) : passes.length === 0 ? [] : [row];
        }),
    );
  }
}

const regionOf = (profile: RegionProfile, name: string): Region => entryOf(profile.regions, name, () => new Region());

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

/** The steps of each phase; the work of their kernels is not separate. */
function byPhase(row: RegionRow): RegionRow[] {
  const phases = new Map<string, number[]>();
  for (const [i, { served }] of row.passes.entries()) {
    const phase = served?.step?.phase ?? null;
    if (phase !== null) entryOf(phases, phase, () => [] as number[]).push(i);
  }
  return [...phases].map(([region, indices]) => ({
    ...{ ...row, region, work: null },
    passes: indices.flatMap((i) => row.passes[i] ?? []),
    causes: indices.flatMap((i) => row.causes[i] ?? []),
  }));
}
