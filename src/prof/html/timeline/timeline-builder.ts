/**
 * Records and annotated kernels → the timeline of a part of a profile. Which part is shown is only known at the end: the
 * buffer keeps as many events as its bound allows, of a given step those near it, of a given time those in it. What is
 * shown is complete: it ends where the first event is left out, and the timeline says how many are.
 */
import { elementAt } from '../../../containers/element.js';
import type { ProfileLine, ProfileRecord, RangeRecord } from '../../../record/record.js';
import { isDeviceActivity, launchOf, type DeviceActivity } from '../../input/device-activity.js';
import { InstructionDependencies } from '../../neuron/instructions/dependencies.js';
import type { PageKernel } from '../page-kernel.js';
import { LaneTable } from './timeline-lanes.js';
import { EVENT_KINDS, type Timeline } from '../page-data.js';
import { eventsInOrder, isLaunch, rowOf, type EventOrder } from './event-order.js';
import { MissedEvents } from './missed-events.js';
import { StepTimes, type StepTime } from '../step-times.js';
import { NO_FACTS } from './fact-table.js';
import type { Annotated } from '../../annotate.js';
import { EVENT_BUFFER_BOUNDS, EventBuffer, type EventBufferBounds } from './event-buffer.js';
import { timedActivity, type TimedActivity } from '../timed-activity.js';
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

/** The chosen span, and how many events of it, and activities of devices among them, the buffer had. */
interface BufferedSpan {
  readonly span: ChosenSpan;
  readonly events: number;
  readonly activities: number;
}

const UNKNOWN_VALUES: KernelValues = { op: null, layer: [], tc: null, flops: null, bytes: null, dtype: null };

const RANGE = EVENT_KINDS.indexOf('range');

export class TimelineBuilder {
  header: ProfileRecord | null = null;
  readonly #buffer: EventBuffer;
  readonly #lanes = new LaneTable();
  readonly #steps = new StepTimes();
  readonly #missed = new MissedEvents();
  readonly #dependencies = new InstructionDependencies();
  /** Start and end of everything. */
  #start = Infinity;
  #end = -Infinity;
  /** Activities of devices, shown or not. */
  #activities = 0;
  /** Whether all events before the given step are dropped already. */
  #isStepReached = false;
  /** 'none' without a span; set when no more records follow. */
  #chosen: BufferedSpan | 'none' | null = null;

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

