/**
 * Events of tracks and work of GPUs, decoded from the data of a packet: names, categories and arguments with their interned
 * strings. Source: track_event.proto, debug_annotation.proto and gpu_render_stage_event.proto of Perfetto.
 */
import {
  ANNOTATION,
  DIMENSIONS,
  EVENT,
  EXTRA_DATA,
  GPU_CORRELATION,
  INTERNED,
  INTERNED_OF_GPU,
  LAUNCH,
  LAUNCH_ARG,
  STAGE,
} from '../../../record/perfetto-fields.js';
import { signed, type WireFields, type WireNumber } from '../../input/protobuf-fields.js';
import type { PacketSequence } from './packets.js';

/** The value of an argument, as JSON would have it. */
export type ArgValue = number | string | boolean | readonly ArgValue[] | { readonly [key: string]: ArgValue };
export type Args = ReadonlyMap<string, ArgValue>;

export interface TrackEvent {
  /** See `EVENT_TYPE`. */
  readonly type: number;
  readonly track: WireNumber;
  readonly name: string | null;
  /** The first category; null when there is none. */
  readonly category: string | null;
  readonly args: Args;
  /** Arrows that start here, and those that end here. */
  readonly flows: readonly WireNumber[];
  readonly endsFlows: readonly WireNumber[];
  /** Work that this call submitted; null when it does not say so. */
  readonly submitted: number | null;
  /** Value of a counter; null when there is none, or it is not a finite number. */
  readonly value: number | null;
}

/** Arguments that contain others are read to this depth. */
const DEEPEST = 8;

/** Type and track of an event. */
export function headOf(event: WireFields, sequence: PacketSequence): Pick<TrackEvent, 'type' | 'track'> {
  let [type, track]: [number, WireNumber] = [0, sequence.trackUuid];
  while (event.next()) {
    if (event.tag === EVENT.type) type = Number(event.value);
    else if (event.tag === EVENT.trackUuid) track = event.value;
  }
  return { type, track };
}

export function readEvent(event: WireFields, sequence: PacketSequence): TrackEvent {
  const args = new Map<string, ArgValue>();
  const [flows, endsFlows]: [WireNumber[], WireNumber[]] = [[], []];
  let [type, track]: [number, WireNumber] = [0, sequence.trackUuid];
  let [name, category]: [string | null, string | null] = [null, null];
  let [submitted, value]: [number | null, number | null] = [null, null];
  while (event.next()) {
    const { tag } = event;
    if (tag === EVENT.type) type = Number(event.value);
    else if (tag === EVENT.trackUuid) track = event.value;
    else if (tag === EVENT.name) name = event.text();
    else if (tag === EVENT.nameIid) name = sequence.text(INTERNED.eventName, event.value);
    else if (tag === EVENT.category) category ??= event.text();
    else if (tag === EVENT.categoryIids) category ??= sequence.text(INTERNED.category, event.value);
    else if (tag === EVENT.debugAnnotations) addAnnotation(event.inside(), sequence, args);
    else if (tag === EVENT.counterValue) value = signed(event.value);
    else if (tag === EVENT.doubleCounterValue) value = finiteOrNull(event.double());
    else if (tag === EVENT.flowIds) flows.push(event.fixed64());
    else if (tag === EVENT.terminatingFlowIds) endsFlows.push(event.fixed64());
    else if (tag === EVENT.gpuCorrelation) submitted = submittedBy(event.inside());
  }
  return { type, track, name, category, args, flows, endsFlows, submitted, value };
}

const finiteOrNull = (value: number): number | null => (Number.isFinite(value) ? value : null);

function submittedBy(correlation: WireFields): number | null {
  while (correlation.next()) if (correlation.tag === GPU_CORRELATION.submitted) return signed(correlation.value);
  return null;
}

function addAnnotation(annotation: WireFields, sequence: PacketSequence, args: Map<string, ArgValue>): void {
  const [name, value] = readAnnotation(annotation, sequence, 0);
  if (name !== null && value !== null) args.set(name, value);
}

/** Name and value of an argument; null for those that are unknown. */
function readAnnotation(
  fields: WireFields,
  sequence: PacketSequence,
  depth: number,
): readonly [name: string | null, value: ArgValue | null] {
  let [name, value]: [string | null, ArgValue | null] = [null, null];
  let list: ArgValue[] | null = null;
  let entries: Record<string, ArgValue> | null = null;
  while (fields.next()) {
    const { tag } = fields;
    if (tag === ANNOTATION.name) name = fields.text();
    else if (tag === ANNOTATION.nameIid) name = sequence.text(INTERNED.annotationName, fields.value);
    else if (tag === ANNOTATION.stringValue) value = fields.text();
    else if (tag === ANNOTATION.stringValueIid) value = sequence.text(INTERNED.stringValue, fields.value);
    else if (tag === ANNOTATION.boolValue) value = fields.value === 1;
    else if (tag === ANNOTATION.doubleValue) value = fields.double();
    else if (tag === ANNOTATION.intValue) value = signed(fields.value);
    else if (tag === ANNOTATION.uintValue || tag === ANNOTATION.pointerValue) value = Number(fields.value);
    else if (depth === DEEPEST) continue;
    else if (tag === ANNOTATION.arrayValues)
      (list ??= []).push(readAnnotation(fields.inside(), sequence, depth + 1)[1] ?? []);
    else if (tag === ANNOTATION.dictEntries) {
      const [key, inner] = readAnnotation(fields.inside(), sequence, depth + 1);
      if (key !== null && inner !== null) (entries ??= Object.create(null) as Record<string, ArgValue>)[key] = inner;
    }
  }
  return [name, value ?? list ?? entries];
}

