/** Records → a trace, and the trace that is expected from the records alone. */
import { ChromeTrace, ProtobufTrace, type TraceText } from '../../src/cli/commands/perfetto/perfetto-chrome.js';
import { entryOf } from '../../src/containers/map-entry.js';
import type { Alignment } from '../../src/prof/perfetto/counters.js';
import { TraceBuilder } from '../../src/prof/perfetto/trace-builder.js';
import { STEP_METRIC, type ProfileLine, type ProfileRecord } from '../../src/record/record.js';
import { shownTrace, type ShownTrace } from './perfetto-trace.js';

export const profile = (fields: Partial<ProfileRecord> = {}): ProfileRecord => ({
  type: 'profile',
  v: 1,
  profile: 0,
  format: 'kineto',
  tool: null,
  file: 'net.json',
  rank: null,
  startUnixNs: null,
  dur: null,
  devices: [],
  ...fields,
});

function written(
  text: TraceText,
  records: Iterable<ProfileLine>,
  alignment: Alignment,
  hasDependencies = false,
): { bytes: Buffer; events: TraceBuilder } {
  const parts: Buffer[] = [];
  const events = new TraceBuilder(
    (event) => {
      text.take(event);
      const ready = text.ready();
      if (ready !== null) parts.push(Buffer.from(ready as string));
    },
    alignment,
    null,
    hasDependencies,
  );
  for (const record of records) events.take(record);
  events.end();
  parts.push(Buffer.from(text.end() as string));
  return { bytes: Buffer.concat(parts), events };
}

export interface Traced {
  readonly shown: ShownTrace;
  readonly events: TraceBuilder;
}

/** The records' trace in Perfetto's format, as its reader shows it: without an error. */
export function traced(records: Iterable<ProfileLine>, alignment: Alignment = 'unix', hasDependencies = false): Traced {
  const { bytes, events } = written(new ProtobufTrace(), records, alignment, hasDependencies);
  return { shown: shownTrace(bytes), events };
}

export interface ChromeEvent {
  readonly name: string;
  readonly cat?: string;
  readonly ph: string;
  readonly pid: number;
  readonly tid?: number;
  readonly ts?: number;
  readonly dur?: number;
  readonly id?: number;
  readonly bp?: string;
  readonly args?: Readonly<Record<string, string | number>>;
}

export interface ChromeFile {
  readonly traceEvents: readonly ChromeEvent[];
  readonly otherData: Readonly<Record<string, string>>;
}

/** The records' trace as Chrome's JSON. */
export const chrome = (records: Iterable<ProfileLine>, alignment: Alignment = 'unix'): ChromeFile =>
  JSON.parse(written(new ChromeTrace(), records, alignment).bytes.toString()) as ChromeFile;

/** Slices of a line that end within others that they start in, as viewers demand. */
export function cutOnes(events: readonly ChromeEvent[]): ChromeEvent[] {
  const lines = new Map<string, ChromeEvent[]>();
  for (const event of events) {
    const line = `${event.pid}/${event.tid ?? ''}`;
    if (event.ph === 'X') entryOf(lines, line, () => []).push(event);
  }
  const ns = (us = 0): number => Math.round(us * 1000);
  return [...lines.values()].flatMap((line) => {
    const open: number[] = [];
    line.sort((a, b) => ns(a.ts) - ns(b.ts) || ns(b.dur) - ns(a.dur));
    return line.filter(({ ts, dur }) => {
      const end = ns(ts) + ns(dur);
      while ((open.at(-1) ?? Infinity) <= ns(ts)) open.pop();
      const isCut = end > (open.at(-1) ?? Infinity);
      open.push(end);
      return isCut;
    });
  });
}

const DEVICE_TYPES = new Set<string>(['kernel', 'copy', 'set', 'sync', 'graph', 'collective']);

export interface Expected {
  /** `category start end` of each slice, in order of text. */
  readonly slices: string[];
  /** `category start` of records without a duration. */
  readonly marks: string[];
  /** `launch start → category start` */
  readonly arrows: string[];
  /** `start value` */
  readonly counters: string[];
}

/** The expected trace of one profile, ns from its start, counted from the records alone. */
export function expectedOf(records: readonly ProfileLine[]): Expected {
  const expected: Expected = { slices: [], marks: [], arrows: [], counters: [] };
  const launches = new Set<string>();
  const add = (category: string, start: number, dur: number | null | undefined): void => {
    if (typeof dur === 'number' && dur >= 0) expected.slices.push(`${category} ${start} ${start + dur}`);
    else expected.marks.push(`${category} ${start}`);
  };
  for (const record of records) {
    // A call that launched something is drawn as the launch of that.
    if (record.type === 'layer' || (record.type === 'range' && (record.launched ?? 0) === 0))
      add(record.type, record.start, record.dur);
    if (record.type === 'notice' || record.type === 'tensor') expected.marks.push(`${record.type} 0`);
    if (record.type === 'sample' && record.start !== null && record.metric !== STEP_METRIC) {
      // Sizes of single allocations are no curve.
      if (record.value !== null && record.metric !== 'op_memory')
        expected.counters.push(`${record.start} ${record.value}`);
      else if (record.text !== undefined) expected.marks.push(`sample ${record.start}`);
    }
    if (!DEVICE_TYPES.has(record.type) || !('stream' in record)) continue;
    add(record.type, record.start, record.dur);
    const { launch, pid, tid, corr } = record;
    if (launch === null || launch === undefined) continue;
    const key = JSON.stringify([pid, tid, corr, launch]);
    if (!launches.has(key)) add('launch', launch.start, launch.dur);
    launches.add(key);
    if (record.start > launch.start) expected.arrows.push(`${launch.start} → ${record.type} ${record.start}`);
  }
  for (const list of Object.values(expected) as string[][]) list.sort();
  return expected;
}

/** The same of a trace, whose times count from `zero`. */
export function foundIn({ events, counters, arrows }: ShownTrace, zero: bigint): Expected {
  const of = (time: bigint): string => String(time - zero);
  const work = events.filter(({ category, name }) => category !== 'profile' && name !== 'whole profile');
  const found = {
    slices: work.filter(({ isMark }) => !isMark).map((one) => `${one.category} ${of(one.start)} ${of(one.end)}`),
    marks: work.filter(({ isMark }) => isMark).map((one) => `${one.category} ${of(one.start)}`),
    arrows: arrows.map(([from, to]) => `${of(from.start)} → ${to.category} ${of(to.start)}`),
    counters: counters.map(({ at, value }) => `${of(at)} ${value}`),
  };
  for (const list of Object.values(found)) list.sort();
  return found;
}