  /** @param row of which its facts are told; without it there are none */
  addKernel(kernel: PageKernel, row: Annotated | null = null): void {
    const { record } = kernel;
    const found = this.#dependencies.take(record);
    if (this.#addActivity(record, kernel, row) && found.length > 0) this.#buffer.dependencies.add(record.id, found);
  }

  get steps(): readonly StepTime[] {
    return this.#steps.all;
  }

  /** Drops all but the `most` first events of the span. To be called when no more records follow. */
  settle(most: number): void {
    this.#chosen ??= this.#choose();
    if (this.#chosen === 'none') return;
    const { shown } = this.#shown(this.#chosen.span, most);
    const rows = new Set<number>();
    for (const event of shown) rows.add(rowOf(event));
    this.#buffer.keep((row) => rows.has(row));
  }

  #choose(): BufferedSpan | 'none' {
    const span = this.#buffer.rows === 0 ? null : this.#span;
    if (span === null) return 'none';
    const { events } = eventsInOrder(this.#buffer, span);
    return { span, events: events.length, activities: this.#activitiesOf(events) };
  }

  /** The first events of the span, as far as none is missing: notes where the first one is that is left out. */
  #shown(span: ChosenSpan, most: number): { readonly order: EventOrder; readonly shown: Uint32Array } {
    const order = eventsInOrder(this.#buffer, span);
    const { cutAt } = this.#missed;
    const beyond = order.events.findIndex((event) => order.startOf(event) > cutAt);
    const shown = order.events.subarray(0, Math.min(most, beyond === -1 ? Infinity : beyond));
    const next = order.events[shown.length];
    if (next !== undefined) this.#missed.cut(order.startOf(next));
    return { order, shown };
  }

  #activitiesOf(events: Uint32Array): number {
    const kinds = this.#buffer.column('kind');
    return events.reduce((sum, event) => sum + (isLaunch(event) || kinds[rowOf(event)] === RANGE ? 0 : 1), 0);
  }

  /** The timeline; null where there is nothing to show. */
  timeline(most: number): Timeline | null {
    this.settle(most);
    if (this.#chosen === null || this.#chosen === 'none') return null;
    const { span, events, activities } = this.#chosen;
    const missed = this.#missed.within(span);
    if (events === 0 && missed?.events === 0) return null;
    const { order, shown } = this.#shown(span, most);
    const drawn = this.#activitiesOf(shown);
    const leftOut = missed === null ? null : events + missed.events - shown.length;
    const leftOutActivities = missed === null ? null : activities + missed.activities - drawn;
    const outside = leftOutActivities === null ? null : this.#activities - drawn - leftOutActivities;
    return timelineOf({
      ...{ buffer: this.#buffer, lanes: this.#lanes, header: this.header, span, order, shown },
      ...{ leftOut, cutAt: this.#missed.cutAt, activities: { shown: drawn, leftOut: leftOutActivities, outside } },
    });
  }

  /** @returns whether it is in the buffer */
  #addActivity(record: DeviceActivity, values: KernelValues, row: Annotated | null = null): boolean {
    const activity = timedActivity(record);
    if (activity === null) return false;
    this.#steps.addDeviceWork(activity);
    this.#activities++;
    const launch = launchOf(record);
    const { start, dur, kind } = activity;
    const from = Math.min(start, launch?.start ?? start);
    if (!this.#hasRoom(from, start + dur, launch === null ? 1 : 2, 1)) return false;
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
      operands: record.type === 'kernel' ? texts.numberOf(record.operands?.trim()) : 0,
      queue: texts.numberOf(queueOf(record)),
      pc: record.type === 'kernel' ? orUnknown(record.counters?.['pc']) : -1,
      id: record.type === 'kernel' ? record.id : 0,
      flops: orUnknown(values.flops),
      bytes: orUnknown(record.type === 'kernel' ? values.bytes : 'bytes' in record ? record.bytes : null),
      launchStart: launch === null ? NaN : launch.start,
      launchDur: Math.max(0, launch?.dur ?? 0),
      launchLane: launch === null ? 0 : this.#lanes.ofThread(launch.pid, launch.tid),
      launchName: launch === null ? 0 : texts.numberOf(launch.api ?? 'launch'),
      facts: row === null ? NO_FACTS : this.#buffer.facts.numberOf(row),
      seq: orUnknown(record.type === 'kernel' ? record.seq?.[0] : null),
    });
    return true;
  }

  #addRange({ start, dur, pid, tid, text }: RangeRecord): void {
    if (!Number.isFinite(start + dur) || dur < 0 || !this.#hasRoom(start, start + dur, 1, 0)) return;
    this.#buffer.push({
      start,
      dur,
      lane: this.#lanes.ofThread(pid, tid),
      kind: RANGE,
      name: this.#buffer.texts.numberOf(text),
      op: 0,
      layer: 0,
      dtype: 0,
      tc: 0,
      operands: 0,
      queue: 0,
      pc: -1,
      id: 0,
      flops: -1,
      bytes: -1,
      launchStart: NaN,
      launchDur: 0,
      launchLane: 0,
      launchName: 0,
      facts: NO_FACTS,
      seq: -1,
    });
  }

  /**
   * Whether an event might be shown, and the buffer has room for it.
   * @param from start of its launch; of the event itself where that is earlier
   * @param events with its launch
   * @param activities of devices: 1, or 0 for a range
   */
  #hasRoom(from: number, end: number, events: number, activities: number): boolean {
    const { choice } = this;
    if (this.#chosen !== null) {
      const span = this.#chosen === 'none' ? null : this.#chosen.span;
      if (span !== null && from <= span.end && end >= span.start) this.#missed.add(from, events, activities);
      return false;
    }
    this.#start = Math.min(this.#start, from);
    this.#end = Math.max(this.#end, end);
    if (choice.of === 'time' && (from > choice.to || end < choice.from)) return false;
    if (choice.of === 'step' && this.#buffer.isFull) {
      const step = this.#steps.of(choice.step);
      if (step !== null && from > step.end) {
        this.#missed.addAfter(from);
        return false;
      }
      this.#dropBefore(step);
    }
    if (!this.#buffer.isFull) return true;
    if (choice.of === 'step' && !this.#isStepReached) this.#missed.addBefore(end);
    else this.#missed.add(from, events, activities);
    return false;
  }

  /**
   * Before the step has begun drops of the older half of the events those that are over, or all where few are;
   * afterwards, once, those that ended before it.
   */
  #dropBefore(step: StepTime | null): void {
    if (this.#isStepReached) return;
    const [starts, durs] = [this.#buffer.column('start'), this.#buffer.column('dur')];
    const endOf = (row: number): number => elementAt(starts, row) + elementAt(durs, row);
    const half = starts.length >> 1;
    const before = step === null ? elementAt(starts, starts.length - 1) : step.start;
    const lasting = starts.subarray(0, half).filter((_, row) => endOf(row) >= before).length;
    const areFew = 2 * lasting <= half;
    this.#buffer.keep((row) => {
      const isKept = step === null ? row >= half || (areFew && endOf(row) >= before) : endOf(row) >= before;
      if (!isKept) this.#missed.addBefore(endOf(row));
      return isKept;
    });
    this.#isStepReached = step !== null;
  }

  get #span(): ChosenSpan | null {
    const { choice } = this;
    if (choice.of === 'time') {
      const [start, end] = [Math.max(choice.from, this.#start), Math.min(choice.to, this.#end)];
      return { what: `${inMs(start)} to ${inMs(end)} ms`, start, end };
    }
    const step = choice.of === 'step' ? this.#steps.of(choice.step) : this.#steps.median(this.#missed.cutAt);
    if (step !== null) return { what: `step ${step.step}`, start: step.start, end: step.end };
    return choice.of === 'step' ? null : { what: 'all', start: this.#start, end: this.#end };
  }
}

const inMs = (ns: number): number => Math.round(ns / 1000) / 1000;

const orUnknown = (amount: number | null | undefined): number => amount ?? -1;

/** `0 hardware_dynamic`: number of a packet's queue, and what it is for. */
const queueOf = (record: DeviceActivity): string | null =>
  record.type !== 'copy' || record.queue === undefined
    ? null
    : [record.queue, ...(record.queueType === undefined ? [] : [record.queueType])].join(' ');

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
