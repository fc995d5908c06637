/** The two sources of Ascend's columns: a trace with its sidecar files, or raw data. */
import type { NumericColumn } from '../../../../containers/numeric-column.js';
import { Diagnostics } from '../../../../record/diagnostics.js';
import type { Device } from '../../../../record/record.js';
import { TraceClock } from '../../../trace/clocks/trace-clock.js';
import { UnreadEvents } from '../../../unread-events.js';
import type { ProcessGroups } from '../process-groups.js';
import { countOpArgs, type AscendProfileFacts } from '../profiler-info.js';
import type { CommunicationFacts } from './collective-parts.js';
import { correctHitRates, FREQUENCY } from './counter-events.js';
import { coreFacts, devicesOf, SidecarFiles } from './sidecar-files.js';
import type { KernelDetails } from './kernel-details.js';
import { AscendTrace } from './trace-rows.js';

/** The events of a trace or of raw data, from which `AscendTrace` is filled. */
export type TracedEvents = Pick<
  AscendTrace,
  | 'threads'
  | 'calls'
  | 'texts'
  | 'host'
  | 'tasks'
  | 'collectives'
  | 'parts'
  | 'flows'
  | 'queue'
  | 'samples'
  | 'deviceOf'
  | 'marks'
>;

/** Attributes of kernels and collectives, one row each. */
export type TracedKernels = Pick<KernelDetails, 'length' | 'nameOf' | 'isCollective' | 'detailsOf'> & {
  readonly start: NumericColumn;
  readonly blocks: NumericColumn;
};

export interface TraceSource {
  readonly events: TracedEvents;
  readonly details: TracedKernels | null;
  readonly clock: Pick<TraceClock, 'moveToFirst' | 'startNs'>;
  readonly diagnostics: Diagnostics;
  readonly unread: UnreadEvents;
  readonly groups: ProcessGroups;
  /** Facts of collectives by name; requested only if there are collectives. */
  readonly communication: () => ReadonlyMap<string, CommunicationFacts>;
  readonly profile: AscendProfileFacts;
  readonly devicesOf: (ids: Iterable<number>) => readonly Device[];
  /** Bytes and direction of copies by task; absent when the source does not have them. */
  readonly copies?: ReadonlyMap<number, { readonly bytes: number; readonly direction: number }>;
}

/**
 * A trace with its sidecar files.
 * @throws UserError when the file is not a trace
 */
export function traceSource(path: string, name: string, folder: string | null): TraceSource {
  const [diagnostics, unread] = [new Diagnostics(), new UnreadEvents()];
  const clock = TraceClock.ofTrace(path);
  const events = new AscendTrace(path, name, clock, diagnostics, unread);
  const sidecars = new SidecarFiles(folder, diagnostics);
  const details = sidecars.kernelDetails(clock);
  countOpArgs(folder, unread);
  sidecars.memory(clock, events.samples);
  correctHitRates(events.samples);
  const clockHz = events.samples.largest(FREQUENCY);
  const facts = coreFacts(details, Number.isNaN(clockHz) ? null : clockHz);
  return {
    ...{ events, details, clock, diagnostics, unread },
    groups: sidecars.groups,
    communication: () => sidecars.communication(),
    profile: sidecars.profile(),
    devicesOf: (ids) => devicesOf(ids, facts),
  };
}
