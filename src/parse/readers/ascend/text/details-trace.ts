/**
 * Reads kernel_details.csv, op_summary_*.csv or task_time_*.csv without a trace into columns: kernels and collectives with
 * shapes and counters, or tasks of all kinds, without launches.
 */
import { Diagnostics } from '../../../../record/diagnostics.js';
import { UserError } from '../../../../record/errors.js';
import { STEP_METRIC, type Labels, type StatementRecord } from '../../../../record/record.js';
import {
  NO_NAMES,
  UNNAMED,
  type Trace,
  type ActivityDetails,
  type TraceHeader,
  type TraceNames,
  type CollectiveOperation,
  type IsStray,
} from '../../../trace/trace.js';
import { Activities, HostCalls, KIND_CODE, Ranges, type ActivityRow } from '../../../trace/trace-columns.js';
import { NO_CONTEXT, type KernelContexts } from '../../../trace/launch-steps.js';
import { merged, startOf } from '../../../trace/record-order.js';
import { ThreadTable } from '../../../trace/threads.js';
import { SidecarFiles, filesOf, tableOf, coreFacts, devicesOf } from './sidecar-files.js';
import { timesOf, collectiveOperation, type CommunicationFacts } from './collective-parts.js';
import type { ProcessGroups } from '../process-groups.js';
import { KernelDetails } from './kernel-details.js';
import { NumericColumn, type NumberColumn } from '../../../../containers/numeric-column.js';
import { countOpArgs } from '../profiler-info.js';
import { TextSamples } from './text-samples.js';
import { kindOfTask, syncKind } from './trace-tasks.js';
import { TaskTypes } from '../device-kinds.js';
import { UnreadEvents } from '../../../unread-events.js';

/** A trace whose activities are the rows of the file, in the same order, without the marks of the driver. */
export class DetailsTrace implements Trace {
  readonly diagnostics = new Diagnostics();
  readonly activities = new Activities();
  readonly hostCalls = new HostCalls();
  readonly ranges = new Ranges();
  readonly threads = new ThreadTable();
  readonly header: TraceHeader;
  readonly names: TraceNames;
  readonly #details: KernelDetails;
  readonly #samples = new TextSamples();
  /** Steps whose start on the host is known, by number. */
  readonly #steps = { number: NumericColumn.floats(), start: NumericColumn.floats() };
  readonly #communication: ReadonlyMap<string, CommunicationFacts>;
  readonly #groups: ProcessGroups;
  /** Row of the file for each activity. */
  readonly #rows = NumericColumn.counts();

