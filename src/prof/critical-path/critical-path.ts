/** `dprof critical-path`: the longest path through the events of each step. */
import { elementAt } from '../../containers/element.js';
import { entryOf } from '../../containers/map-entry.js';
import { counted } from '../../record/plural.js';
import type { ProfileRecord } from '../../record/record.js';
import {
  withoutDeviceAndRanges,
  withoutTimes,
  type Analysis,
  type Answer,
  type Item,
  type RecordTypes,
} from '../analysis.js';
import { countNotes, limit, type Limits } from '../limits.js';
import { Annotated } from '../annotate.js';
import type { TimeWindow } from '../input/named-range.js';
import { RankCollector } from '../ranks/part/rank-collector.js';
import { workOf } from '../steps/step-work.js';
import { MISSING, Pieces, type Missing } from './bounds.js';
import { connectedProfiles, type ConnectedProfiles } from './job-operations.js';
import { JoinedGraph } from './joined-graph.js';
import { PATH_COLUMNS, type PathRow } from './path-columns.js';
import { ProfileEvents, type EventGraph } from './profile-events.js';
import { replayError, stepPaths, type StepPath } from './step-paths.js';
import type { WhatIf } from './what-if.js';

/** The paths of a profile, or of a job, whose ranks' profiles have operations in common. */
export interface ProfilePaths {
  /** In order of their numbers; at least one. */
  readonly members: readonly PathMember[];
  readonly steps: readonly StepPath[];
}

interface PathMember {
  readonly profile: number;
  /** Null for records without a profile line. */
  readonly header: ProfileRecord | null;
}

/** The profile and rank of a part of the path, in a job. */
type PartOfRank = Partial<Pick<PathMember, 'profile'>> & { readonly rank?: number | null };

/** What determined how long a step took, as in JSON. Times are in ns. */
export interface PathDocument {
  /** Null for a job, like the file and the rank. */
  readonly profile: number | null;
  /** Null for records without a profile line, like the rank. */
  readonly file: string | null;
  readonly rank: number | null;
  /** Ranks of a job; absent for a single profile. */
  readonly ranks?: readonly (number | null)[];
  /** Null for a profile without steps, which counts as one. */
  readonly step: number | null;
  readonly from: number;
  /** Measured, and when each event begins as soon as its causes allow. */
  readonly time: number;
  readonly replayed: number;
  /** How much longer the replay takes, as a share of the measured time. */
  readonly error: number;
  /** After the changes of `whatIf`; absent without changes, and where it cannot be predicted. */
  readonly predicted?: number;
  /** Time on the path by what bounded it. */
  readonly bounds: StepPath['bounds'];
  /** Time without a known cause, by what the profile lacks. */
  readonly missing: Readonly<Record<string, number>>;
  readonly path: readonly (Omit<StepPath['parts'][number], 'member'> & PartOfRank)[];
}

/**
 * One element for each step. In a job, each part names its profile.
 * @param most maximum number of parts of a path
 */
export function pathDocuments({ members, steps }: ProfilePaths, most = Infinity): PathDocument[] {
  const isJob = members.length > 1;
  const [first] = members;
  const place =
    isJob || first === undefined
      ? { profile: null, file: null, rank: null, ranks: members.map(({ header }) => header?.rank ?? null) }
      : { profile: first.profile, file: first.header?.file ?? null, rank: first.header?.rank ?? null };
  return steps.map((step) => ({
    ...place,
    ...{ step: step.step, from: step.from, time: step.measured, replayed: step.replayed, error: replayError(step) },
    ...(step.predicted === null ? {} : { predicted: step.predicted }),
    ...{ bounds: step.bounds, missing: Object.fromEntries(step.missing) },
    path: step.parts.slice(0, most).map(({ member, ...part }) => {
      const { profile, header } = elementAt(members, member);
      return { ...(isJob ? { profile, rank: header?.rank ?? null } : {}), ...part };
    }),
  }));
}

