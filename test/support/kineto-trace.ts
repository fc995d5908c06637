/**
 * Small PyTorch traces for tests: events in few words, written as PyTorch writes them, and read back as records. Times
 * are microseconds; a string is written as it is (`'17.123'`).
 */
import { completeKernel } from '../../src/record/fields/record-fields.js';
import { writeFileSync } from 'node:fs';
import type { EndRecord, KernelRecord, ProfileLine } from '../../src/record/record.js';
import type { ProfileOptions } from '../../src/parse/profile.js';
import { freshPath } from './fresh-path.js';
import { recordsOf } from './profile-records.js';

type Time = number | string;
type Args = Readonly<Record<string, unknown>>;

/** Text of one event. */
export type EventText = string;

/** Thread of the program, and one of the autograd engine, in process 10. */
export const [MAIN, ENGINE] = [100, 200];
const PROCESS = 10;

interface Place {
  readonly pid?: number | string;
  readonly tid?: number | string;
}

function event(cat: string, name: string, from: Time, to: Time, place: Place, args?: Args): EventText {
  const dur = typeof from === 'number' && typeof to === 'number' ? Number((to - from).toFixed(3)) : to;
  const { pid = PROCESS, tid = MAIN } = place;
  const head = `"ph": "X", "cat": ${JSON.stringify(cat)}, "name": ${JSON.stringify(name)}`;
  const ids = `"pid": ${JSON.stringify(pid)}, "tid": ${JSON.stringify(tid)}`;
  const times = `"ts": ${from}, "dur": ${dur}`;
  return `{${head}, ${ids}, ${times}${args === undefined ? '' : `, "args": ${JSON.stringify(args)}`}}`;
}

/** An op of the dispatcher from `from` to `to`; where times are strings, `to` is the duration. */
export const op = (name: string, from: Time, to: Time, args: Args = {}, tid: number = MAIN): EventText =>
  event('cpu_op', name, from, to, { tid }, args);

export const frame = (name: string, from: Time, to: Time, tid: number = MAIN): EventText =>
  event('python_function', name, from, to, { tid }, { 'Python id': 1 });

export const annotation = (name: string, from: Time, to: Time, args?: Args, tid: number = MAIN): EventText =>
  event('user_annotation', name, from, to, { tid }, args);

export const runtime = (name: string, corr: unknown, from: Time, to: Time, tid: number = MAIN): EventText =>
  event('cuda_runtime', name, from, to, { tid }, { correlation: corr });

/** A launch that takes 1 µs. */
export const launch = (corr: number, at: number, tid: number = MAIN): EventText =>
  runtime('cudaLaunchKernel', corr, at, at + 1, tid);

/** A kernel of 10 µs on stream 7 of device 0. */
export const kernel = (name: string, corr: unknown, at: Time, args: Args = {}): EventText =>
  event('kernel', name, at, typeof at === 'number' ? at + 10 : 10, { pid: 0, tid: 7 }, kernelArgs(corr, args));

const kernelArgs = (corr: unknown, args: Args): Args => ({
  device: 0,
  stream: 7,
  correlation: corr,
  grid: [8, 1, 1],
  block: [128, 1, 1],
  ...args,
});

/** Any work on a device: `activity('gpu_memcpy', 'Memcpy HtoD (Pageable -> Device)', 3, 50, {bytes: 64})`. */
export const activity = (cat: string, name: string, corr: number, at: number, args: Args = {}): EventText =>
  event(cat, name, at, at + 10, { pid: 0, tid: 7 }, { device: 0, stream: 7, correlation: corr, ...args });

/** An event of any category at any place. */
export const any = event;

/** Text of a trace with these events; `header`: further members before them, without braces. */
export const traceText = (events: readonly EventText[], header = '"schemaVersion": 1'): string =>
  `{${header}${header === '' ? '' : ', '}"traceEvents": [\n${events.join(',\n')}\n], "traceName": "t.json"}`;

/** Writes a string or bytes to a file of its own. */
export function writeTrace(text: string | Buffer): string {
  const path = freshPath('.json');
  writeFileSync(path, text);
  return path;
}

/** All records of a trace with these events. */
export const read = (
  events: readonly EventText[],
  options: Partial<ProfileOptions> & { readonly header?: string } = {},
): ProfileLine[] => recordsOf(writeTrace(traceText(events, options.header)), options);

export const kernels = (events: readonly EventText[], header?: string): KernelRecord[] =>
  read(events, header === undefined ? {} : { header })
    .filter((record) => record.type === 'kernel')
    .map(completeKernel);

/** The only kernel of a trace. */
export function onlyKernel(events: readonly EventText[], header?: string): KernelRecord {
  const [first, ...others] = kernels(events, header);
  if (first === undefined || others.length > 0) throw new Error(`${others.length + 1} kernels, not one`);
  return first;
}

export const diagnostics = (events: readonly EventText[]): EndRecord['diagnostics'] =>
  (read(events).at(-1) as EndRecord).diagnostics;
