/**
 * Reader for Perfetto traces in protobuf, of rocprofv3, rocprof-sys, PyTorch's CUPTI monitor and `dprof perfetto`. A
 * file is read twice: first tracks, clocks, and the times at which slices begin and end; then what they say. Source:
 * the schema of Perfetto, and the code that writes such traces (see the files for each writer).
 */
import { statSync, existsSync } from 'node:fs';
import { entryOf } from '../../../containers/map-entry.js';
import { orNull } from '../../../containers/numeric-column.js';
import { UserError } from '../../../record/errors.js';
import { EVENT_TYPE, PACKET, TRACE } from '../../../record/perfetto-fields.js';
import { BlockFile } from '../../input/byte-window.js';
import { WireFields, type WireNumber } from '../../input/protobuf-fields.js';
import { WireError } from '../../input/protobuf.js';
import type { Probe, Reader, ReadOptions } from '../../reader.js';
import { TraceBuilder } from '../../trace/trace-builder.js';
import { AMD_SLICES, HOST_SLICES } from './amd-slices.js';
import { DPROF_SLICES, seriesOf } from './dprof-slices.js';
import { PacketReader, type TracePacket } from './packets.js';
import { SliceReading, type Slice, type TakeSlice, numberIn, textIn } from './slice.js';
import { headOf, readEvent, readStage, type TrackEvent, type StageEvent } from './track-events.js';
import { Tracks, type TrackPlace } from './tracks.js';
import { basename, join } from 'node:path';
import { fullerOutput } from '../../amd/outputs.js';
import { elementAt } from '../../../containers/element.js';
import { NumericColumn } from '../../../containers/numeric-column.js';
import { groupAll, groupAt, sortRows } from '../../../containers/row-order.js';

// Finds a file next to a Perfetto trace with the same capture in a format that has more data.

const PACKED = ['', '.gz', '.zst', '.xz', '.bz2'];
/** `dprof perfetto` writes the mark of a profile after its clock and two tracks. */
const FIRST_PACKETS = 8;

/** Name of such a file; false when there is none. */
function isCovered({ file, folder, path }: Probe): string | false {
  if (folder === null) return false;
  const name = basename(file);
  const fuller = fullerOutput(/^(.*)_results\.pftrace$/.exec(name)?.[1], '_results.pftrace', folder);
  if (fuller !== null) return fuller;
  const source = sourceOf(path) ?? '';
  const others = source === '' ? [] : PACKED.map((ending) => basename(source) + ending);
  // rocprof-sys writes `perfetto-trace-4242.proto` and `rocpd-4242.db` of one process.
  const [, process] = /^perfetto-trace-(.*)\.proto$/.exec(name) ?? [];
  if (process !== undefined) others.push(`rocpd-${process}.db`);
  return others.find((other) => other !== name && existsSync(join(folder, other))) ?? false;
}

/** Name of the profile from which `dprof perfetto` made the trace; null for a trace of another program. */
function sourceOf(path: string): string | null {
  const file = new BlockFile(path);
  try {
    let left = FIRST_PACKETS;
    for (const { tag, data, sequence } of new PacketReader(file, statSync(path).size).packets()) {
      if (left-- === 0) return null;
      if (tag !== PACKET.trackEvent || data === null) continue;
      const { category, name } = readEvent(data, sequence);
      return category === 'profile' ? name : null;
    }
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
  } finally {
    file.close();
  }
  return null;
}

