/**
 * Reads the files of `FRAMEWORK`, which torch_npu writes: ops, the queue between its threads, Python frames, garbage
 * collection, memory. Source: Ascend/pytorch, torch_npu/profiler/analysis/prof_bean and csrc/toolkit/profiler;
 * docs/ascend-raw.md.
 */
import { entryOf } from '../../../../containers/map-entry.js';
import type { Diagnostics } from '../../../../record/diagnostics.js';
import type { ThreadTable } from '../../../trace/threads.js';
import type { HostEvents } from '../../../torch/host-events.js';
import type { LaunchQueue } from '../text/flows.js';
import type { TextSamples } from '../text/text-samples.js';
import { FRAMEWORK, OP_TEXT, RECORD_TEXT } from './layouts.js';
import type { RawFolder } from './raw-folder.js';
import type { RawTexts } from './raw-texts.js';
import { recordsIn, structuresIn } from './structures.js';

/** Kinds of marks in the queue's files, and in those of Python calls. */
const [PUT_START, PUT_END, TAKEN_START] = [0n, 1n, 2n];
const PYTHON_RETURNS: ReadonlySet<number> = new Set([1, 3]);

/** Separates a module's class from its number. */
const MODULE_MARK = '######';

/** PyTorch's device type number for an NPU, and allocators by number. */
const NPU = 20;
const COMPONENTS = ['PTA', 'WORKSPACE'];

interface Place {
  readonly folder: RawFolder;
  readonly threads: ThreadTable;
  readonly host: HostEvents;
  readonly queue: LaunchQueue;
  readonly samples: TextSamples;
  readonly texts: RawTexts;
  readonly diagnostics: Diagnostics;
}

export function readFramework(place: Place): void {
  readOps(place);
  readQueue(place);
  readFrames(place);
  readCollections(place);
  readMemory(place);
}

function readOps({ folder, threads, host, texts, diagnostics }: Place): void {
  for (const { structure, textAt } of recordsIn(folder.ofFramework(FRAMEWORK.op), FRAMEWORK.op, diagnostics)) {
    const [start, end] = [structure.big('start'), structure.big('end')].map((count) => folder.frameworkTimeOf(count)) as [number, number];
    if (end < start) {
      diagnostics.count('negative-duration');
      continue;
    }
    const thread = threads.threadOf(Number(structure.big('process')), Number(structure.big('thread')));
    const numberOf = (type: number): number => texts.numberOf(textAt(type)?.toString('utf8') ?? '');
    /** The writer separates entries by `;`, where a trace has line breaks. */
    const linesOf = (type: number): number => {
      const text = textAt(type);
      return text === null ? 0 : texts.numberOf(text.toString('utf8').replaceAll(';', ';\r\n')) + 1;
    };
    host.addOp(start, end, thread, {
      name: numberOf(OP_TEXT.name),
      sequence: Number(structure.big('sequence')),
      forwardThread: Number(structure.big('forwardThread')),
      dims: linesOf(OP_TEXT.shapes),
      types: linesOf(OP_TEXT.types),
      callStack: linesOf(OP_TEXT.stack),
    });
  } // prettier-ignore
}

/** Reads the marks of putting an entry into the queue and taking it out, and pairs them by thread. */
function readQueue({ folder, threads, queue, diagnostics }: Place): void {
  interface Mark { readonly time: number; readonly kind: bigint; readonly entry: number; readonly thread: number }
  const marks: Mark[] = [];
  for (const { structure } of recordsIn(folder.ofFramework(FRAMEWORK.queue), FRAMEWORK.queue, diagnostics)) {
    const thread = threads.threadOf(Number(structure.big('process')), Number(structure.big('thread')));
    const [time, entry] = [folder.frameworkTimeOf(structure.big('time')), Number(structure.big('entry'))];
    marks.push({ time, kind: structure.big('kind'), entry, thread });
  }
  marks.sort((a, b) => a.time - b.time);
  const begun = new Map<string, number>();
  for (const { time, kind, entry, thread } of marks) {
    const isPut = kind === PUT_START || kind === PUT_END;
    const key = `${isPut} ${thread} ${entry}`;
    if (kind === PUT_START || kind === TAKEN_START) begun.set(key, time);
    else {
      const start = begun.get(key);
      begun.delete(key);
      if (start === undefined) diagnostics.count('event-without-time');
      else if (isPut) queue.put.push({ start, end: time, thread, entry });
      else queue.taken.push({ start, end: time, thread, text: entry });
    }
  }
  diagnostics.count('event-without-time', begun.size);
} // prettier-ignore