/** Work on a GPU, with its own duration. */
export interface StageEvent {
  readonly id: number | null;
  /** Unit: ns; null for work whose end is unknown. */
  readonly dur: number | null;
  readonly device: number | null;
  /** Names of the queue and of the kind of work. */
  readonly queue: string | null;
  readonly stage: string | null;
  /** Name of the kernel; null for other work. */
  readonly kernel: string | null;
  readonly name: string | null;
  readonly grid: readonly number[] | null;
  readonly block: readonly number[] | null;
  /** Arguments of the launch, and further data, which is text. */
  readonly args: Args;
}

export function readStage(fields: WireFields, sequence: PacketSequence): StageEvent {
  const args = new Map<string, ArgValue>();
  const texts = new Map<number, string | null>();
  const numbers = new Map<number, number>();
  let [grid, block]: [number[] | null, number[] | null] = [null, null];
  while (fields.next()) {
    const { tag } = fields;
    const kind = STAGE_TEXTS.get(tag);
    if (kind !== undefined) texts.set(tag, sequence.text(kind, fields.value));
    else if (tag === STAGE.name) texts.set(STAGE.nameIid, fields.text());
    else if (tag === STAGE.extraData) addExtra(fields.inside(), args);
    else if (tag === STAGE.launch) [grid, block] = readLaunch(fields.inside(), sequence, args);
    else if (!fields.isMessage) numbers.set(tag, signed(fields.value));
  }
  const textOf = (tag: number): string | null => texts.get(tag) ?? null;
  return {
    ...{ id: numbers.get(STAGE.eventId) ?? null, dur: numbers.get(STAGE.duration) ?? null },
    ...{ device: numbers.get(STAGE.gpuId) ?? null, queue: textOf(STAGE.queueIid), stage: textOf(STAGE.stageIid) },
    ...{ kernel: textOf(STAGE.kernelIid), name: textOf(STAGE.nameIid), grid, block, args },
  };
}

/** Fields of work that are numbers of strings, and the lists of these strings. */
const STAGE_TEXTS: ReadonlyMap<number, number> = new Map([
  [STAGE.queueIid, INTERNED_OF_GPU.specification],
  [STAGE.stageIid, INTERNED_OF_GPU.specification],
  [STAGE.kernelIid, INTERNED_OF_GPU.kernel],
  [STAGE.nameIid, INTERNED.eventName],
]);

function addExtra(extra: WireFields, args: Map<string, ArgValue>): void {
  let [name, value] = ['', ''];
  while (extra.next()) {
    if (extra.tag === EXTRA_DATA.name) name = extra.text();
    else if (extra.tag === EXTRA_DATA.value) value = extra.text();
  }
  args.set(name, value);
}

function readLaunch(
  launch: WireFields,
  sequence: PacketSequence,
  args: Map<string, ArgValue>,
): [grid: number[] | null, block: number[] | null] {
  let [grid, block]: [number[] | null, number[] | null] = [null, null];
  while (launch.next()) {
    if (launch.tag === LAUNCH.grid) grid = extentOf(launch.inside());
    else if (launch.tag === LAUNCH.workgroup) block = extentOf(launch.inside());
    else if (launch.tag === LAUNCH.args) addLaunchArg(launch.inside(), sequence, args);
  }
  return [grid, block];
}

/** Three extents; those that are left out are 1. */
function extentOf(fields: WireFields): number[] {
  const extent = [1, 1, 1];
  while (fields.next()) {
    const axis = DIMENSIONS.indexOf(fields.tag);
    if (axis >= 0) extent[axis] = Number(fields.value);
  }
  return extent;
}

function addLaunchArg(fields: WireFields, sequence: PacketSequence, args: Map<string, ArgValue>): void {
  let [name, value]: [string | null, number | null] = [null, null];
  while (fields.next()) {
    if (fields.tag === LAUNCH_ARG.name) name = fields.text();
    else if (fields.tag === LAUNCH_ARG.nameIid) name = sequence.text(INTERNED_OF_GPU.argName, fields.value);
    else if (fields.tag === LAUNCH_ARG.intValue || fields.tag === LAUNCH_ARG.uintValue) value = signed(fields.value);
  }
  if (name !== null && value !== null) args.set(name, value);
}
