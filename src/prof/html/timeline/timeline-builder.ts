/**
 * Turns records and annotated kernels into the timeline of a profile in pieces. A buffer keeps as many events as its
 * limit allows: the events near the requested step, the events in the requested time, or otherwise the first events. In
 * addition, all events are merged into bars, so that the whole profile is shown whatever its size. A piece that is held
 * has all its events.
 */
import { elementAt } from '../../../containers/element.js';
import type { ProfileLine, ProfileRecord, RangeRecord } from '../../../record/record.js';
import {
  CallsSeen,
  isDeviceActivity,
  launchOf,
  type DeviceActivity,
  type LaunchCall,
} from '../../input/device-activity.js';
import type { PathRange } from '../../critical-path/critical-path.js';
import type { IdleGap } from '../../advise/idle/host-gaps.js';
import { InstructionDependencies } from '../../neuron/instructions/dependencies.js';
import type { PageKernel } from '../page-kernel.js';
import { LaneTable } from './timeline-lanes.js';
import {
  DIRECTIONS,
  EVENT_KINDS,
  GAP_CAUSES,
  type PackedTimeline,
  type PageTimeline,
  type TimelineTables,
  type TimelineBounds,
  type TimelineChoice,
} from './timeline-data.js';
import { BarBuffer } from './bar-buffer.js';
import { CompleteTime, heldPieces, namesOf, piecesOf, wholePiece, type CutPiece, type PieceBounds } from './pieces.js';
import { eventsInOrder, eventsOfSpans, rowOf, type EventOrder, type TimeSpan } from './event-order.js';
import { StepTimes, type StepTime } from '../step-times.js';
import { FactTable, NO_FACTS } from './fact-table.js';
import type { Annotated } from '../../annotate.js';
import { EVENT_BUFFER_BOUNDS, EventBuffer, type BufferedEvent, type EventBufferBounds } from './event-buffer.js';
import { copyTitle, queueOf, tableNames, ShortNames, RangeTitles, type EventNames } from './names/event-names.js';
import type { TextTable } from './column-packing.js';
import { timedActivity, type TimedActivity } from '../timed-activity.js';
import { PiecePacker } from './timeline-events.js';
import { MarkTable } from './timeline-marks.js';
import { TensorUtilisation } from './tensor-utilisation.js';
import { TrackTable } from './timeline-tracks.js';

/**
 * A timeline, and the contents of its elements in the page: the tables first, then the pieces; null for pieces that are not
 * held.
 */
export interface BuiltTimeline {
  readonly about: Omit<PageTimeline, 'lacks'>;
  readonly names: EventNames;
  readonly tables: TimelineTables;
  readonly pieces: readonly (PackedTimeline | null)[];
}

/** Maximum number of events of a piece. More events would not be drawn smoothly. */
const MOST_OF_PIECE = 200_000;

type KernelValues = Pick<PageKernel, 'op' | 'layer' | 'category' | 'tc' | 'dtype' | 'flops' | 'bytes'>;

const UNKNOWN_VALUES: KernelValues = {
  op: null,
  layer: [],
  category: null,
  tc: null,
  flops: null,
  bytes: null,
  dtype: null,
};

const [LAUNCH, WAIT] = [EVENT_KINDS.indexOf('launch'), EVENT_KINDS.indexOf('wait')];

export class TimelineBuilder {
  header: ProfileRecord | null = null;
  readonly #buffer: EventBuffer;
  readonly #bars: BarBuffer;
  readonly #lanes = new LaneTable();
  readonly #facts = new FactTable();
  readonly #shortNames = new ShortNames();
  readonly #rangeTitles = new RangeTitles();
  readonly #steps = new StepTimes();
  readonly #tracks = new TrackTable();
  readonly #utilisation = new TensorUtilisation((sample) => this.#tracks.take(sample));
  readonly #marks = new MarkTable();
  readonly #complete = new CompleteTime();
  readonly #dependencies = new InstructionDependencies();
  readonly #calls = new CallsSeen();
  /** The column `gap` of the work that ended a gap. */
  readonly #gaps = new WeakMap<object, number>();
  /** Start and end of everything. */
  #start = Infinity;
  #end = -Infinity;
  /** Whether all events before the given step were already dropped. */
  #isStepReached = false;
  /** Whether something runs in the selected time. */
  #isTimeMet = false;
  /** Number of parts of the critical path that were added. */
  #pathParts = 0;
  /** Set after the last record. */
  #pieces: readonly CutPiece[] | null = null;
  /** The median step, which is known after the last record. */
  #usual: StepTime | null = null;

