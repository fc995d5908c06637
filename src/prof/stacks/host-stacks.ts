/** Turns host ranges into the time of ops by call stack, without the time of inner ops, in one pass. */
import { OpenSpans, SelfTimes } from '../../containers/nesting.js';
import { entryOf } from '../../containers/map-entry.js';
import { isLookup, readMarkerText } from '../../record/python/marker-text.js';
import type { ProfileLine, ProfileRecord, RangeKind, RangeRecord } from '../../record/record.js';
import { withoutRanges, type Analysis, type Answer, type RecordTypes } from '../analysis.js';
import { callName, framesOf, type FrameKind } from './frames.js';
import { StackSums, tooManyStacks, type ProfileStacks, type StackOptions } from './stack-sums.js';

/** The parts of a stack that a range adds: an op, whose time is counted, a frame, or the whole call stack. */
interface ReadRange {
  readonly op?: string;
  readonly frame?: string;
  readonly stack?: readonly string[];
}

const opOf = ({ text, stack }: RangeRecord): ReadRange => ({ op: text, ...(stack === undefined ? {} : { stack }) });

/** By kind of range; calls of the device's library, layers, and look-ups of attributes are part of the op around them. */
const READERS: ReadonlyMap<RangeKind, (record: RangeRecord) => ReadRange | null> = new Map([
  ['op', opOf],
  ['annotation', opOf],
  ['frame', ({ text }) => ({ frame: text })],
  ['marker', markerOf],
]);

function markerOf({ text }: RangeRecord): ReadRange | null {
  const { call, stack } = readMarkerText(text);
  if (call !== null) return isLookup(call) ? null : { op: callName(call) };
  return stack === null ? null : { stack };
}

const readRange = (record: RangeRecord): ReadRange | null => READERS.get(record.kind ?? 'annotation')?.(record) ?? null;

/** An op with the ranges that were open around it on its thread. */
interface HostOp {
  readonly record: RangeRecord;
  readonly profile: ProfileRecord | null;
  /** The op's own call stack, else that of the enclosing op, else the enclosing frames. */
  readonly stack: readonly string[];
  /** Names of the enclosing ops, outermost first, then the name of the op itself. */
  readonly ops: readonly string[];
}

interface OpenRange {
  readonly end: number;
  /** Call stack for an op that begins within it. */
  readonly stack: readonly string[];
  readonly ops: readonly string[];
}

/** The open ranges of a thread, and the times of its open ops. */
interface OpenThread {
  readonly open: OpenSpans<OpenRange>;
  readonly times: SelfTimes<HostOp>;
}

export const HOST_FRAME_KINDS: readonly FrameKind<HostOp>[] = [
  { name: 'trace', doc: 'call stack, as in the profile', isOrigin: true, frames: ({ stack }) => stack },
  { name: 'op', doc: 'ops and annotations, outermost first', isOrigin: true, frames: ({ ops }) => ops },
  { name: 'rank', doc: 'rank of the profile', frames: ({ profile }) => [`rank ${profile?.rank ?? 'na'}`] },
  { name: 'profile', doc: 'number of the profile, from 0', frames: ({ record }) => [`profile ${record.profile}`] },
  { name: 'thread', doc: 'thread', frames: ({ record }) => [`thread ${record.tid ?? 'na'}`] },
];

type HostStackOptions = Omit<StackOptions, 'kinds' | 'collectives'> & { readonly kinds: readonly FrameKind<HostOp>[] };

export class HostStacks implements Analysis<readonly ProfileStacks[]> {
  readonly types: RecordTypes = new Set<ProfileLine['type']>(['profile', 'range', 'end']);
  readonly #sums: StackSums;
  readonly #threads = new Map<string, OpenThread>();
  #profile: ProfileRecord | null = null;
  #ops = 0;

  constructor(private readonly options: HostStackOptions) {
    this.#sums = new StackSums(options.apart, options.mostText);
  }

  take(record: ProfileLine): void {
    if (record.type === 'profile') {
      this.#closeAll();
      this.#profile = record;
    } else if (record.type === 'range') this.#begin(record);
  }

  /** @throws UserError when there is no op */
  finish(): Answer<readonly ProfileStacks[]> {
    this.#closeAll();
    if (this.#ops === 0) throw withoutRanges();
    const { others, profiles } = this.#sums;
    const notes = tooManyStacks(others, 'op', '--by op makes fewer');
    return { table: this.#sums.table('CPU time of its ops, without nested ops'), facts: profiles, notes };
  }

  /** Ranges arrive in order of start time, the longer first. */
  #begin(record: RangeRecord): void {
    const { pid, tid, start, dur } = record;
    const range = readRange(record);
    // Ranges without a thread, such as those of a device, do not nest.
    if (!Number.isFinite(start + dur) || tid === null || range === null) return;
    const { open, times } = entryOf(this.#threads, `${pid ?? ''}/${tid}`, () => ({
      open: new OpenSpans<OpenRange>(({ end }) => end),
      times: new SelfTimes<HostOp>((op, self) => this.#add(op, self)),
    }));
    open.close(start);
    const outer = open.last ?? { stack: [], ops: [] };
    const { op: name, frame } = range;
    const end = start + dur;
    const stack = range.stack ?? (frame === undefined ? outer.stack : [...outer.stack, frame]);
    const ops = name === undefined ? outer.ops : [...outer.ops, name];
    open.push({ end, stack, ops }, start);
    if (name !== undefined) times.begin({ record, profile: this.#profile, stack, ops }, start, end);
  }

  #add(op: HostOp, self: number): void {
    this.#ops++;
    if (self <= 0) return;
    const frames = framesOf(op, this.options.kinds).map(this.options.safe);
    this.#sums.of(op.record.profile, op.profile).add(frames, self);
  }

  #closeAll(): void {
    for (const { times } of this.#threads.values()) times.countTo(Infinity);
    this.#threads.clear();
  }
}
