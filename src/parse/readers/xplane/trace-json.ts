/**
 * Reader of the trace that JAX and TensorFlow write for TensorBoard next to an XPlane file: its events with fewer facts, all as
 * strings. A file is read twice: first the names of planes and lines, steps and runs of programs, then all other
 * events. Source: trace_events_to_json.cc, xplane_to_trace_events.cc and xplane_schema.cc of OpenXLA.
 */
import { entryOf } from '../../../containers/map-entry.js';
import { Diagnostics } from '../../../record/diagnostics.js';
import { UserError } from '../../../record/errors.js';
import type { Device } from '../../../record/record.js';
import { EVENT, type TraceEvent } from '../../json/event-fields.js';
import { readTrace } from '../../json/read-trace.js';
import type { Probe, Reader } from '../../reader.js';
import { TraceBuilder } from '../../trace/trace-builder.js';
import { GpuStream, readStep, STEPS, streamOf, type Reading } from './gpu-plane.js';
import { API, HostPlanes } from './host-plane.js';
import { OpTable } from './op-facts.js';
import { fullerFile, rankOfHost } from './run-files.js';
import { MODULES, OpLine, OPS, readModule, readWait, WAITS, type Run } from './tpu-plane.js';
import { ASKED, UNKNOWN, type EventKind, type Stat, type StatedEvent, type StatName } from './xspace.js';