  /** @throws UserError when required columns are missing */
  constructor(path: string, name: string, folder: string | null, format: string) {
    const clock = KernelDetails.clockOf(path);
    // A slice other than the first was named by the user, and is read alone.
    const table = tableOf(path);
    const isWhole = table !== null && table[0].path === path;
    const paths = isWhole ? filesOf(table, this.diagnostics) : [path];
    const details = KernelDetails.read(paths, clock, this.diagnostics);
    if (details === null) throw new UserError('has no columns with kernel names and times', { where: name });
    this.#details = details;
    const sidecars = new SidecarFiles(folder, this.diagnostics);
    sidecars.addRates(details);
    sidecars.memory(clock, this.#samples);
    this.#communication = sidecars.communication();
    this.#groups = sidecars.groups;
    const facts = this.#addRows(folder);
    if (details.length === 0) this.diagnostics.count('no-device-activity');
    this.#addSteps(sidecars.preparing());
    const starts = [this.activities.start, this.#samples.start, this.#steps.start];
    clock.moveToFirst(starts, [this.activities.end]);
    this.names = {
      ...NO_NAMES,
      kernelName: (row) => details.nameOf(row),
      syncKind: (row) => syncKind(details.taskTypeOf(row) ?? ''),
    };
    const profile = sidecars.profile();
    this.header = {
      format,
      ...profile,
      facts: { ...profile.facts, ...facts },
      startUnixNs: clock.startNs?.toString() ?? null,
      dur: null,
      devices: devicesOf(this.activities.device, coreFacts(details, null)),
    };
  }

  contexts(): KernelContexts {
    return {
      ofKernel: (_, activity) => {
        const step = this.#details.step.at(this.#rows.at(activity));
        return Number.isNaN(step) ? NO_CONTEXT : { ...NO_CONTEXT, step };
      },
    };
  }

  operationOf(activity: number): CollectiveOperation {
    const name = this.#details.nameOf(this.#rows.at(activity));
    return collectiveOperation(
      { name, dataType: null, algorithm: null, count: null },
      this.#groups,
      undefined,
      this.#communication.get(name),
    );
  }

  detailsOf(activity: number): ActivityDetails | null {
    const row = this.#rows.at(activity);
    if (this.#details.isCollective(row)) return timesOf(this.#communication.get(this.#details.nameOf(row)));
    const isKernel = this.activities.kind.at(activity) === KIND_CODE.kernel;
    return isKernel ? this.#details.detailsOf(row, this.#details.taskTypeOf(row)) : null;
  }

  statements(profile: number, isStray: IsStray): Iterable<StatementRecord> {
    return merged(startOf, this.#stepRecords(profile), this.#samples.records(profile, isStray));
  }

  *#stepRecords(profile: number): Generator<StatementRecord> {
    for (let row = 0; row < this.#steps.start.length; row++) {
      const [start, value] = [this.#steps.start.at(row), this.#steps.number.at(row)];
      // The files do not contain the end of the step.
      yield { type: 'sample', profile, start, dur: null, device: null, metric: STEP_METRIC, value, unit: null };
    }
  }

  statementTimes(): readonly NumberColumn[] {
    return [this.#samples.start, this.#steps.start];
  }

  /** @param preparing for each step, ns from its start on the host to its first work on the device */
  #addSteps(preparing: ReadonlyMap<number, number>): void {
    const { step, start } = this.#details;
    const first = new Map<number, number>();
    for (let row = 0; row < this.#details.length; row++) {
      if (start.at(row) < (first.get(step.at(row)) ?? Infinity)) first.set(step.at(row), start.at(row));
    }
    const begins = [...first].flatMap(([number, at]) => {
      const ns = preparing.get(number);
      return ns === undefined ? [] : [{ number, start: at - ns }];
    });
    for (const begin of begins.sort((a, b) => a.start - b.start)) {
      this.#steps.number.push(begin.number);
      this.#steps.start.push(begin.start);
    }
  }

  /** @returns facts that name unknown types of tasks */
  #addRows(folder: string | null): Labels {
    const { activities } = this;
    const details = this.#details;
    const unread = new UnreadEvents();
    countOpArgs(folder, unread);
    const types = new TaskTypes();
    for (let row = 0; row < details.length; row++) {
      const type = details.taskTypeOf(row);
      const name = details.nameOf(row);
      const kind = type === null || details.isCollective(row) ? 'kernel' : kindOfTask(type, name);
      if (kind === null || (kind === 'unknown' && name === '')) {
        unread.count(type ?? '');
        continue;
      }
      if (kind === 'unknown') types.unknown.add(type ?? '');
      const device = details.device.at(row);
      const cells: ActivityRow = {
        start: details.start.at(row),
        end: details.end.at(row),
        device: device >= 0 ? device : 0,
        stream: details.stream.at(row),
        process: 0,
        corr: NaN,
        node: NaN,
      };
      this.#rows.push(row);
      if (details.isCollective(row)) activities.addCollective(cells);
      else if (kind === 'copy') activities.addCopy(cells, 0, NaN, NaN);
      else if (kind === 'set') activities.addSet(cells, NaN, NaN);
      else if (kind === 'sync') activities.addSync(cells, row);
      else {
        activities.addKernel(cells, name === '' ? UNNAMED : row, NaN);
        for (const extent of [NaN, NaN, NaN, details.blocks.at(row), 1, 1]) activities.kernels.extents.push(extent);
      }
    }
    this.threads.process(0, NaN);
    return { ...types.facts(this.diagnostics), ...unread.facts(this.diagnostics) };
  }
}
