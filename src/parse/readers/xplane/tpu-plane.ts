/**
 * Planes of TPUs: runs of programs, their instructions in order, concurrent transfers, and waits. What an
 * instruction computes is stated with it, by the compiler, for one execution.
 */
import type { CopyKind, Device } from '../../../record/record.js';
import { XLA_LINES } from '../../../record/fields/named-lane.js';
import type { ActivityDetails } from '../../trace/trace.js';
import type { TraceBuilder } from '../../trace/trace-builder.js';
import type { Plane, Stat, StatedEvent, XLine } from './xspace.js';
import { idOf, numberOf, textOf } from './xspace.js';
import { placedEvents, readSteps, STEPS, type Reading } from './gpu-plane.js';
import { collectiveOf } from './op-facts.js';

export const MODULES = 'XLA Modules';
export const { ops: OPS, waits: WAITS } = XLA_LINES;
const TRANSFERS = XLA_LINES.transfers;

/** Name of the metric of samples that state when a device ran a program: the value is the number of the run. */
const MODULE_METRIC = 'xla_module';

/** The device of a plane. */
export function tpuOf(plane: Plane, id: number): Partial<Device> & Pick<Device, 'id'> {
  const bandwidth = numberOf(plane.stats.get('peak_hbm_bw_gigabytes_per_second')) ?? 0;
  const name = textOf(plane.stats.get('device_type_string'));
  return {
    ...{ id, vendor: 'google', name, arch: name === null ? null : archOf(name) },
    memBytesPerS: bandwidth > 0 ? Math.round(bandwidth * 1e9) : null,
  };
}

/** The generation: `TPU v6 Lite` and `TPU v6e` are tpu-v6e. */
function archOf(name: string): string | null {
  const [, generation, form = ''] = /^TPU ?v?(\d)(.*)$/i.exec(name) ?? [];
  if (generation === undefined) return null;
  if (/^(?: lite|e$)/i.test(form)) return `tpu-v${generation}e`;
  return `tpu-v${generation}${generation === '5' ? 'p' : ''}`;
}

/** What joins a run of a program to the host's event that enqueued it. */
const consumerOf = (event: StatedEvent): string | null => joined(event.stat('_ct'), event.stat('_c'));
export const producerOf = (event: StatedEvent): string | null => joined(event.stat('_pt'), event.stat('_p'));

const joined = (type: Stat | undefined, id: Stat | undefined): string | null =>
  type === undefined || id === undefined ? null : `${idOf(type) ?? ''} ${idOf(id) ?? ''}`;

/** Numbers the launches of a plane's programs. */
export function noteLaunches(plane: Plane, { launches, zero }: Reading): void {
  for (const line of linesNamed(plane, MODULES))
    for (const event of plane.events(line, zero)) {
      const key = consumerOf(event);
      if (key !== null && !launches.has(key)) launches.set(key, launches.size + 1);
    }
}

const linesNamed = (plane: Plane, name: string): XLine[] => plane.lines.filter((line) => line.name === name);

/** A run of a program. */
export interface Run {
  readonly start: number;
  readonly end: number;
  readonly corr: number | null;
  readonly name: string;
}

/** Reads a plane. @returns the number of its events that are work */
export function readTpuPlane(plane: Plane, device: number, reading: Reading): number {
  const runs = readModules(plane, device, reading);
  const steps = readSteps(plane, device, reading);
  let work = 0;
  for (const line of plane.lines) {
    if (line.name === OPS) work += readOps(plane, line, { device, runs, steps, reading });
    else if (line.name === TRANSFERS) work += readTransfers(plane, line, { device, runs, steps, reading });
    else if (line.name === WAITS) readWaits(plane, line, device, reading);
    else if (line.name !== MODULES && line.name !== STEPS) {
      for (const { start } of placedEvents(plane, line, reading)) reading.trace.unread(`events of ${line.name}`, start);
    }
  }
  return work;
}

function readModules(plane: Plane, device: number, reading: Reading): readonly Run[] {
  const runs: Run[] = [];
  for (const line of linesNamed(plane, MODULES))
    for (const event of placedEvents(plane, line, reading)) runs.push(readModule(event, device, reading));
  return runs.sort((a, b) => a.start - b.start);
}

export function readModule(event: StatedEvent, device: number, { trace, launches }: Reading): Run {
  const { start, end } = event;
  const [name, run] = [event.kind.name.replace(/\(\d+\)$/, ''), numberOf(event.stat('run_id'))];
  trace.sample({ start, end, device, metric: MODULE_METRIC, value: run, text: name, unit: null });
  return { start, end, corr: launches.get(consumerOf(event) ?? '') ?? null, name };
}

interface Ops {
  readonly device: number;
  readonly runs: readonly Run[];
  /** Steps by the number of their group, which instructions state. */
  readonly steps: ReadonlyMap<number, number>;
  readonly reading: Reading;
}

/** Instructions that run others, which have events of their own. */
const CONTAINERS = /^(?:while|conditional|call)$/;

function readOps(plane: Plane, line: XLine, ops: Ops): number {
  const instructions = new OpLine(Number(line.id), ops);
  for (const event of placedEvents(plane, line, ops.reading)) instructions.take(event);
  return instructions.end();
}

/**
 * The instructions on a line, one after another. Instructions that contain others, such as loops, are left out, because
 * their time is that of the others.
 */
export class OpLine {
  #work = 0;
  /** Number of the last run of a program that began. */
  #run = 0;
  #last: StatedEvent | null = null;