  constructor(
    private readonly choice: TimelineChoice,
    { bars }: Pick<TimelineBounds, 'bars'>,
    buffer: EventBufferBounds = EVENT_BUFFER_BOUNDS,
    /** In order of start. */
    private readonly path: readonly PathRange[] = [],
  ) {
    this.#buffer = new EventBuffer(buffer);
    this.#bars = new BarBuffer(bars);
    if (choice.of !== 'time') return;
    this.#complete.missBefore(choice.from);
    this.#complete.missFrom(choice.to);
  }

  /** Takes any record; kernels are added with `addKernel` when they are annotated. */
  take(record: ProfileLine): void {
    if (record.type === 'profile') this.header = record;
    this.#steps.addHostWork(record);
    this.#marks.take(record);
    if (record.type === 'sample') this.#tracks.take(record);
    else if (record.type === 'range') this.#addRange(record);
    else if (record.type !== 'kernel' && isDeviceActivity(record)) this.#addActivity(record, UNKNOWN_VALUES);
  }

  /** @param row the row from which the event's facts are made; null for no facts */
  addKernel(kernel: PageKernel, row: Annotated | null = null): void {
    const { record } = kernel;
    this.#shortNames.take(record);
    this.#utilisation.take(record, this.header);
    const found = this.#dependencies.take(record);
    if (this.#addActivity(record, kernel, row) && found.length > 0) this.#buffer.dependencies.add(record.id, found);
  }

  /** Takes a gap before the work that ended it is added. */
  gap({ gap, cause }: IdleGap): void {
    this.#gaps.set(gap.after, 1 + GAP_CAUSES.indexOf(cause));
  }

  get steps(): readonly StepTime[] {
    return this.#steps.all;
  }

  /** Whether the selected step exists, or something runs in the selected time. */
  get isMet(): boolean {
    const { choice } = this;
    return choice.of === 'usual' || (choice.of === 'step' ? this.#steps.of(choice.step) !== null : this.#isTimeMet);
  }

  /** Drops events and points beyond the limits; events are dropped piece by piece. Must be called after the last record. */
  settle(bounds: TimelineBounds): void {
    this.#settled(bounds);
  }

  /** @returns the order of the events; null when some may have been dropped */
  #settled({ events, trackPoints }: TimelineBounds): EventOrder | null {
    this.#addPath(Infinity);
    this.#facts.forget();
    this.#utilisation.finish();
    this.#tracks.settle(trackPoints);
    const order = eventsInOrder(this.#buffer);
    return this.#hold(order, events) ? order : null;
  }

  /** @returns whether every piece is held */
  #hold(order: EventOrder, most: number): boolean {
    const before =
      this.#pieces ??
      this.#allPieces(order).map((uncut) => ({ of: uncut, start: uncut.start, end: uncut.end, events: 0 }));
    const pieces = heldPieces(before, order, this.#pieceBounds(most));
    this.#pieces = pieces;
    const isAll = pieces.every(({ events }) => events !== null);
    if (!isAll) this.#keepOnly(pieces, order);
    return isAll;
  }

  #allPieces(order: EventOrder): readonly CutPiece['of'][] {
    const { choice } = this;
    const all = { start: this.#start, end: this.#end };
    if (this.#start > this.#end) return [];
    this.#usual = this.#steps.median(this.#complete.to);
    if (choice.of !== 'time') return piecesOf(this.#steps.all, all, order);
    const [start, end] = [Math.max(choice.from, this.#start), Math.min(choice.to, this.#end)];
    return [
      ...(start > all.start ? [wholePiece(`before ${inMs(start)} ms`, { start: all.start, end: start })] : []),
      ...(start <= end ? [wholePiece(`${inMs(start)} to ${inMs(end)} ms`, { start, end })] : []),
      ...(end < all.end ? [wholePiece(`after ${inMs(end)} ms`, { start: end, end: all.end })] : []),
    ];
  }

  #pieceBounds(most: number): PieceBounds {
    const { choice } = this;
    const step = choice.of === 'step' ? choice.step : (this.#usual?.step ?? NaN);
    const from = choice.of === 'time' ? Math.max(choice.from, this.#start) : NaN;
    const isFirst: PieceBounds['isFirst'] = ({ steps, start }) =>
      choice.of === 'time' ? start === from : steps !== null && steps[0] <= step && step <= steps[1];
    return { complete: this.#complete, part: Math.min(MOST_OF_PIECE, most), all: most, isFirst };
  }

  #keepOnly(pieces: readonly CutPiece[], order: EventOrder): void {
    const rows = new Uint8Array(this.#buffer.rows);
    const held = pieces.filter(({ events }) => events !== null);
    for (const events of eventsOfSpans(order, held)) for (const event of events) rows[rowOf(event)] = 1;
    if (rows.includes(0)) this.#buffer.keep((row) => rows[row] === 1);
  }

  /**
   * The timeline; null when nothing has a time.
   * @param bounds limits, at most those of the constructor
   */
  timeline(bounds: TimelineBounds): BuiltTimeline | null {
    if (this.#start > this.#end) return null;
    const order = this.#settled(bounds) ?? eventsInOrder(this.#buffer);
    const isAll = this.#hold(order, bounds.events);
    const pieces = this.#pieces ?? [];
    const all = { start: this.#start, end: this.#end };
    const room = bounds.events - pieces.reduce((sum, { events }) => sum + (events ?? 0), 0);
    const [only] = pieces;
    // A piece that covers all the time is the whole profile.
    const isOne = isAll && pieces.length === 1 && only?.start === all.start && only.end === all.end;
    const isWhole = isOne || (isAll && order.events.length <= Math.min(MOST_OF_PIECE, room));
    const packer = new PiecePacker(this.#lanes, this.#facts, this.header, this.#shortNames);
    const whole = isWhole
      ? packer.pack(this.#buffer, order, { what: WHOLE, ...all, shown: order.events })
      : this.#wholeOfBars(packer, all, bounds.bars);
    const { longest } = packer;
    const names = namesOf(pieces);
    const parts = isOne ? [] : pieces.map((piece, i) => ({ ...piece, what: elementAt(names, i) }));
    const held = parts.filter(({ events }) => events !== null);
    const shown = new Map(eventsOfSpans(order, held).map((events, i) => [held[i], events]));
    const packed = parts.map((part) => {
      const events = shown.get(part);
      return events === undefined ? null : packer.pack(this.#buffer, order, { ...part, shown: events });
    });
    const about = parts.map(({ what, start, end, events, of: uncut }) => {
      const isAllOfStep = uncut.took !== undefined && start === uncut.start && end === uncut.end;
      const steps = uncut.steps === null ? {} : { steps: uncut.steps };
      return { name: what, start, end, events, ...steps, ...(isAllOfStep ? { took: uncut.took } : {}) };
    });
    const { isFirst } = this.#pieceBounds(bounds.events);
    const heldFirst = parts.findIndex(({ of: uncut, events }) => events !== null && isFirst(uncut));
    const chosen = 1 + (heldFirst === -1 ? parts.findIndex(({ of: uncut }) => isFirst(uncut)) : heldFirst);
    const first = this.choice.of === 'usual' ? 0 : chosen;
    return {
      about: {
        pieces: [
          { name: WHOLE, ...all, events: whole.events, ...((whole.merged?.resolution ?? 0) === 0 ? {} : MERGED) },
          ...about,
        ],
        first,
        longest,
      },
      names: packer.names,
      tables: {
        ...packer.tables,
        tracks: this.#tracks.tracks(this.header, bounds.trackPoints),
        marks: this.#marks.marks(this.#steps.all),
      },
      pieces: [whole, ...packed],
    };
  }

  #wholeOfBars(packer: PiecePacker, all: TimeSpan, most: number): PackedTimeline {
    const bars = this.#bars;
    bars.reduce(most);
    const order = eventsInOrder(bars.buffer);
    const { resolution, counts, times } = bars;
    return packer.pack(bars.buffer, order, { what: WHOLE, ...all, shown: order.events }, { resolution, counts, times });
  }

  /** @returns whether it is in the buffer */
  #addActivity(record: DeviceActivity, values: KernelValues, row: Annotated | null = null): boolean {
    const activity = timedActivity(record);
    if (activity === null) return false;
    this.#steps.addDeviceWork(activity);
    const launch = launchOf(record);
    const { start, dur, kind } = activity;
    this.#addPath(start);
    const lane = this.#lanes.ofActivity(record);
    const isCollective = record.type === 'collective';
    const gap = this.#gaps.get(record) ?? 0;
    // Bars have the launch as a separate event.
    const describe = (texts: TextTable, caller: typeof launch, facts: number): BufferedEvent => ({
      start,
      dur,
      lane,
      kind: EVENT_KINDS.indexOf(kind),
      name: texts.numberOf(nameOf(activity)),
      op: texts.numberOf(isCollective ? record.kind : values.op),
      layer: values.layer.length === 0 ? 0 : texts.numberOf(values.layer.join('/')),
      about: {
        category: texts.numberOf(values.category),
        dtype: texts.numberOf(isCollective ? record.dtype : values.dtype),
        tc: values.tc === null ? 0 : texts.numberOf(String(values.tc)),
        operands: record.type === 'kernel' ? texts.numberOf(record.operands?.trim()) : 0,
        queue: texts.numberOf(queueOf(record)),
        pc: record.type === 'kernel' ? orUnknown(record.counters?.['pc']) : -1,
        id: record.type === 'kernel' ? record.id : 0,
        flops: orUnknown(values.flops),
        bytes: orUnknown(record.type === 'kernel' ? values.bytes : 'bytes' in record ? record.bytes : null),
        launchStart: caller === null ? NaN : caller.start,
        launchDur: Math.max(0, caller?.dur ?? 0),
        launchLane: caller === null ? 0 : this.#lanes.ofThread(caller.pid, caller.tid),
        launchName: caller === null ? 0 : texts.numberOf(caller.api ?? 'launch'),
        facts,
        seq: orUnknown(record.type === 'kernel' ? record.seq?.[0] : null),
        dir: record.type === 'kernel' ? DIRECTIONS.indexOf(record.dir ?? null) : 0,
        gap,
        step: record.type === 'kernel' ? oneMore(record.step) : 0,
        corr: 'corr' in record ? oneMore(record.corr) : 0,
      },
    });
    this.#bars.take({ lane, isLaunch: false, start, dur, describe: (texts) => describe(texts, null, NO_FACTS) });
    if (launch !== null) this.#addCall(launch, kind === 'wait' ? WAIT : LAUNCH);
    if (!this.#hasRoom(Math.min(start, launch?.start ?? start), start + dur)) return false;
    const facts = this.#facts.numberFor(record, row);
    this.#buffer.push(describe(this.#buffer.texts, launch, facts));
    return true;
  }

  /** Adds the call that launched an activity, unless it was added for another activity. */
  #addCall(call: LaunchCall, kind: number): void {
    const { api, start, dur, pid, tid } = call;
    const lane = this.#lanes.ofThread(pid, tid);
    if (!this.#calls.isNew(call)) return;
    const lasts = Math.max(0, dur ?? 0);
    const describe = (texts: TextTable): BufferedEvent => ({
      start,
      dur: lasts,
      lane,
      kind,
      name: texts.numberOf(api ?? 'launch'),
      op: 0,
      layer: 0,
      about: null,
    });
    this.#bars.take({ lane, isLaunch: true, start, dur: lasts, describe });
  }

  #addRange(record: RangeRecord): void {
    const { start, dur, pid, tid } = record;
    if (!Number.isFinite(start + dur) || dur < 0) return;
    this.#addPath(start);
    const { kind, name, apart } = this.#rangeTitles.of(record);
    this.#addBar(start, dur, this.#lanes.ofThread(pid, tid, apart), (texts) => {
      const { op, layer } = tableNames(record);
      const [named, inLayer] = [texts.numberOf(op), texts.numberOf(layer)];
      return { kind: EVENT_KINDS.indexOf(kind), name: texts.numberOf(name), op: named, layer: inLayer };
    });
  }

  /** Adds the parts of the critical path that begin up to a time, so that they come in order with other events. */
  #addPath(until: number): void {
    for (let next = this.path[this.#pathParts]; next !== undefined && next.start <= until;) {
      const { start, dur, text } = next;
      next = this.path[++this.#pathParts];
      this.#addBar(start, dur, this.#lanes.path, (texts) => ({
        ...{ kind: EVENT_KINDS.indexOf('path'), name: texts.numberOf(text), op: 0, layer: 0 },
      }));
    }
  }

  #addBar(
    start: number,
    dur: number,
    lane: number,
    titles: (texts: TextTable) => Pick<BufferedEvent, 'kind' | 'name' | 'op' | 'layer'>,
  ): void {
    const describe = (texts: TextTable): BufferedEvent => ({ start, dur, lane, ...titles(texts), about: null });
    this.#bars.take({ lane, isLaunch: false, start, dur, describe });
    if (this.#hasRoom(start, start + dur)) this.#buffer.push(describe(this.#buffer.texts));
  }

  /**
   * Whether an event might be shown, and the buffer has room for it.
   * @param from start of its launch, or of the event itself if that is earlier
   */
  #hasRoom(from: number, end: number): boolean {
    const { choice } = this;
    this.#start = Math.min(this.#start, from);
    this.#end = Math.max(this.#end, end);
    if (choice.of === 'time') {
      if (from > choice.to || end < choice.from) return false;
      this.#isTimeMet = true;
    }
    if (this.#pieces !== null) {
      this.#complete.missFrom(from);
      return false;
    }
    if (choice.of === 'step' && this.#buffer.isFull) {
      const step = this.#steps.of(choice.step);
      if (step === null || from <= step.end) this.#dropBefore(step);
    }
    if (!this.#buffer.isFull) return true;
    if (choice.of === 'step' && !this.#isStepReached) this.#complete.missBefore(end);
    else this.#complete.missFrom(from);
    return false;
  }

  /**
   * Before the step has begun, drops the events of the older half that have ended, or the whole half if few have ended.
   * Afterwards, drops once the events that ended before the step.
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
      if (!isKept) this.#complete.missBefore(endOf(row));
      return isKept;
    });
    this.#isStepReached = step !== null;
  }
}

const WHOLE = 'whole profile';
const MERGED = { isMerged: true } as const;

const inMs = (ns: number): number => Math.round(ns / 1000) / 1000;

/** Shifts numbers from 0 to numbers from 1, because 0 stands for unknown. */
const oneMore = (number: number | null | undefined): number =>
  typeof number === 'number' && number >= 0 ? number + 1 : 0;

const orUnknown = (amount: number | null | undefined): number => amount ?? -1;

/** Title of an event: a kernel's full name, 'copy HtoD', 'graph 3' … */
function nameOf({ record, kind }: TimedActivity): string {
  switch (record.type) {
    case 'kernel':
    case 'collective':
      return record.name;
    case 'graph':
      return record.graphId === null ? 'graph' : `graph ${record.graphId}`;
    case 'copy':
      return copyTitle(record);
    case 'sync':
      return `wait: ${record.launch?.api ?? record.kind ?? 'call unknown'}`;
    case 'set':
      return kind;
  }
}