export const perfetto: Reader = {
  id: 'perfetto',
  title: 'Perfetto trace in protobuf (*.pftrace) of rocprofv3, rocprof-sys, PyTorch, dprof perfetto',
  reads: 'binary',
  fileNames: /\.pftrace(?:\.gz)?$/,
  docs: {
    profiler: 'Perfetto traces of several profilers',
    input: '`*.pftrace`, `*.proto`',
    made: [
      '`rocprofv3 --sys-trace --output-format pftrace -- python train.py`',
      "`rocprof-sys-run -- python train.py`, PyTorch's CUPTI monitor, or `dprof perfetto -o net.pftrace`",
    ],
    read: [
      'From rocprofv3 and rocprof-sys: kernels, copies, calls, ranges, counters of kernels and devices. rocprofv3 writes only the total number of threads in grids and blocks, so their dimensions are unknown.',
      "From PyTorch's CUPTI monitor: kernels with grid and block, copies and memsets by stream, calls, ops with their shapes.",
      'From `dprof perfetto`: devices, kernels with everything that FLOPs are computed from, copies, memsets, waits, collectives, ranges, samples, layers, tensors and notices. Such a trace lacks the counts of what the profile lost, the messages of collectives, and what each Neuron instruction waited for.',
      "In a folder, a trace is skipped if the folder also has the profile that `dprof perfetto` converted to it, or the same run in another format of AMD's tracer.",
      "Times are on the trace's clock, and in Unix time if the trace states it. Packets and categories of other kinds are counted. A trace without any work or calls of these writers is refused.",
    ],
  },
  sniff: beginsWithPacket,
  isCovered,
  read(probe, options) {
    const file = new BlockFile(probe.path);
    try {
      return new PerfettoTrace(new PacketReader(file, statSync(probe.path).size)).read(probe, options);
    } finally {
      file.close();
    }
  },
};

/** Fields with which the first packet of a trace may begin. */
const FIRST_FIELDS: ReadonlySet<number> = new Set([
  ...[PACKET.timestamp, PACKET.clockSnapshot, PACKET.trustedPacketSequenceId, PACKET.sequenceFlags, PACKET.defaults],
  ...[PACKET.trackDescriptor, PACKET.compressedPackets, PACKET.internedData],
  // A marker of synchronization, the configuration, the trace's id.
  ...[36 * 8 + 2, 33 * 8 + 2, 89 * 8 + 2],
]);

/** Maximum number of bytes of a field before its contents. */
const LONGEST_HEADER = 15;

/**
 * Whether a file begins like a trace: with a whole packet of valid fields, and another packet after it. The first byte and
 * a known field are not enough: a string such as `\n<html>` has them, since its line break is the tag of a packet.
 */
function beginsWithPacket({ path, head }: Probe): boolean {
  try {
    const trace = new WireFields(head);
    if (!trace.header() || trace.tag !== TRACE.packet) return false;
    const packet = new WireFields(head, trace.from, trace.to);
    if (!packet.header() || !FIRST_FIELDS.has(packet.tag)) return false;
    const isInHead = trace.to <= head.length;
    const end = isInHead ? trace.to : head.length - LONGEST_HEADER;
    for (packet.position = packet.to; packet.position < end; packet.position = packet.to) packet.header();
    if (!isInHead) return packet.to <= trace.to && trace.to <= statSync(path).size;
    return packet.to === trace.to && (trace.to === head.length || head[trace.to] === TRACE.packet);
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
    return false;
  }
}

/** Slices of AMD's tracers, of any host program that rocprof-sys traced, and of `dprof perfetto`, by category. */
const AMD: ReadonlyMap<string, TakeSlice> = new Map(Object.entries(AMD_SLICES));
const HOST: ReadonlyMap<string, TakeSlice> = new Map(Object.entries(HOST_SLICES));
const DPROF: ReadonlyMap<string, TakeSlice> = new Map(Object.entries(DPROF_SLICES));

/** Packets that describe the trace, by the numbers of their fields. */
const DESCRIBING: ReadonlySet<number> = new Set([3, 33, 34, 35, 36, 43, 44, 45, 46, 69, 72, 89, 128]);
/** Names of other packets, by number. */
const PACKET_NAMES: ReadonlyMap<number, string> = new Map([
  ...([[1, 'ftrace_events'], [2, 'process_tree'], [5, 'chrome_events'], [7, 'sys_stats'], [9, 'process_stats']] as const),
  ...([[37, 'profile_packet'], [39, 'android_log'], [52, 'gpu_counter_event'], [63, 'gpu_log']] as const),
  ...([[66, 'perf_sample'], [67, 'cpu_info'], [133, 'zstd_compressed_packets']] as const),
]); // prettier-ignore

// Work in Perfetto's own terms for GPUs, and the calls that submitted it, as the CUPTI monitor of PyTorch writes them.
// Source: gpu_render_stage_event.proto of Perfetto; monitor_trace.py and monitor_pftrace.cpp of PyTorch.

const STREAM = /^stream (-?\d+)$/;