const TYPES: RecordTypes = new Set([
  ...(['profile', 'kernel', 'collective', 'graph', 'copy', 'set', 'sync', 'range', 'sample', 'end'] as const),
]);

/** The part of the profiles that the answer is about. */
export interface PathChoice {
  readonly steps?: ReadonlySet<number> | undefined;
  /** The time of a profile to explain instead of steps; undefined for steps. */
  readonly windowOf?: ((profile: number) => TimeWindow | undefined) | undefined;
  /** Changes whose effect is predicted. */
  readonly whatIf?: WhatIf | undefined;
  /** Whether steps have the stretches of their paths. */
  readonly hasStretches?: boolean;
}

/**
 * Takes annotated kernels, and all other records. Memory: about 700 bytes for each activity of the largest profile, with
 * three host ranges, and 1 kB for each activity of all profiles with operations between ranks.
 */
export class CriticalPaths implements Analysis<readonly ProfilePaths[]> {
  readonly types = TYPES;
  readonly inFull = true;
  readonly anyTime = true;
  readonly #pieces = new Pieces();
  readonly #open = new Map<number, ProfileEvents>();
  /** Operations of all profiles. */
  readonly #operations = new RankCollector();
  /** Complete profiles that may be ranks of one job. */
  readonly #held = new Map<number, EventGraph>();
  /** Profiles whose records are complete, except that kernels may still come. */
  readonly #ended = new Set<number>();
  readonly #headers = new Map<number, ProfileRecord | null>();
  readonly #done: ProfilePaths[] = [];
  /** Whether any ranks have operations in common, or a profile has several ranks. */
  #isJob = false;
  /** Numbers of all steps, chosen or not. */
  readonly steps = new Set<number>();
  #untimed = 0;
  #events = 0;

  constructor(private readonly choice: PathChoice = {}) {}