  constructor(
    private readonly stream: number,
    private readonly ops: Ops,
  ) {}

  take(event: StatedEvent): void {
    if (this.#last !== null) this.#add(this.#last, event);
    this.#last = event;
  }

  /** Call it after the last event. @returns the number of instructions */
  end(): number {
    if (this.#last !== null) this.#add(this.#last, null);
    return this.#work;
  }

  #add(event: StatedEvent, next: StatedEvent | null): void {
    const { runs, reading } = this.ops;
    const contains = next !== null && next.start >= event.start && next.start < event.end;
    if (contains && CONTAINERS.test(textOf(event.stat('hlo_category')) ?? '')) {
      reading.trace.unread('instructions that contain others', event.start);
      return;
    }
    while ((runs[this.#run + 1]?.start ?? Infinity) <= event.start) this.#run++;
    readOp(event, this.stream, this.ops, runs[this.#run] ?? null);
    this.#work++;
  }
}

function readOp(event: StatedEvent, stream: number, { device, steps, reading }: Ops, run: Run | null): void {
  const { start, end, kind } = event;
  const name = kind.shown === '' ? kind.name : kind.shown;
  const facts = reading.ops.of(event, name);
  const isInside = run !== null && start < run.end;
  const module = isInside ? run.name : null;
  const step = steps.get(numberOf(event.stat('group_id')) ?? NaN);
  const details = facts.with(`${module ?? ''}\n${kind.name}\n${step}`, (shared) => ({
    ...ofKind(event, module, shared),
    ...(step === undefined ? undefined : { step }),
  }));
  const corr = isInside ? run.corr : null;
  const row = { start, end, device, stream, corr, name, details, ps: event.ps };
  const call = facts.instruction === null ? undefined : { run: [++reading.runs, 1] as const };
  reading.trace.kernel({ ...row, ...call });
}

/** What a `copy-start` returns and a `copy-done` takes: `(result, operand, context)`. */
const TUPLE = /\((?=\w+\[)(.*)/;

/** What the compiler states about a kind of instruction, whose name is its text of HLO. */
function ofKind(event: StatedEvent, module: string | null, details: ActivityDetails): ActivityDetails {
  const counters = Object.fromEntries(
    (['flops', 'model_flops', 'bytes_accessed'] as const).flatMap((key) => {
      const value = numberOf(event.stat(key));
      return value === null ? [] : [[key, value]];
    }),
  );
  const category = textOf(event.stat('hlo_category'));
  const stack = stackOf(textOf(event.stat('source_stack')) ?? textOf(event.stat('source')));
  const line = event.kind.name;
  const direction = category?.startsWith('copy-') === true ? directionOf(TUPLE.exec(line)?.[1] ?? null) : null;
  const labels = {
    ...details.labels,
    ...(category === null ? undefined : { category }),
    ...(direction === null ? undefined : { copy: direction }),
    ...(module === null ? undefined : { module }),
  };
  return { ...details, engine: OPS, counters, labels, ...(stack.length === 0 ? undefined : { trace: stack }) };
}

/** Frames of `file:line` from lines of `file:line:column`, outermost first. */
const stackOf = (text: string | null): string[] =>
  (text ?? '')
    .split('\n')
    .map((frame) => frame.replace(/^(.*:\d+):\d+$/, '$1'))
    .filter((frame) => frame !== '');

const BESIDE: ActivityDetails = { engine: TRANSFERS };
const WAITING: ActivityDetails = { engine: WAITS };

/** Reads transfers that run in parallel with instructions. Each part of a transfer states the size of the whole. */
function readTransfers(plane: Plane, line: XLine, { device, runs, reading }: Ops): number {
  const { trace, ops } = reading;
  let work = 0;
  for (const event of placedEvents(plane, line, reading)) {
    const { start, end, kind } = event;
    const corr = runs.find((run) => start >= run.start && start < run.end)?.corr ?? null;
    const row = { start, end, device, stream: Number(line.id), corr, details: BESIDE, ps: event.ps };
    const name = /^%?([\w.-]+) = /.exec(kind.name)?.[1] ?? kind.name;
    const { instruction } = ops.of(event, name);
    const collective = instruction === null ? null : collectiveOf(instruction);
    work++;
    if (collective === null)
      trace.copy({ ...row, kind: directionOf(textOf(event.stat('shape_with_layout'))), bytes: numberOf(event.stat('bytes_accessed')) }); // prettier-ignore
    else {
      const { op, bytesIn: bytes, dtype } = collective;
      const group = { group: null, groupSize: null, ranks: null, algorithm: null, link: null };
      trace.collective({ ...row, operation: { name, kind: op, bytes, dtype, ...group } });
    }
  }
  return work;
}

/** The direction of a copy by the memory of its result and its operand: `S(5)` is that of the host. */
function directionOf(shape: string | null): CopyKind | null {
  const [to, from] = (shape ?? '').split(/, (?=\w+\[)/);
  if (to === undefined || from === undefined) return null;
  const side = (part: string): 'H' | 'D' => (part.includes('S(5)') ? 'H' : 'D');
  return `${side(from)}to${side(to)}`;
}

function readWaits(plane: Plane, line: XLine, device: number, reading: Reading): void {
  for (const event of placedEvents(plane, line, reading)) readWait(event, Number(line.id), device, reading.trace);
}

export function readWait({ start, end, kind }: StatedEvent, stream: number, device: number, trace: TraceBuilder): void {
  trace.sync({ start, end, device, stream, kind: kind.name, details: WAITING });
}