/** Adds work; other stages, such as those of graphics, are counted. */
function takeStage(stage: StageEvent, start: number | null, reading: SliceReading): void {
  const { dur, device, args, kernel, name, grid, block } = stage;
  const [, number] = STREAM.exec(stage.queue ?? '') ?? [];
  const work = {
    ...{ start, end: start === null || dur === null ? null : start + dur, device },
    stream: numberIn(args.get('stream id') ?? number),
    context: numberIn(args.get('context id')),
    ...{ corr: numberIn(args.get('correlation')) ?? stage.id, node: numberIn(args.get('graph node id')) },
  };
  const arch = /^sm_(\d+)$/.exec(textIn(args.get('arch')) ?? '')?.[1];
  if (arch !== undefined && device !== null) reading.describe({ id: device, vendor: 'nvidia', arch: `sm${arch}` });
  const bytes = numberIn(args.get('bytes'));
  if (kernel !== null || grid !== null)
    reading.trace.kernel({
      ...{ ...work, name: kernel ?? name, grid, block, graphId: numberIn(args.get('graph id')) },
      registers: numberIn(args.get('registers_per_thread')),
      sharedBytes: numberIn(args.get('shared_mem_dynamic')),
    });
  else if (stage.stage === 'Memcpy') reading.trace.copy({ ...work, kind: null, bytes });
  else if (stage.stage === 'Memset') reading.trace.set({ ...work, bytes, value: numberIn(args.get('value')) });
  else reading.trace.unread(`GPU stage ${stage.stage ?? 'without a name'}`, start);
}

/** Adds a slice of a thread: a call that submitted work or has its correlation id, an op with shapes, or another range. */
function takeHostSlice({ name, start, end, place, args, submitted }: Slice, { trace }: SliceReading): void {
  const row = { start, end, pid: place.pid, tid: place.tid };
  const corr = submitted ?? numberIn(args.get('correlation'));
  if (corr !== null) trace.call({ ...row, name, corr });
  else {
    const [dims, seq] = [args.get('Input Dims'), numberIn(args.get('Sequence number'))];
    const op = Array.isArray(dims) ? { name, seq, sizes: JSON.stringify(dims).replaceAll(',', ', ') } : null;
    trace.range({ ...row, text: name, op });
  }
}

/**
 * Joins beginnings and ends of slices. Most writers put the end of a slice after its beginning, or after those of the
 * slices within it, whatever the order of slices; some put all ends after all beginnings, which are then joined in
 * time order. Memory: 25 bytes for each event.
 */
class SliceEnds {
  readonly #time = NumericColumn.floats();
  readonly #track = NumericColumn.counts();
  readonly #isEnd = NumericColumn.codes();
  /** Time of the end, by row of the beginning; NaN when there is none. */
  #ends = new Float64Array(0);
  /** Number of ends without a beginning. */
  unpaired = 0;

  /** @param track number of the track, from 0 @param time time in ns */
  add(track: number, time: number, isEnd: boolean): void {
    this.#time.push(time);
    this.#track.push(track);
    this.#isEnd.push(isEnd ? 1 : 0);
  }