  take(item: Item): void {
    const record = item instanceof Annotated ? item.record : item;
    const { profile } = record;
    if (record.type === 'profile' || (item === record && workOf(record)?.work === 'communication'))
      this.#operations.take(record);
    if (item instanceof Annotated && this.#ended.size > 0) this.#closeEnded(profile);
    if (record.type !== 'end') this.#eventsOf(profile).take(item);
    else if (this.#isDerived) this.#ended.add(profile);
    else this.#close(profile);
  }

  /** @throws UserError when nothing has a time */
  finish(): Answer<readonly ProfilePaths[]> {
    for (const profile of [...this.#open.keys()]) this.#close(profile);
    const parts = this.#operations.partsByProfile;
    const held = new Map([...this.#held.keys()].map((profile) => [profile, parts.get(profile) ?? []]));
    for (const job of connectedProfiles(held)) this.#explain(job, this.#held);
    const isEqual = (this.choice.whatIf?.kinds ?? null) !== null;
    const found = this.#done.sort((a, b) => firstOf(a) - firstOf(b));
    if (this.#events === 0) throw this.#untimed > 0 ? withoutTimes() : withoutDeviceAndRanges();
    const rows = found.flatMap(({ members, steps }) =>
      steps.flatMap((step) => step.parts.map((part): PathRow => ({ ...elementAt(members, part.member), step, part }))),
    );
    return {
      table: { columns: PATH_COLUMNS, rows },
      facts: found,
      notes: [
        ...countNotes([this.#untimed, 'record', ' left out', 'no time']),
        ...changeNotes(this.choice.whatIf),
        ...(isEqual && !this.#isJob
          ? [limit("'ranks: equal' changes nothing", 'it needs the profiles of several ranks')]
          : []),
      ],
    };
  }

  /** Kernels arrive later than other records, because their values are derived first, but in order: once a kernel of a
   * later profile arrives, those of all earlier profiles have arrived. */
  #closeEnded(current: number): void {
    for (const profile of this.#ended)
      if (profile !== current) {
        this.#ended.delete(profile);
        this.#close(profile);
      }
  }

  get #isDerived(): boolean {
    return this.choice.whatIf?.needsWork === true;
  }

  #eventsOf(profile: number): ProfileEvents {
    return entryOf(this.#open, profile, () => new ProfileEvents(this.#pieces, this.choice.whatIf ?? null));
  }

  /**
   * Explains a profile once it is complete, so that only one is in memory. One with operations between ranks waits for
   * the other ranks, unless the answer is about a time: their clocks differ.
   */
  #close(profile: number): void {
    const events = this.#open.get(profile);
    if (events === undefined) return;
    this.#open.delete(profile);
    this.#headers.set(profile, events.header);
    this.#untimed += events.untimed;
    const graph = events.built();
    this.#isJob ||= graph.processes.length > 0;
    const window = this.choice.windowOf?.(profile);
    if (graph.operations.size > 0 && window === undefined) this.#held.set(profile, graph);
    else this.#explain(alone(profile), new Map([[profile, graph]]), window);
  }

  #explain(job: ConnectedProfiles, graphs: Map<number, EventGraph>, window?: TimeWindow): void {
    const { steps, whatIf, hasStretches = false } = this.choice;
    const all = [
      ...stepPaths(new JoinedGraph(job, graphs, this.#pieces, hasStretches).explained(window, whatIf ?? null)),
    ];
    this.#events += all.length;
    for (const { step } of all) if (step !== null) this.steps.add(step);
    this.#isJob ||= job.operations.length > 0;
    const chosen = steps === undefined ? all : all.filter(({ step }) => step !== null && steps.has(step));
    const members = job.profiles.map((profile) => ({ profile, header: this.#headers.get(profile) ?? null }));
    this.#done.push({ members, steps: chosen });
  }
}

/** A stretch of a path as drawn in a timeline. Times in ns. */
export interface PathRange {
  readonly profile: number;
  readonly start: number;
  readonly dur: number;
  /** Kind of time and what it was spent on: `compute: mm`. */
  readonly text: string;
  readonly line: string | null;
  readonly step: number | null;
}

/** The stretches of all paths, by profile, in order of start time. */
export function pathRanges(found: readonly ProfilePaths[]): Map<number, PathRange[]> {
  const ranges = new Map<number, PathRange[]>();
  for (const { members, steps } of found)
    for (const { step, stretches } of steps)
      for (const { member, start, dur, bound, name, line } of stretches) {
        const { profile } = elementAt(members, member);
        const text = bound === 'unknown' ? `unknown: ${MISSING[name as Missing]}` : `${bound}: ${name}`;
        entryOf(ranges, profile, (): PathRange[] => []).push({ profile, start, dur, text, line, step });
      }
  for (const list of ranges.values()) list.sort((a, b) => a.start - b.start);
  return ranges;
}

/** Changes without effect, and how many kernels keep their time because a change cannot predict another. */
function changeNotes(whatIf: WhatIf | undefined): Limits[] {
  if (whatIf === undefined) return [];
  const { chains, hasFused, unchanged, unmatched } = whatIf;
  return [
    ...unmatched.map((text) => limit(`'${text}' changes nothing`, 'no kernel matches')),
    ...(chains.length > 0 && !hasFused
      ? [limit("'fuse' changes nothing", 'no kernels follow each other in that order on a stream')]
      : []),
    ...unchanged.map(({ kernels, time, all, change, why }) => {
      const share = all === 0 ? '' : ` (${((100 * time) / all).toFixed(1)}% of the time to change)`;
      return limit(`${counted(kernels, 'kernel')}${share} unchanged ${change}`, why);
    }),
  ];
}

const firstOf = ({ members }: ProfilePaths): number => members[0]?.profile ?? NaN;

const alone = (profile: number): ConnectedProfiles => ({
  ...{ profiles: [profile], operations: [] },
  timeOf: (_, time) => time,
});
