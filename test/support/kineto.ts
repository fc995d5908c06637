/**
 * Real PyTorch traces of ../shared/data/kineto: their records and rows, each trace read once for all tests, and what
 * their JSON says, read apart from the reader under test.
 */
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { readProfile } from '../../src/parse/profile.js';
import { openInput } from '../../src/parse/source.js';
import type { Annotated } from '../../src/prof/annotate.js';
import type { CopyRecord, KernelRecord, ProfileLine } from '../../src/record/record.js';
import { annotate } from './rows.js';
import { sharedFile } from './shared.js';

/** Traces with device events, by the names of their files. */
export const TRACES = [
  ...['h100_bert_small', 'h100_vit', 'h100_qwen', 'h100_owlv2', 'b200_rank0of8', 'mi300_bert_small'],
  ...['mi300_resnet_training', 'mi300_norm_layers_training', 'mi210_gpu_only', 'mi300_hipgraph_decode'],
  ...['a100_rank3of8_training', 'a100_alexnet_seq', 'a100_nccl_metadata', 'v100_resnet50_2021'],
] as const;

/** A trace of a program that used no device. */
export const CPU_ONLY = 'cpu_only_torch_2_13.pt.trace';

/** What an `itShared` of the trace needs. */
export const fileOf = (trace: string): string => `data/kineto/${trace}.json.gz`;

/** The trace of such a file. */
export const traceOf = (file: string): string => file.slice('data/kineto/'.length, -'.json.gz'.length);

const pathOf = (trace: string): string => sharedFile(fileOf(trace)) ?? '';

const records = new Map<string, Promise<readonly ProfileLine[]>>();
const rows = new Map<string, Promise<readonly Annotated[]>>();

function once<T>(known: Map<string, Promise<T>>, trace: string, make: (trace: string) => Promise<T>): Promise<T> {
  let made = known.get(trace);
  if (made === undefined) known.set(trace, (made = make(trace)));
  return made;
}

async function read(trace: string): Promise<readonly ProfileLine[]> {
  const source = await openInput(pathOf(trace));
  try {
    return [...readProfile(source.path, { profile: 0, name: source.file })];
  } finally {
    source.dispose();
  }
}

/** Records of a trace. */
export const recordsOf = (trace: string): Promise<readonly ProfileLine[]> => once(records, trace, read);

/** Rows of a trace's kernels. */
export const rowsOf = (trace: string): Promise<readonly Annotated[]> =>
  once(rows, trace, async () => annotate(await recordsOf(trace)));

/** A line of the host's formats, whose kernels and copies have every field. */
type Full<T extends ProfileLine['type']> = T extends 'kernel'
  ? KernelRecord
  : T extends 'copy'
    ? CopyRecord
    : Extract<ProfileLine, { type: T }>;

/** Records of one type. */
export const ofType = <T extends ProfileLine['type']>(lines: readonly ProfileLine[], type: T): Full<T>[] =>
  lines.filter((line) => line.type === type) as Full<T>[];

/** An event of a trace's JSON. */
export interface RawEvent {
  readonly ph: string;
  readonly cat?: string;
  readonly name: string;
  readonly pid: number | string;
  readonly tid: number | string;
  readonly ts: number;
  readonly dur?: number;
  readonly id?: number;
  readonly args?: Readonly<Record<string, unknown>>;
}

/** What of a trace's JSON the tests look at. */
export interface RawTrace {
  readonly traceEvents: readonly RawEvent[];
  readonly baseTimeNanoseconds?: number;
}

/** By JSON.parse; where names hold control characters unescaped, these become blanks. */
function parsed(text: string): RawTrace {
  try {
    return JSON.parse(text) as RawTrace;
  } catch {
    return JSON.parse(text.replaceAll(/\p{Cc}/gu, ' ')) as RawTrace;
  }
}

/** Most events of a trace, which no test looks at: frames of Python, allocations, arrows from calls to the device. */
const UNUSED = new Set<unknown>(['python_function', 'cpu_instant_event', 'ac2g', 'async_cpu_to_gpu', 'async']);

const raws = new Map<string, RawTrace>();
/** Events of the traces that are kept; a tenth of a million is some 50 MB. */
const MOST_RAW_EVENTS = 300_000;
const rawEvents = (): number => [...raws.values()].reduce((sum, { traceEvents }) => sum + traceEvents.length, 0);

/** A trace by its JSON, without the events that no test looks at. */
export function rawTraceOf(trace: string): RawTrace {
  let raw = raws.get(trace);
  if (raw === undefined) {
    const whole = parsed(gunzipSync(readFileSync(pathOf(trace))).toString('utf8'));
    raw = { ...whole, traceEvents: whole.traceEvents.filter(({ cat }) => !UNUSED.has(cat)) };
  }
  raws.delete(trace);
  raws.set(trace, raw);
  for (const oldest of raws.keys()) {
    if (oldest === trace || rawEvents() <= MOST_RAW_EVENTS) break;
    raws.delete(oldest);
  }
  return raw;
}

const among =
  (...categories: readonly string[]) =>
  ({ cat = '' }: RawEvent): boolean =>
    categories.includes(cat.toLowerCase());

/** What an event is, whatever the trace's year calls it. */
export const isKernel = among('kernel');
export const isCopy = among('gpu_memcpy', 'memcpy');
export const isSet = among('gpu_memset', 'memset');
export const isSync = among('cuda_sync');
export const isCall = among('cuda_runtime', 'cuda_driver', 'runtime');
export const isOp = among('cpu_op', 'operator');

export const correlationOf = ({ args }: RawEvent): unknown => args?.['correlation'];
export const externalIdOf = ({ args }: RawEvent): unknown => args?.['External id'] ?? args?.['external id'];

/** Unix time of a time in the trace, ns. */
export const unixNs = ({ baseTimeNanoseconds = 0 }: RawTrace, ts: number): bigint =>
  BigInt(baseTimeNanoseconds) + BigInt(Math.floor(ts)) * 1000n + BigInt(Math.round((ts % 1) * 1000));

/** Events by something of theirs; those without it are left out. */
export function groupBy(events: readonly RawEvent[], key: (event: RawEvent) => unknown): Map<unknown, RawEvent[]> {
  const groups = new Map<unknown, RawEvent[]>();
  for (const event of events) {
    const value = key(event);
    if (value === undefined) continue;
    const group = groups.get(value);
    if (group === undefined) groups.set(value, [event]);
    else group.push(event);
  }
  return groups;
}

const threadOf = ({ pid, tid }: RawEvent): string => `${pid} ${tid}`;
const endOf = ({ ts, dur = 0 }: RawEvent): number => ts + dur;

/** The ops around each call, outermost first: those of its thread that began before it and have not ended. */
export function opsAround({ traceEvents }: RawTrace): Map<RawEvent, readonly RawEvent[]> {
  const around = new Map<RawEvent, readonly RawEvent[]>();
  for (const events of groupBy(
    traceEvents.filter((event) => isCall(event) || isOp(event)),
    threadOf,
  ).values()) {
    const open: RawEvent[] = [];
    const ordered = events.toSorted(
      (a, b) => a.ts - b.ts || Number(isCall(a)) - Number(isCall(b)) || endOf(b) - endOf(a),
    );
    for (const event of ordered) {
      // Old traces round to µs: a call may seem to start where its op ends.
      while (open.length > 0 && endOf(open.at(-1) as RawEvent) < event.ts + (isCall(event) ? 0 : 1e-3)) open.pop();
      if (isCall(event)) around.set(event, [...open]);
      else open.push(event);
    }
  }
  return around;
}
