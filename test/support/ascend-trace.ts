/**
 * Small traces of Ascend's profiler for tests, written as it writes them: a list of events, times as strings. Times here
 * are microseconds after a time in 2025.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freshPath } from './fresh-path.js';

type Args = Readonly<Record<string, unknown>>;
type Times = readonly [from: number, to: number];
export type EventText = string;

/** Start of the tests' times, in µs since 1970. */
const EPOCH = 1_736_408_883_000_000n;
/** The program's process, its threads, and the processes that the profiler numbers after it: `pid << 10 | kind << 5`. */
const HOST = 3000;
export const [MAIN, ENGINE, LAUNCHER] = [3000, 3001, 3002];
const own = (kind: number): number => HOST * 1024 + kind * 32;
const PROCESS = { cann: own(7), device: own(13), collectives: own(15), clock: own(14), marks: own(6) } as const;

/** `1736408883000005.250` of 5.25 µs. */
export function timeText(us: number): string {
  const ns = EPOCH * 1000n + BigInt(Math.round(us * 1000));
  return `${ns / 1000n}.${String(ns % 1000n).padStart(3, '0')}`;
}

/** The id of the flow to work that starts at a time: its start in ns. */
const flowId = (us: number): string => timeText(us).replace('.', '');

const event = (fields: Args): EventText => JSON.stringify(fields);
const lasting = (name: string, pid: number, tid: number, from: number, to: number, rest: Args): EventText =>
  event({ ph: 'X', name, pid, tid, ts: timeText(from), dur: Number((to - from).toFixed(3)), ...rest });

export const op = (name: string, from: number, to: number, args: Args = {}, tid = MAIN): EventText =>
  lasting(name, HOST, tid, from, to, { cat: 'cpu_op', args: { 'Sequence number': -1, 'Fwd thread id': 0, ...args } });

export const frame = (name: string, from: number, to: number, tid = MAIN): EventText =>
  lasting(name, HOST, tid, from, to, { cat: 'python_function', args: { 'Python id': 1 } });

/** An entry of the queue: put by a thread of the program, taken by the one that launches. */
export const queued = (entry: number, put: number, taken: number, tid = MAIN): EventText[] => [
  lasting('Enqueue', HOST, tid, put, put + 0.5, { cat: 'enqueue', args: { correlation_id: entry } }),
  lasting('Dequeue@op', HOST, LAUNCHER, taken, taken + 5, { cat: 'dequeue', args: { correlation_id: entry } }),
];

/** A call of the library: `Node@launch`. */
export const call = (name: string, connection: number, from: number, tid = LAUNCHER, pid: number = PROCESS.cann): EventText =>
  lasting(name, pid, tid, from, from + 1, {
    args: { 'Thread Id': tid, level: name.split('@')[0]?.toLowerCase(), connection_id: connection },
  }); // prettier-ignore

/** A task of the device on stream 2. */
export const task = (name: string, type: string, connection: number, from: number, to: number, args: Args = {}): EventText =>
  lasting(name, PROCESS.device, 2, from, to, {
    args: {
      'Task Type': type,
      'Physic Stream Id': 2,
      'Task Id': connection,
      'Batch Id': 0,
      'Subtask Id': 4294967295,
      connection_id: connection,
      ...args,
    },
  }); // prettier-ignore

/** Flow from an op that starts at a time to work that starts at another. */
export const flow = (from: number, to: number, tid = MAIN): EventText[] =>
  (['s', 'f'] as const).map((ph) => {
    const place = ph === 's' ? { pid: HOST, tid, ts: timeText(from) } : { pid: PROCESS.device, tid: 2, ts: timeText(to) };
    const fields = event({ ph, bp: 'e', name: 'torch_to_npu', ...place, cat: 'async_npu' });
    return fields.replace('"bp"', `"id": ${flowId(to)}, "bp"`);
  }); // prettier-ignore

export const collective = (name: string, connection: number, from: number, to: number, args: Args = {}): EventText =>
  lasting(name, PROCESS.collectives, 0, from, to, { args: { connection_id: connection, ...args } });

/** A range of msprof_tx; with times on stream 4 of the device, also there, and a flow from one to the other. */
export function marked(text: string, [from, to]: Times, onDevice?: Times, domain?: string): EventText[] {
  const args = { event_type: 'start/end', ...(domain === undefined ? {} : { domain }) };
  const host = lasting(text, PROCESS.marks, MAIN, from, to, { args });
  if (onDevice === undefined) return [host];
  const id = String(4000000001 + Math.round(from));
  const flows = (['s', 'f'] as const).map((ph) => {
    const place = ph === 's' ? { pid: PROCESS.marks, tid: MAIN, ts: timeText(from) } : { pid: PROCESS.device, tid: 4, ts: timeText(onDevice[0]) }; // prettier-ignore
    return event({ name: `MsTx_${id}`, ph, cat: 'MsTx', id, ...place });
  });
  const device = lasting(text, PROCESS.device, 4, ...onDevice, { args: { 'Physic Stream Id': 4, 'Task Id': 9 } });
  return [host, device, ...flows];
}

export const part = (name: string, plane: number, from: number, link: string): EventText =>
  lasting(name, PROCESS.collectives, plane, from, from + 1, {
    args: { notify_id: '0', 'task type': name, 'stream id': 4, 'task id': 9, 'link type': link },
  });

export const counter = (name: string, at: number, args: Args, pid: number = PROCESS.clock): EventText =>
  event({ name, ts: timeText(at), pid, tid: 0, args, ph: 'C' });

export const processNames: EventText[] = [
  event({ name: 'process_name', pid: PROCESS.device, tid: 0, args: { name: 'Ascend Hardware' }, ph: 'M' }),
  event({ name: 'process_labels', pid: PROCESS.device, tid: 0, args: { labels: 'NPU' }, ph: 'M' }),
];

export const traceText = (events: readonly EventText[]): string => `[${events.join(', ')}]`;

/** Writes a trace and files beside it into a folder of its own. @returns path of the trace */
export function writeProfile(events: readonly EventText[] | string, beside: Readonly<Record<string, string>> = {}): string {
  const folder = freshPath('_ascend_pt');
  const output = join(folder, 'ASCEND_PROFILER_OUTPUT');
  mkdirSync(output, { recursive: true });
  for (const [name, text] of Object.entries(beside)) writeFileSync(join(output, name), text);
  const path = join(output, 'trace_view.json');
  writeFileSync(path, typeof events === 'string' ? events : traceText(events));
  return path;
} // prettier-ignore

/** A csv file: cells as they are, lines ended as the profiler ends them. */
export const csv = (header: readonly string[], ...rows: readonly (readonly unknown[])[]): string =>
  [header, ...rows].map((row) => `${row.join(',')}\r\n`).join('');
