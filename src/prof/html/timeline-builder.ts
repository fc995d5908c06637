/**
 * Records and annotated kernels → the timeline of a part of a profile. Which part is shown is only known at the end: the
 * buffer keeps as many events as its bound allows, of a given step those near it, of a given time those in it.
 */
import { elementAt } from '../../containers/element.js';
import type { ProfileLine, ProfileRecord, RangeRecord } from '../../record/record.js';
import { isDeviceActivity, launchOf, type DeviceActivity } from '../device-activity.js';
import type { PageKernel } from './page-kernel.js';
import { LaneTable } from './timeline-lanes.js';
import { EVENT_KINDS, type Timeline } from './page-data.js';
import { eventsInOrder, rowOf } from './event-order.js';
import { StepTimes, type StepTime } from './step-times.js';
import { EVENT_BUFFER_BOUNDS, EventBuffer, type EventBufferBounds } from './event-buffer.js';
import { timedActivity, type TimedActivity } from './timed-activity.js';
import { timelineOf, type ChosenSpan } from './timeline-events.js';

/**
 * Which part of a profile its timeline shows. `usual`: the step of median length, or everything where the profile has no
 * steps. ns from the profile's start.
 */
export type TimelineChoice =
  | { readonly of: 'usual' }
  | { readonly of: 'step'; readonly step: number }
  | { readonly of: 'time'; readonly from: number; readonly to: number };

type KernelValues = Pick<PageKernel, 'op' | 'layer' | 'tc' | 'dtype' | 'flops' | 'bytes'>;

const UNKNOWN_VALUES: KernelValues = { op: null, layer: [], tc: null, flops: null, bytes: null, dtype: null };

export class TimelineBuilder {
  header: ProfileRecord | null = null;
  readonly #buffer: EventBuffer;
  readonly #lanes = new LaneTable();
  readonly #steps = new StepTimes();
  /** Start of the earliest record that was dropped because the buffer was full. */
  #fullAt = Infinity;
  /** Start and end of everything. */
  #start = Infinity;
  #end = -Infinity;
  /** Activities and ranges that were dropped because the buffer was full. */
  #dropped = 0;
  /** Whether all events before the given step are dropped already. */
  #isStepReached = false;
  /** The span, null for none, and how many events it has; set when no more records follow. */
  #chosen: { readonly span: ChosenSpan | null; readonly total: number | null } | null = null;

  constructor(
    private readonly choice: TimelineChoice,
    bounds: EventBufferBounds = EVENT_BUFFER_BOUNDS,
  ) {
    this.#buffer = new EventBuffer(bounds);
  }

  /** Any record; kernels are added by `addKernel` once they are annotated. */
  take(record: ProfileLine): void {
    if (record.type === 'profile') this.header = record;
    this.#steps.addHostWork(record);
    if (record.type === 'range') this.#addRange(record);
    else if (record.type !== 'kernel' && isDeviceActivity(record)) this.#addActivity(record, UNKNOWN_VALUES);
  }

  addKernel(kernel: PageKernel): void {
    this.#addActivity(kernel.record, kernel);
  }

  get steps(): readonly StepTime[] {
    return this.#steps.all;
  }