/**
 * Turns calls and returns of Python functions into frames. Frames that are still open end with the last event of their
 * thread.
 */
function readFrames({ folder, threads, host, texts, diagnostics }: Place): void {
  const names = new Map<bigint, string>();
  for (const { structure, textAt } of recordsIn(folder.ofFramework(FRAMEWORK.frameName), FRAMEWORK.frameName, diagnostics)) {
    names.set(structure.big('name'), textAt(RECORD_TEXT)?.toString('utf8') ?? '');
  }
  interface Event { readonly time: number; readonly name: bigint; readonly isReturn: boolean }
  const byThread = new Map<number, Event[]>();
  for (const row of structuresIn(folder.ofFramework(FRAMEWORK.frame), FRAMEWORK.frame, diagnostics)) {
    const thread = threads.threadOf(Number(row.big('process')), Number(row.big('thread')));
    const isReturn = PYTHON_RETURNS.has(row.number('kind'));
    entryOf(byThread, thread, () => []).push({ time: folder.frameworkTimeOf(row.big('time')), name: row.big('name'), isReturn });
  }
  for (const [thread, events] of byThread) {
    events.sort((a, b) => a.time - b.time);
    const textOf = frameNames(names);
    const open: { readonly start: number; readonly text: string }[] = [];
    const close = (end: number): void => {
      const frame = open.pop();
      if (frame !== undefined) host.add('frame', frame.start, end, thread, texts.numberOf(frame.text));
    };
    for (const { time, name, isReturn } of events) {
      if (isReturn) close(time);
      else open.push({ start: time, text: textOf(name) });
    }
    const last = events.at(-1)?.time ?? NaN;
    while (open.length > 0) close(last);
  }
} // prettier-ignore

/** Names of frames. Modules of a class are numbered in order of their first call, as in `nn.Module: Linear_0`. */
function frameNames(names: ReadonlyMap<bigint, string>): (name: bigint) => string {
  const numbers = new Map<string, number>();
  const counts = new Map<string, number>();
  return (name) => {
    const text = names.get(name) ?? String(name);
    const [kind = '', moduleId] = text.split(MODULE_MARK);
    if (moduleId === undefined) return text;
    const number = entryOf(numbers, moduleId, () => {
      const count = counts.get(kind) ?? 0;
      counts.set(kind, count + 1);
      return count;
    });
    return `nn.Module: ${kind}_${number}`;
  };
}

function readCollections({ folder, threads, host, texts, diagnostics }: Place): void {
  for (const row of structuresIn(folder.ofFramework(FRAMEWORK.collection), FRAMEWORK.collection, diagnostics)) {
    const pid = Number(row.big('process'));
    const [start, end] = [folder.frameworkTimeOf(row.big('start')), folder.frameworkTimeOf(row.big('end'))];
    if (end < start) diagnostics.count('negative-duration');
    else host.add('annotation', start, end, threads.threadOf(pid, pid), texts.numberOf('GC'));
  }
}

/** Reads the memory totals of allocators, as in memory_record.csv. */
function readMemory({ folder, samples, diagnostics }: Place): void {
  for (const { structure } of recordsIn(folder.ofFramework(FRAMEWORK.memory), FRAMEWORK.memory, diagnostics)) {
    if (structure.number('deviceType') !== NPU) continue;
    const labels = { component: COMPONENTS[structure.number('component')] ?? 'other' };
    const start = folder.frameworkTimeOf(structure.big('time'));
    for (const total of ['allocated', 'reserved', 'active'] as const) {
      const series = { metric: `memory_${total}`, unit: 'bytes', labels, onChange: true };
      samples.add(series, start, Number(structure.big(total)), structure.number('device'));
    }
  }
}
