/**
 * Records and rows → the timeline of a part of a profile. What will be shown is not known before the end: the tape keeps
 * as much as it can, of a given step what is near it, of a given time what is in it.
 */
import type { ProfileLine, ProfileRecord, RangeRecord } from '../../record/record.js';
import type { PageKernel } from './page-kernel.js';
import { LaneTable } from './timeline-lanes.js';
import { EVENT_KINDS, type EventKind, type Timeline } from './page-data.js';
import { eventsInOrder, rowOf } from './event-order.js';
import { StepTimes, type StepTime } from './step-times.js';
import { EVENT_BUFFER_BOUNDS, EventBuffer } from './event-buffer.js';
import { isActivity, launchOf, timedActivity, type Activity, type TimedActivity } from './timed-activity.js';
import type { ChosenSpan, TimelineChoice } from './timeline-choice.js';
import { timelineOf } from './timeline-events.js';

/** What a kernel's row tells besides its record. */
type KernelValues = Pick<PageKernel, 'op' | 'layer' | 'tc' | 'dtype' | 'flops' | 'bytes'>;

const UNKNOWN_VALUES: KernelValues = { op: null, layer: [], tc: null, flops: null, bytes: null, dtype: null };

export class TimelineBuilder {
  header: ProfileRecord | null = null;
  readonly #tape: EventBuffer;
  readonly #lanes = new LaneTable();
  readonly #steps = new StepTimes();
  /** Start of the first record that found no place. */
  #fullAt = Infinity;
  /** Start and end of everything. */
  #start = Infinity;
  #end = -Infinity;
  /** Activities and ranges that found no place, by when they started. */
  #missed = 0;
  /** Whether all that came before the given step is given up. */
  #begun = false;
  /** The span and how many events it has, when no record is to come. */
  #chosen: { readonly span: ChosenSpan | null; readonly total: number | null } | null = null;

  constructor(
    private readonly choice: TimelineChoice,
    bounds = EVENT_BUFFER_BOUNDS,
  ) {
    this.#tape = new EventBuffer(bounds);
  }

  /** All but kernels, which come as rows. */
  take(record: ProfileLine): void {
    if (record.type === 'profile') this.header = record;
    this.#steps.addHostWork(record);
    if (record.type === 'range') this.#range(record);
    else if (record.type !== 'kernel' && isActivity(record)) this.#activity(record, UNKNOWN_VALUES);
  }

  kernel(kernel: PageKernel): void {
    this.#activity(kernel.record, kernel);
  }

  /** Steps that the profile tells, in order. */
  get steps(): readonly StepTime[] {
    return this.#steps.all;
  }

  /**
   * Gives up all but the first events of the span: no record is to come any more.
   * @param most events
   */
  settle(most: number): void {
    this.#chosen ??= this.#choose();
    const { span, total } = this.#chosen;
    if (span === null) return;
    const { events } = eventsInOrder(this.#tape, span);
    if (total === null) this.#chosen = { span, total: events.length + (this.#fullAt <= span.end ? this.#missed : 0) };
    const rows = new Set<number>();
    for (const event of events.subarray(0, most)) rows.add(rowOf(event));
    this.#tape.keep((row) => rows.has(row));
  }

  /** The timeline; null where there is nothing to show. */
  timeline(most: number): Timeline | null {
    this.settle(most);
    const { span, total } = this.#chosen ?? { span: null, total: null };
    if (span === null || total === null || total === 0) return null;
    const order = eventsInOrder(this.#tape, span);
    return timelineOf({ tape: this.#tape, lanes: this.#lanes, header: this.header, span, order, total }, most);
  }

  #activity(record: Activity, told: KernelValues): void {
    const found = timedActivity(record);
    if (found === null) return;
    this.#steps.addDeviceWork(found);
    const launch = launchOf(record);
    const { start, dur, kind } = found;
    const from = Math.min(start, launch?.start ?? start);
    if (!this.#hasRoom(from, start, start + dur)) return;
    const { texts } = this.#tape;
    const isCollective = record.type === 'collective';
    // Fields one by one: an object that begins with the fields of another takes many times as long to make.
    this.#tape.push({
      start,
      dur,
      lane: this.#lanes.ofActivity(record),
      kind: EVENT_KINDS.indexOf(kind),
      name: texts.numberOf(nameOf(found)),
      op: texts.numberOf(isCollective ? record.kind : told.op),
      layer: told.layer.length === 0 ? 0 : texts.numberOf(told.layer.join('/')),
      dtype: texts.numberOf(isCollective ? record.dtype : told.dtype),
      tc: told.tc === null ? 0 : texts.numberOf(String(told.tc)),
      id: record.type === 'kernel' ? record.id : 0,
      flops: told.flops ?? -1,
      bytes: (record.type === 'kernel' ? told.bytes : 'bytes' in record ? record.bytes : null) ?? -1,
      launchStart: launch?.start ?? NaN,
      launchDur: launch?.dur ?? 0,
      launchLane: launch === null ? 0 : this.#lanes.ofThread(launch.pid, launch.tid),
      launchName: launch === null ? 0 : texts.numberOf(launch.api ?? 'launch'),
    });
  }

  #range({ start, dur, pid, tid, text }: RangeRecord): void {
    if (!Number.isFinite(start + dur) || dur < 0 || !this.#hasRoom(start, start, start + dur)) return;
    this.#tape.push({
      start,
      dur,
      lane: this.#lanes.ofThread(pid, tid),
      kind: EVENT_KINDS.indexOf('range'),
      name: this.#tape.texts.numberOf(text),
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
   * Whether something of a time can be kept, and might be shown.
   * @param from start of its launch
   */
  #hasRoom(from: number, start: number, end: number): boolean {
    const { choice } = this;
    if (this.#chosen !== null) return false;
    this.#start = Math.min(this.#start, from);
    this.#end = Math.max(this.#end, end);
    if (choice.of === 'time' && (from > choice.to || end < choice.from)) return false;
    if (choice.of === 'step' && this.#tape.isFull) {
      const step = this.#steps.of(choice.step);
      if (step !== null && from > step.end) return false;
      this.#forget(step);
    }
    if (!this.#tape.isFull) return true;
    this.#fullAt = Math.min(this.#fullAt, start);
    this.#missed++;
    return false;
  }

  /** Of what comes before a step only the newest can be part of it, and once it has begun, what lasts until then. */
  #forget(step: StepTime | null): void {
    if (this.#begun) return;
    const { rows } = this.#tape;
    if (step === null) this.#tape.keep((row) => row >= rows >> 1);
    else {
      const [starts, durs] = [this.#tape.column('start'), this.#tape.column('dur')];
      this.#tape.keep((row) => (starts[row] ?? 0) + (durs[row] ?? 0) >= step.start);
      this.#begun = true;
    }
  }

  #choose(): { readonly span: ChosenSpan | null; readonly total: null } {
    return { span: this.#tape.rows === 0 ? null : this.#span, total: null };
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

const OTHER_NAMES: Readonly<Partial<Record<EventKind, string>>> = { set: 'set', sync: 'sync', copy: 'copy' };

function nameOf({ record, kind }: TimedActivity): string {
  switch (record.type) {
    case 'kernel':
      return record.name;
    case 'collective':
      return record.name;
    case 'graph':
      return record.graphId === null ? 'graph' : `graph ${record.graphId}`;
    case 'copy':
      return record.kind === null ? 'copy' : `copy ${record.kind}`;
    case 'sync':
      return record.kind ?? 'sync';
    default:
      return OTHER_NAMES[kind] ?? kind;
  }
}