  /** Drops all but the `most` first events of the span. To be called when no more records follow. */
  settle(most: number): void {
    this.#chosen ??= { span: this.#buffer.rows === 0 ? null : this.#span, total: null };
    const { span, total } = this.#chosen;
    if (span === null) return;
    const { events } = eventsInOrder(this.#buffer, span);
    if (total === null) this.#chosen = { span, total: events.length + (this.#fullAt <= span.end ? this.#dropped : 0) };
    const rows = new Set<number>();
    for (const event of events.subarray(0, most)) rows.add(rowOf(event));
    this.#buffer.keep((row) => rows.has(row));
  }

  /** The timeline; null where there is nothing to show. */
  timeline(most: number): Timeline | null {
    this.settle(most);
    const { span, total } = this.#chosen ?? { span: null, total: null };
    if (span === null || total === null || total === 0) return null;
    const order = eventsInOrder(this.#buffer, span);
    return timelineOf({ buffer: this.#buffer, lanes: this.#lanes, header: this.header, span, order, total }, most);
  }

  #addActivity(record: DeviceActivity, values: KernelValues): void {
    const activity = timedActivity(record);
    if (activity === null) return;
    this.#steps.addDeviceWork(activity);
    const launch = launchOf(record);
    const { start, dur, kind } = activity;
    const from = Math.min(start, launch?.start ?? start);
    if (!this.#hasRoom(from, start, start + dur)) return;
    const { texts } = this.#buffer;
    const isCollective = record.type === 'collective';
    // Fields one by one: spreading another object into this one takes many times as long.
    this.#buffer.push({
      start,
      dur,
      lane: this.#lanes.ofActivity(record),
      kind: EVENT_KINDS.indexOf(kind),
      name: texts.numberOf(nameOf(activity)),
      op: texts.numberOf(isCollective ? record.kind : values.op),
      layer: values.layer.length === 0 ? 0 : texts.numberOf(values.layer.join('/')),
      dtype: texts.numberOf(isCollective ? record.dtype : values.dtype),
      tc: values.tc === null ? 0 : texts.numberOf(String(values.tc)),
      id: record.type === 'kernel' ? record.id : 0,
      flops: orUnknown(values.flops),
      bytes: orUnknown(record.type === 'kernel' ? values.bytes : 'bytes' in record ? record.bytes : null),
      launchStart: launch === null ? NaN : launch.start,
      launchDur: Math.max(0, launch?.dur ?? 0),
      launchLane: launch === null ? 0 : this.#lanes.ofThread(launch.pid, launch.tid),
      launchName: launch === null ? 0 : texts.numberOf(launch.api ?? 'launch'),
    });
  }

  #addRange({ start, dur, pid, tid, text }: RangeRecord): void {
    if (!Number.isFinite(start + dur) || dur < 0 || !this.#hasRoom(start, start, start + dur)) return;
    this.#buffer.push({
      start,
      dur,
      lane: this.#lanes.ofThread(pid, tid),
      kind: EVENT_KINDS.indexOf('range'),
      name: this.#buffer.texts.numberOf(text),
      op: 0,
      layer: 0,
      dtype: 0,
      tc: 0,
      id: 0,
      flops: -1,
      bytes: -1,
      launchStart: NaN,
      launchDur: 0,
      launchLane: 0,
      launchName: 0,
    });
  }

  /**
   * Whether an event might be shown, and the buffer has room for it.
   * @param from start of its launch; of the event itself where that is earlier
   */
  #hasRoom(from: number, start: number, end: number): boolean {
    const { choice } = this;
    if (this.#chosen !== null) return false;
    this.#start = Math.min(this.#start, from);
    this.#end = Math.max(this.#end, end);
    if (choice.of === 'time' && (from > choice.to || end < choice.from)) return false;
    if (choice.of === 'step' && this.#buffer.isFull) {
      const step = this.#steps.of(choice.step);
      if (step !== null && from > step.end) return false;
      this.#dropBefore(step);
    }
    if (!this.#buffer.isFull) return true;
    this.#fullAt = Math.min(this.#fullAt, start);
    this.#dropped++;
    return false;
  }

  /** Before the step has begun drops the older half of the events; afterwards, once, those that ended before it. */
  #dropBefore(step: StepTime | null): void {
    if (this.#isStepReached) return;
    const { rows } = this.#buffer;
    if (step === null) this.#buffer.keep((row) => row >= rows >> 1);
    else {
      const [starts, durs] = [this.#buffer.column('start'), this.#buffer.column('dur')];
      this.#buffer.keep((row) => elementAt(starts, row) + elementAt(durs, row) >= step.start);
      this.#isStepReached = true;
    }
  }

  get #span(): ChosenSpan | null {
    const { choice } = this;
    if (choice.of === 'time') {
      const [start, end] = [Math.max(choice.from, this.#start), Math.min(choice.to, this.#end)];
      return { what: `${inMs(start)} to ${inMs(end)} ms`, start, end };
    }
    const step = choice.of === 'step' ? this.#steps.of(choice.step) : this.#steps.median(this.#fullAt);
    if (step !== null) return { what: `step ${step.step}`, start: step.start, end: step.end };
    return choice.of === 'step' ? null : { what: 'all', start: this.#start, end: this.#end };
  }
}

const inMs = (ns: number): number => Math.round(ns / 1000) / 1000;

const orUnknown = (amount: number | null | undefined): number => amount ?? -1;

/** The event's title: a kernel's full name, 'copy HtoD', 'graph 3' … */
function nameOf({ record, kind }: TimedActivity): string {
  switch (record.type) {
    case 'kernel':
    case 'collective':
      return record.name;
    case 'graph':
      return record.graphId === null ? 'graph' : `graph ${record.graphId}`;
    case 'copy':
      return record.kind === null ? 'copy' : `copy ${record.kind}`;
    case 'sync':
      return record.kind ?? 'sync';
    case 'set':
      return kind;
  }
}
