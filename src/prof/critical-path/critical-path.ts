/** `dprof critical-path`: the longest path through the events of each step. */
import { entryOf } from '../../containers/map-entry.js';
import type { ProfileRecord } from '../../record/record.js';
import {
  countNotes,
  withoutDeviceAndRanges,
  withoutTimes,
  type Analysis,
  type Answer,
  type Item,
} from '../analysis.js';
import { Annotated } from '../annotate.js';
import type { RecordTypes } from '../input/record-types.js';
import type { TimeWindow } from '../input/time-window.js';
import { PATH_COLUMNS, type PathRow } from './path-columns.js';
import { ProfileEvents } from './profile-events.js';
import type { WhatIf } from './what-if.js';
import { replayError, type StepPath } from './step-paths.js';

export interface ProfilePaths {
  readonly profile: number;
  /** Null for records without a profile line. */
  readonly header: ProfileRecord | null;
  readonly steps: readonly StepPath[];
}

/** What determined how long a step took, as in JSON. Times are in ns. */
export interface PathDocument {
  readonly profile: number;
  /** Null for records without a profile line, like the rank. */
  readonly file: string | null;
  readonly rank: number | null;
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
  readonly path: StepPath['parts'];
}

/** One element for each step. */
export const pathDocuments = ({ profile, header, steps }: ProfilePaths): PathDocument[] =>
  steps.map((step) => ({
    ...{ profile, file: header?.file ?? null, rank: header?.rank ?? null },
    ...{ step: step.step, from: step.from, time: step.measured, replayed: step.replayed, error: replayError(step) },
    ...(step.predicted === null ? {} : { predicted: step.predicted }),
    ...{ bounds: step.bounds, missing: Object.fromEntries(step.missing), path: step.parts },
  }));

const TYPES: RecordTypes = new Set([
  ...(['profile', 'kernel', 'collective', 'graph', 'copy', 'set', 'sync', 'range', 'sample', 'end'] as const),
]);

/** The part of the profiles that the answer is about. */
export interface PathChoice {
  readonly steps?: ReadonlySet<number> | undefined;
  /** A time instead of steps. */
  readonly window?: TimeWindow | undefined;
  /** Changes whose effect is predicted. */
  readonly whatIf?: WhatIf | undefined;
}

/** Takes annotated kernels, and all other records. Memory: about 700 bytes for each activity of a profile, with three host ranges. */
export class CriticalPaths implements Analysis<readonly ProfilePaths[]> {
  readonly types = TYPES;
  readonly inFull = true;
  readonly #open = new Map<number, ProfileEvents>();
  readonly #done: ProfilePaths[] = [];
  #untimed = 0;
  #events = 0;

  constructor(private readonly choice: PathChoice = {}) {}

  take(item: Item): void {
    const profile = item instanceof Annotated ? item.record.profile : item.profile;
    if (!(item instanceof Annotated) && item.type === 'end') this.#close(profile);
    else entryOf(this.#open, profile, () => new ProfileEvents(this.choice.whatIf ?? null)).take(item);
  }

  /** @throws UserError when nothing has a time */
  finish(): Answer<readonly ProfilePaths[]> {
    for (const profile of [...this.#open.keys()]) this.#close(profile);
    const profiles = this.#done.sort((a, b) => a.profile - b.profile);
    if (this.#events === 0) throw this.#untimed > 0 ? withoutTimes() : withoutDeviceAndRanges();
    const rows = profiles.flatMap(({ steps, ...place }) =>
      steps.flatMap((step): PathRow[] => step.parts.map((part) => ({ ...place, step, part }))),
    );
    return {
      table: { columns: PATH_COLUMNS, rows },
      facts: profiles,
      notes: countNotes([this.#untimed, 'record', ' left out (no time)']),
    };
  }

  /** Explains a profile once it is complete, so that only one is in memory. */
  #close(profile: number): void {
    const events = this.#open.get(profile);
    if (events === undefined) return;
    this.#open.delete(profile);
    const { steps, window } = this.choice;
    const all = events.paths(window);
    this.#events += all.length;
    this.#untimed += events.untimed;
    const chosen = steps === undefined ? all : all.filter(({ step }) => step !== null && steps.has(step));
    this.#done.push({ profile, header: events.header, steps: chosen });
  }
}