/** A plane's name in the events that come first. */
const BEGINNING = /"args": ?\{ ?"name": ?"\/(?:device|host):/;
const PLANE = /^\/(?:host:|device:([A-Z]+):(\d{1,6})(?: |$))/;
/** Events of a stream that are no kernels, and the full name of an instruction. */
const [ALLOCATION, LONG_NAME] = [['memalloc_details', 'memfree_details', 'memory_residency_details'], 'long_name'];
const ARGS = [...ASKED, LONG_NAME, ...ALLOCATION];
const [LONG_NAME_ARG, NAME_ARG] = [ARGS.indexOf(LONG_NAME), ARGS.indexOf('name')];
const ALLOCATION_ARGS = ALLOCATION.map((key) => ARGS.indexOf(key));
/** Statistics that are numbers. */
const NUMBERS: ReadonlySet<StatName> = new Set([
  ...(['correlation_id', 'group_id', 'step_num', 'run_id', 'cuda_graph_id', 'cuda_graph_node_id'] as const),
  ...(['theoretical_occupancy_pct', 'index_on_host', 'flops', 'model_flops', 'bytes_accessed'] as const),
]);
const VENDORS: Readonly<Record<string, string>> = { TPU: 'google' };

export const tensorBoardTrace: Reader = {
  id: 'xplane-json',
  title: 'JAX and TensorFlow trace for TensorBoard (*.trace.json.gz), without the .xplane.pb',
  reads: 'text',
  docs: {
    profiler: 'JAX, TensorFlow, PyTorch/XLA (XPlane)',
    input: '`*.trace.json.gz` for TensorBoard',
    made: [
      '`jax.profiler.trace(FOLDER)`, next to the `.xplane.pb`, which contains more: give that file if you have it',
    ],
    read: [
      "GPUs: kernels, copies and memsets with the call that launched them, stream, and the op by its path. TPUs: instructions, programs and waits. Steps, annotations, Python frames and the CPU's instructions as ranges.",
      'The trace lacks grids and blocks, HLO shapes and with them FLOPs and bytes, TPU transfers, memory, device properties, and the Unix time; events beyond its limit (1 or 5 million) are missing too. One line says so, and `xplane` in the profile line names the `.xplane.pb` next to it. In a folder, that is read instead.',
    ],
  },
  sniff: ({ head }) => head.includes('"traceEvents"') && BEGINNING.test(head.toString('utf8')),
  isCovered: (probe) => fullerFile(probe) ?? false,
  read(probe, options) {
    const trace = new TraceBuilder();
    const reading = new TensorBoardReading(probe, trace);
    reading.read();
    trace.bad('trace-for-viewers');
    const xplane = fullerFile(probe);
    const facts = xplane === null ? {} : { xplane };
    const rank = options.rank ?? rankOfHost(probe);
    const { devices } = reading;
    return trace.records({ format: tensorBoardTrace.id, tool: null, rank, devices, facts }, options);
  },
};

/** Takes the events of a line. */
interface LineReading {
  readonly take: (event: StatedEvent, isKernel: boolean) => void;
  readonly end?: () => void;
}

class TensorBoardReading {
  readonly #reading: Reading;
  /** Names of planes by process, and of lines by process and thread. */
  readonly #names = new Map<string, string>();
  readonly #lines = new Map<string, LineReading>();
  readonly #host: HostPlanes;
  /** By number of the device: steps by the number of their group, and runs of programs. */
  readonly #steps = new Map<number, Map<number, number>>();
  readonly #runs = new Map<number, Run[]>();
  readonly #devices = new Map<number, Partial<Device> & Pick<Device, 'id'>>();
  readonly #kinds = new Map<string, EventKind>();
  #gpuVendor = 'unknown';
  #events = 0;

  constructor(
    private readonly probe: Probe,
    private readonly trace: TraceBuilder,
  ) {
    const ops = new OpTable({ instruction: () => null, count: 0 });
    this.#reading = { trace, ops, zero: 0n, copyCalls: new Map(), launches: new Map(), runs: 0 };
    this.#host = new HostPlanes(this.#reading, null, null);
  }

  /** @throws UserError for a trace without events */
  read(): void {
    const { path, file } = this.probe;
    readTrace(path, file, ARGS, new Diagnostics(), (event) => this.#note(event));
    for (const runs of this.#runs.values()) runs.sort((a, b) => a.start - b.start);
    readTrace(path, file, ARGS, this.trace.diagnostics, (event) => this.#take(event));
    for (const { end } of this.#lines.values()) end?.();
    if (this.#events === 0 && this.trace.diagnostics.get('truncated-input') === 0)
      throw new UserError('is a trace for TensorBoard without events', {
        where: file,
        hint: 'give the .xplane.pb of the same run',
      });
  }

  /** Devices with names, of GPUs those that have events. */
  get devices(): readonly (Partial<Device> & Pick<Device, 'id'>)[] {
    const vendor = this.#gpuVendor;
    return Array.from(this.#devices.values(), (device) => ({ vendor, ...device }));
  }

  /** Takes names, and what other events refer to. */
  #note(event: TraceEvent): void {
    const { fields, args } = event;
    const phase = fields.latin1(EVENT.ph);
    if (phase === 'M') {
      const what = fields.latin1(EVENT.name);
      if (what !== 'process_name' && what !== 'thread_name') return;
      const name = event.readArgs() && args.isText(NAME_ARG) ? args.decoded(NAME_ARG) : null;
      if (name === null) this.trace.bad('malformed-event');
      else this.#names.set(what === 'thread_name' ? keyOf(event) : (fields.latin1(EVENT.pid) ?? ''), name);
    } else if (phase === 'X') {
      const [name, device] = [this.#names.get(keyOf(event)), this.#deviceOf(event)];
      if (device === null || (name !== STEPS && name !== MODULES)) return;
      const steps = entryOf(this.#steps, device.id, () => new Map<number, number>());
      if (name === STEPS) readStep(this.#stated(event), device.id, steps, this.trace);
      else if (device.kind === 'TPU')
        entryOf(this.#runs, device.id, () => []).push(readModule(this.#stated(event), device.id, this.#reading));
    }
  }

  #take(event: TraceEvent): void {
    const phase = event.fields.latin1(EVENT.ph);
    if (phase !== 'X') {
      if (phase !== 'M') this.trace.unread(`events of phase ${phase ?? 'unknown'}`);
      return;
    }
    this.#events++;
    const line = entryOf(this.#lines, keyOf(event), () => this.#line(event));
    const stated = this.#stated(event);
    const { args } = event;
    const isOther = ALLOCATION_ARGS.some((code) => args.has(code));
    const isKernel = !isOther && ['memcpy_details', 'memset_details'].every((key) => !args.has(ARGS.indexOf(key)));
    line.take(stated, isKernel);
  }

  /** Kind and number of the device whose plane has an event; null for the host. */
  #deviceOf({ fields }: TraceEvent): { readonly kind: string; readonly id: number } | null {
    const [, kind, number] = PLANE.exec(this.#names.get(fields.latin1(EVENT.pid) ?? '') ?? '') ?? [];
    return kind === undefined ? null : { kind, id: Number(number) };
  }

  /** How to read events on the same line as this one. */
  #line(event: TraceEvent): LineReading {
    const plane = this.#names.get(event.fields.latin1(EVENT.pid) ?? '') ?? '';
    const name = this.#names.get(keyOf(event)) ?? '';
    const device = this.#deviceOf(event);
    const id = event.fields.number(EVENT.tid);
    if (plane.startsWith('/host:')) return this.#hostLine(name);
    if (device === null || (device.kind !== 'GPU' && device.kind !== 'TPU'))
      return this.#unreadLine(`plane ${plane === '' ? 'without a name' : plane}`);
    const vendor = VENDORS[device.kind];
    entryOf(this.#devices, device.id, () => ({ id: device.id, ...(vendor === undefined ? undefined : { vendor }) }));
    return device.kind === 'GPU' ? this.#gpuLine(name, device.id, id) : this.#tpuLine(name, device.id, id);
  }

  #hostLine(name: string): LineReading {
    const take = this.#host.line(name);
    return {
      take: (event) => {
        const { name: call } = event.kind;
        if (API.test(call)) this.#gpuVendor = call.startsWith('hip') ? 'amd' : 'nvidia';
        const corr = event.stat('correlation_id');
        if (typeof corr === 'number' && /memcpy/i.test(call)) this.#reading.copyCalls.set(corr, call);
        take(event);
      },
    };
  }

  #gpuLine(name: string, device: number, id: number): LineReading {
    if (name === STEPS) return { take: () => undefined };
    if (!name.startsWith('Stream #')) return this.#unreadLine(`line ${name === '' ? 'without a name' : name}`);
    // Registers and shared memory are not in the trace, as AMD's details.
    const steps = this.#steps.get(device) ?? new Map<number, number>();
    const stream = new GpuStream({ name, device, stream: streamOf({ id, name }), isAmd: true, steps }, this.#reading);
    return { take: (event, isKernel) => stream.take(event, isKernel), end: () => stream.end() };
  }

  #tpuLine(name: string, device: number, stream: number): LineReading {
    const { trace } = this;
    if (name === WAITS) return { take: (event) => readWait(event, stream, device, trace) };
    if (name === MODULES || name === STEPS) return { take: () => undefined };
    if (name !== OPS) return this.#unreadLine(`events of ${name}`);
    const [runs, steps] = [this.#runs.get(device) ?? [], this.#steps.get(device) ?? new Map<number, number>()];
    const line = new OpLine(stream, { device, runs, steps, reading: this.#reading });
    return { take: (event) => line.take(event), end: () => line.end() };
  }

  #unreadLine(kind: string): LineReading {
    return { take: ({ start }) => this.trace.unread(kind, start) };
  }

  #stated(event: TraceEvent): StatedEvent {
    const { fields, args } = event;
    const hasArgs = event.readArgs();
    const shown = fields.has(EVENT.name) ? (fields.decoded(EVENT.name) ?? '') : '';
    const long = hasArgs ? args.decoded(LONG_NAME_ARG) : null;
    const kind = entryOf(this.#kinds, `${shown}\n${long ?? ''}`, () => ({
      ...UNKNOWN,
      ...(long === null ? { name: shown } : { name: long, shown }),
    }));
    const stats = new Map<StatName, Stat>();
    if (hasArgs)
      for (const [code, name] of ASKED.entries())
        if (args.has(code)) stats.set(name, statOf(name, args.decoded(code) ?? ''));
    // The mark of an annotation as a step is left out of the trace.
    if (stats.has('step_num')) stats.set('_r', 1);
    const times = timesOf(fields.number(EVENT.ts), fields.number(EVENT.dur));
    return { kind, ...times, stat: (name) => stats.get(name), requests: [] };
  }
}

const keyOf = ({ fields }: TraceEvent): string => `${fields.latin1(EVENT.pid) ?? ''} ${fields.latin1(EVENT.tid) ?? ''}`;

const statOf = (name: StatName, text: string): Stat =>
  NUMBERS.has(name) && /^-?\d{1,15}(?:\.\d+)?$/.test(text) ? Number(text) : text;

/** Times in ns and the picoseconds beyond, of microseconds. An event without duration is written with one picosecond. */
function timesOf(ts: number, dur: number): Pick<StatedEvent, 'start' | 'end' | 'ps'> {
  const [start, startPs] = nanoseconds(ts);
  const [length, durPs] = dur < 1.5e-6 ? [0, 0] : nanoseconds(dur);
  return { start, end: start + length, ps: [startPs, durPs] };
}

function nanoseconds(us: number): [ns: number, ps: number] {
  const ps = Math.round(us * 1e6);
  // Above, the text no longer has picoseconds.
  if (!Number.isSafeInteger(ps)) return [Math.round(us * 1000), 0];
  const rest = ((ps % 1000) + 1000) % 1000;
  return [(ps - rest) / 1000, rest];
}
