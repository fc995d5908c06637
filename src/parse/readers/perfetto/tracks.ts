/**
 * Tracks of a Perfetto trace: the process, thread, device, stream or counter that each stands for. Source:
 * track_descriptor.proto of Perfetto; for names of tracks, generatePerfetto.cpp of rocprofiler-sdk, perfetto_processor.cpp
 * of rocprof-sys, and `prof/perfetto/tracks.ts`.
 */
import { COUNTER, PROCESS, THREAD, TRACK, UNIT } from '../../../record/perfetto-fields.js';
import { signed, type WireFields, type WireNumber } from '../../input/protobuf-fields.js';

interface Descriptor {
  readonly name: string | null;
  readonly parent: WireNumber | null;
  readonly process: { readonly pid: number; readonly name: string } | null;
  readonly thread: { readonly pid: number; readonly tid: number; readonly name: string } | null;
  readonly counter: {
    readonly unit: string | null;
    readonly multiplier: number;
    readonly isIncremental: boolean;
  } | null;
}

/** What a track stands for; fields that are unknown are null. */
export interface TrackPlace {
  /** '' when it has none. */
  readonly name: string;
  readonly process: string;
  readonly isThread: boolean;
  /** Whether the names are those of `dprof perfetto`. */
  readonly isOfDprof: boolean;
  readonly pid: number | null;
  readonly tid: number | null;
  /** The rank, device and stream that the names state. */
  readonly rank: number | null;
  readonly device: number | null;
  readonly deviceName: string | null;
  readonly stream: number | null;
  readonly counter: Descriptor['counter'];
}

/** Maximum depth of tracks. */
const DEEPEST = 16;
/** Process of `dprof perfetto`: `rank 3, device 0: NVIDIA H100`, `host 4242`. */
const OF_DPROF = /^(?:profile \d+, )?(?:rank (\d+), )?(?:device(?: (\d+))?(?:: (.*))?|host (\d+)|profile)$/s;
const OWN_THREAD = /^(?:thread (\d+)|unknown thread)$/;
/** `COMPUTE GPU [0] QUEUE [1]`, `GPU Kernel Dispatch [0] Queue 1`, `COPY BYTES to AGENT [1] (GPU)`, `GPU [0] Power (S)`. */
const DEVICE = /\b(?:GPU|AGENT|Dispatch|Activity Device) \[?(\d+)\]?/i;
const STREAM = /\b(?:stream|queue) ?\[?"? ?(-?\d+)/i;

/** Units by their numbers in the format. */
const UNITS: ReadonlyMap<number, string> = new Map(Object.entries(UNIT).map(([name, number]) => [number, name]));

export class Tracks {
  readonly #descriptors = new Map<WireNumber, Descriptor>();
  readonly #places = new Map<WireNumber, TrackPlace>();

  take(fields: WireFields): void {
    let [uuid, name, parent]: [WireNumber, string | null, WireNumber | null] = [0, null, null];
    let [process, thread, counter]: [Descriptor['process'], Descriptor['thread'], Descriptor['counter']] = [null, null, null]; // prettier-ignore
    while (fields.next()) {
      if (fields.tag === TRACK.uuid) uuid = fields.value;
      else if (fields.tag === TRACK.name) name = fields.text();
      else if (fields.tag === TRACK.parentUuid) parent = fields.value;
      else if (fields.tag === TRACK.process) process = processOf(fields.inside());
      else if (fields.tag === TRACK.thread) thread = threadOf(fields.inside());
      else if (fields.tag === TRACK.counter) counter = counterOf(fields.inside());
    }
    this.#descriptors.set(uuid, { name, parent, process, thread, counter });
  }

  /** Call it after the last descriptor. */
  placeOf(uuid: WireNumber): TrackPlace {
    let place = this.#places.get(uuid);
    if (place === undefined) this.#places.set(uuid, (place = this.#place(uuid)));
    return place;
  }

  /** Ids of the host processes of `dprof perfetto`. */
  hosts(): number[] {
    const names = [...this.#descriptors.values()].flatMap(({ process }) => process?.name ?? []);
    return names.flatMap((name) => numberOf(OF_DPROF.exec(name)?.[4]) ?? []);
  }

  #place(uuid: WireNumber): TrackPlace {
    const chain: Descriptor[] = [];
    let at: Descriptor | undefined = this.#descriptors.get(uuid);
    for (; at !== undefined && chain.length < DEEPEST; at = this.#descriptors.get(at.parent ?? 0)) chain.push(at);
    const thread = chain.find((descriptor) => descriptor.thread !== null)?.thread ?? null;
    const owner = chain.find((descriptor) => descriptor.process !== null)?.process ?? null;
    const name = chain[0]?.name ?? chain[0]?.thread?.name ?? chain[0]?.process?.name ?? '';
    const process = owner?.name ?? '';
    const known = OF_DPROF.exec(process);
    const [, rank, device, deviceName, pid] = known ?? [];
    const tid = known === null ? undefined : OWN_THREAD.exec(thread?.name ?? '');
    return {
      ...{ name, process, isThread: thread !== null, isOfDprof: known !== null },
      pid: known === null ? (thread?.pid ?? owner?.pid ?? null) : numberOf(pid),
      tid: tid === undefined || tid === null ? (thread?.tid ?? null) : numberOf(tid[1]),
      ...{ rank: numberOf(rank), deviceName: deviceName ?? null },
      device: numberOf(known !== null ? device : /\bCPU\b/.test(name) ? undefined : DEVICE.exec(name)?.[1]),
      stream: numberOf(STREAM.exec(name)?.[1]),
      counter: chain[0]?.counter ?? null,
    };
  }
}

const numberOf = (digits: string | undefined): number | null => (digits === undefined ? null : Number(digits));

function processOf(fields: WireFields): NonNullable<Descriptor['process']> {
  let [pid, name] = [0, ''];
  while (fields.next()) {
    if (fields.tag === PROCESS.pid) pid = signed(fields.value);
    else if (fields.tag === PROCESS.name) name = fields.text();
  }
  return { pid, name };
}

function threadOf(fields: WireFields): NonNullable<Descriptor['thread']> {
  let [pid, tid, name] = [0, 0, ''];
  while (fields.next()) {
    if (fields.tag === THREAD.pid) pid = signed(fields.value);
    else if (fields.tag === THREAD.tid) tid = signed(fields.value);
    else if (fields.tag === THREAD.name) name = fields.text();
  }
  return { pid, tid, name };
}

function counterOf(fields: WireFields): NonNullable<Descriptor['counter']> {
  let [unit, multiplier, isIncremental]: [string | null, number, boolean] = [null, 1, false];
  while (fields.next()) {
    if (fields.tag === COUNTER.unit) unit ??= UNITS.get(Number(fields.value)) ?? null;
    else if (fields.tag === COUNTER.unitName) unit = fields.text();
    else if (fields.tag === COUNTER.unitMultiplier) multiplier = signed(fields.value) || 1;
    else if (fields.tag === COUNTER.isIncremental) isIncremental = fields.value === 1;
  }
  return { unit, multiplier, isIncremental };
}