  /** Call it after the last event. @param tracks number of tracks */
  join(tracks: number): void {
    const { length } = this.#time;
    this.#ends = new Float64Array(length).fill(NaN);
    const groups = groupAll(length, (row) => this.#track.at(row), tracks);
    for (let track = 0; track < tracks; track++) {
      const rows = groupAt(groups, track);
      if (this.#joinNested(rows)) continue;
      for (const row of rows) this.#ends[row] = NaN;
      this.#joinByTime(rows);
    }
  }

  /** End of the slice that `add` took as this row, from 0; null when it is open at the end of the trace. */
  of(row: number): number | null {
    const end = this.#ends[row] ?? NaN;
    return Number.isNaN(end) ? null : end;
  }

  /** Matches each end with the last open slice. @returns false when slices then do not nest */
  #joinNested(rows: Uint32Array): boolean {
    const open: number[] = [];
    /** For each open slice, the latest end within it. */
    const latest: number[] = [];
    for (const row of rows) {
      const time = this.#time.at(row);
      if (this.#isEnd.at(row) === 0) {
        const around = open.at(-1);
        if (around !== undefined && time < this.#time.at(around)) return false;
        open.push(row);
        latest.push(time);
        continue;
      }
      const [begin, inner] = [open.pop(), latest.pop() ?? 0];
      if (begin === undefined || time < inner) return false;
      this.#ends[begin] = time;
      const last = latest.length - 1;
      if (last >= 0) latest[last] = Math.max(elementAt(latest, last), time);
    }
    return true;
  }

  /** Joins them in time order. At one time, slices that began earlier end before others begin. */
  #joinByTime(rows: Uint32Array): void {
    sortRows(rows, (a, b) => this.#time.at(a) - this.#time.at(b) || a - b);
    const open: number[] = [];
    const end = (row: number): void => {
      const begin = open.pop();
      if (begin === undefined) this.unpaired++;
      else this.#ends[begin] = this.#time.at(row);
    };
    for (let at = 0; at < rows.length;) {
      const time = this.#time.at(elementAt(rows, at));
      let next = at;
      while (next < rows.length && this.#time.at(elementAt(rows, next)) === time) next++;
      const ends = rows.subarray(at, next).filter((row) => this.#isEnd.at(row) === 1);
      let ended = 0;
      while (ended < ends.length && this.#time.at(open.at(-1) ?? -1) < time) end(elementAt(ends, ended++));
      for (const row of rows.subarray(at, next)) if (this.#isEnd.at(row) === 0) open.push(row);
      for (const row of ends.subarray(ended)) end(row);
      at = next;
    }
  }
}

class PerfettoTrace {
  readonly #trace = new TraceBuilder();
  readonly #tracks = new Tracks();
  readonly #ends = new SliceEnds();
  /** Numbers of tracks with slices. */
  readonly #numbers = new Map<WireNumber, number>();
  /** The earliest time; null in a trace without times. */
  #base: bigint | null = null;
  #hasStages = false;
  /** Number of events that the known writers write. */
  #known = 0;
  #damaged = 0;
  /** Sums of counters that state differences. */
  readonly #sums = new Map<WireNumber, number>();

  constructor(private readonly reader: PacketReader) {}

  read({ file }: Probe, options: ReadOptions) {
    const [trace, { reader }] = [this.#trace, this];
    this.#each((packet) => this.#note(packet));
    this.#ends.join(this.#numbers.size);
    const reading = new SliceReading(trace, this.#processes());
    let row = 0;
    this.#damaged = 0;
    this.#each((packet) => {
      if (this.#endsOrBegins(packet)) row++;
      this.#take(packet, row - 1, reading);
    });
    const damaged = this.#damaged + reader.damaged;
    if (this.#known === 0) refuse(file, damaged > 0 || reader.isCut);
    if (reader.isCut) trace.bad('truncated-input');
    trace.diagnostics.count('malformed-event', damaged);
    trace.diagnostics.count('range-without-start', this.#ends.unpaired);
    if (reader.unixOffset !== null && this.#base !== null) trace.origin(this.#base + reader.unixOffset);
    const { facts, vendor, devices } = reading;
    return trace.records({ format: perfetto.id, ...facts, device: { vendor: vendor ?? 'unknown' }, devices }, options);
  }

  /** Calls `take` with each packet; one with damaged data is counted. */
  #each(take: (packet: TracePacket) => void): void {
    for (const packet of this.reader.packets())
      try {
        take(packet);
      } catch (error) {
        if (!(error instanceof WireError)) throw error;
        this.#damaged++;
      }
  }

  /** Notes descriptors and times. */
  #note(packet: TracePacket): void {
    const { tag, data } = packet;
    if (tag === PACKET.trackDescriptor && data !== null) this.#tracks.take(data);
    if (tag === PACKET.gpuRenderStageEvent) this.#hasStages = true;
    const start = this.#timeOf(packet);
    const head = this.#endsOrBegins(packet);
    if (head === null || start === null) return;
    const number = entryOf(this.#numbers, head.track, () => this.#numbers.size);
    this.#ends.add(number, start, head.type === EVENT_TYPE.sliceEnd);
  }

  /** Type and track of a beginning or an end with a time; null for any other packet. */
  #endsOrBegins({ tag, data, time, sequence }: TracePacket): Pick<TrackEvent, 'type' | 'track'> | null {
    if (tag !== PACKET.trackEvent || data === null || time === null) return null;
    const head = headOf(data.again(), sequence);
    return head.type === EVENT_TYPE.sliceBegin || head.type === EVENT_TYPE.sliceEnd ? head : null;
  }

  /** Time in ns after the first time of an event. */
  #timeOf({ tag, time }: TracePacket): number | null {
    if (time === null || (tag !== PACKET.trackEvent && tag !== PACKET.gpuRenderStageEvent)) return null;
    this.#base ??= time;
    return Number(time - this.#base);
  }

  /** Finds the process that an arrow of `dprof perfetto` starts in, which matters where there are several. */
  #processes(): (flow: WireNumber) => number | null {
    const [pid = null, ...others] = this.#tracks.hosts();
    if (others.length === 0) return () => pid;
    const processes = new Map<WireNumber, number | null>();
    this.#each(({ tag, data, sequence }) => {
      if (tag !== PACKET.trackEvent || data === null) return;
      const { category, flows, track } = readEvent(data, sequence);
      if (category === 'launch') for (const flow of flows) processes.set(flow, this.#tracks.placeOf(track).pid);
    });
    return (flow) => processes.get(flow) ?? null;
  }

  #take(packet: TracePacket, row: number, reading: SliceReading): void {
    const { tag, data, sequence } = packet;
    const start = this.#timeOf(packet);
    if (data === null || tag === PACKET.clockSnapshot || tag === PACKET.trackDescriptor) return;
    if (tag === PACKET.gpuRenderStageEvent) {
      this.#known++;
      takeStage(readStage(data, sequence), start, reading);
    } else if (tag === PACKET.trackEvent) this.#takeEvent(readEvent(data, sequence), start, row, reading);
    else if (!DESCRIBING.has(tag >>> 3)) this.#trace.unread(PACKET_NAMES.get(tag >>> 3) ?? `packet ${tag >>> 3}`);
  }

  #takeEvent(event: TrackEvent, start: number | null, row: number, reading: SliceReading): void {
    const { type, track, category } = event;
    if (type === EVENT_TYPE.sliceEnd) return;
    const place = this.#tracks.placeOf(track);
    if (type === EVENT_TYPE.counter) {
      this.#takeCounter(event, start, place, reading);
      return;
    }
    const end = type === EVENT_TYPE.sliceBegin && start !== null ? this.#ends.of(row) : null;
    const slice: Slice = Object.assign(event, { place, start, end });
    const known = place.isOfDprof ? DPROF.get(category ?? '') : AMD.get(category ?? '');
    const take = known ?? (place.isOfDprof ? undefined : HOST.get(category ?? ''));
    if (known !== undefined) {
      this.#known++;
      if (!place.isOfDprof) reading.vendor = 'amd';
    }
    if (take !== undefined) take(slice, reading);
    else if (category === null && this.#hasStages && place.isThread) takeHostSlice(slice, reading);
    else this.#trace.unread(category ?? 'no category', start);
  }

  #takeCounter({ track, value }: TrackEvent, start: number | null, place: TrackPlace, reading: SliceReading): void {
    const { unit = null, multiplier = 1, isIncremental = false } = place.counter ?? {};
    if (value === null) this.#trace.unread('counter events without a value', start);
    // An unknown difference makes all later sums unknown.
    const sum = isIncremental ? (this.#sums.get(track) ?? 0) + (value ?? NaN) : (value ?? NaN);
    if (isIncremental) this.#sums.set(track, sum);
    const device = place.isOfDprof ? reading.deviceOf(place) : place.device;
    this.#trace.sample({ start, device, ...seriesOf(place.name), unit, value: orNull(sum * multiplier) });
  }
}

function refuse(where: string, isDamaged: boolean): never {
  if (isDamaged) throw new UserError('is a damaged Perfetto trace: no work in it can be read', { where, hint: 'copy it again' }); // prettier-ignore
  throw new UserError('is a Perfetto trace without device work that dparse can read', {
    where,
    hint: 'give a trace from rocprofv3, rocprof-sys, PyTorch or dprof perfetto; ui.perfetto.dev shows others',
  });
}
