/**
 * Reader for XPlane files (XSpace in protobuf), which JAX, TensorFlow and PyTorch/XLA write: planes of GPUs, TPUs and the
 * host, and the compiled programs. A file is read in pieces, plane by plane. Source: xplane.proto and hlo.proto of OpenXLA;
 * files from JAX 0.8 and 0.10 on AMD GPUs, TPUs and CPUs.
 */
import { statSync } from 'node:fs';
import { UserError } from '../../../record/errors.js';
import type { Device, Labels } from '../../../record/record.js';
import { BlockFile } from '../../input/byte-window.js';
import { WireFields } from '../../input/protobuf-fields.js';
import { WireError } from '../../input/protobuf.js';
import type { Probe, ReadOptions, Reader } from '../../reader.js';
import { TraceBuilder } from '../../trace/trace-builder.js';
import { gpuOf, readGpuPlane, type Reading } from './gpu-plane.js';
import { HostPlanes, noteHostPlane } from './host-plane.js';
import { Programs } from './hlo.js';
import { NeededRanges } from './needed-ranges.js';
import { OpTable } from './op-facts.js';
import { rankOfHost } from './run-files.js';
import { noteLaunches, readTpuPlane, tpuOf } from './tpu-plane.js';
import { numberOf, planesIn, Plane, ABSOLUTE, textOf, type PlanePlace } from './xspace.js';

const PLANE_NAME = /^(?:\/device:|\/host:|Task Environment|#Chip)/;
/** The name of the first plane in a file whose lengths are damaged. */
const DAMAGED = /^\n[^]{1,40}\/(?:host|device):/;
const METADATA = '/host:metadata';
const ENVIRONMENT = 'Task Environment';

export const xplane: Reader = {
  id: 'xplane',
  title: 'XPlane of JAX, TensorFlow and PyTorch/XLA (*.xplane.pb)',
  reads: 'binary',
  fileNames: /\.xplane\.pb(?:\.gz)?$/,
  docs: {
    profiler: 'JAX, TensorFlow, PyTorch/XLA (XPlane)',
    input: '`*.xplane.pb`, of GPUs, TPUs and CPUs',
    made: [
      '`jax.profiler.trace(FOLDER)` around the steps, which writes `FOLDER/plugins/profile/RUN/HOST.xplane.pb`, a file for each host; give the folder `RUN`, whose hosts become ranks in the order of their names',
    ],
    read: [
      'GPUs of AMD and NVIDIA: kernels, copies and memsets with the call that launched them, stream, grid, block, registers and shared memory; the op by its path, with scopes as layers, and its HLO instruction, whose shapes give FLOPs and bytes. TPUs: instructions with the FLOPs and bytes that the compiler states, programs, transfers and waits. CPUs: instructions as ranges. Steps, annotations, Python frames, allocator memory, source lines.',
      "Lines that XProf derives from others are left out, and counted. The host's name and address are not read. A file holds the GPUs of its host: those without events did not run, or were not recorded.",
      'Consecutive kernels of one instruction share its work. The shapes of Triton and Transformer Engine calls do not show what they compute, so their work is unknown.',
    ],
  },
  // Reading creates no object per event, so a larger young generation does not help.
  youngGenerationMb: 32,
  sniff: ({ head }) => head[0] === 0x0a && (DAMAGED.test(head.toString('latin1', 0, 64)) || beginsWithPlane(head)),
  read,
};

/** Whether a file begins with a plane: its first field is a message that has the name of one. */
function beginsWithPlane(head: Buffer): boolean {
  try {
    const space = new WireFields(head);
    space.header();
    const plane = new WireFields(head, space.from, Math.min(space.to, head.length));
    while (plane.header()) {
      if (plane.field === 2) return PLANE_NAME.test(head.toString('utf8', plane.from, Math.min(plane.to, head.length)));
      if (plane.field > 6) return false;
      plane.position = plane.to;
    }
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
  }
  return false;
}

function read(probe: Probe, options: ReadOptions) {
  if (probe.head.includes('\ufffd\ufffd'))
    throw new UserError('is a damaged XPlane file: it was saved as text, and a length in it exceeds the file', {
      where: probe.file,
      hint: 'copy it again, as a binary file',
    });
  const file = new BlockFile(probe.path);
  try {
    return new XSpaceTrace(file, probe).read(options);
  } finally {
    file.close();
  }
}

class XSpaceTrace {
  readonly #trace = new TraceBuilder();
  readonly #programs: Programs;
  readonly #places: readonly PlanePlace[];
  readonly #devices: (Partial<Device> & Pick<Device, 'id'>)[] = [];
  #damaged = 0;
  readonly #facts: Record<string, string | number> = {};

  constructor(
    private readonly file: BlockFile,
    private readonly probe: Probe,
  ) {
    this.#programs = new Programs(file);
    try {
      const { planes, isCut, damage } = planesIn(file, statSync(probe.path).size);
      this.#places = planes;
      if (damage !== null) this.#damaged++;
      if (isCut) this.#trace.bad('truncated-input');
    } catch (error) {
      if (!(error instanceof WireError)) throw error;
      throw new UserError(`is a damaged XPlane file: ${error.message}`, { where: probe.file, hint: 'copy it again' });
    }
  }

  read(options: ReadOptions) {
    const trace = this.#trace;
    const { start, stop, pid } = this.#environment();
    const zero = start ?? this.#firstTime();
    const reading: Reading = {
      ...{ trace, ops: new OpTable(this.#programs), zero, copyCalls: new Map(), launches: new Map(), runs: 0 },
    };
    const devices = this.#named(/^(?!\/host:|Task Environment$)/);
    for (const place of devices)
      if (place.name.startsWith('/device:TPU:')) noteLaunches(new Plane(this.file, place), reading);
    const hosts = this.#named(/^\/host:(?!metadata$)/).map((place) => new Plane(this.file, place));
    const needed = new NeededRanges();
    for (const plane of hosts) {
      const { damaged } = plane;
      noteHostPlane(plane, reading, needed);
      // Damaged events are counted when they are read again.
      plane.damaged = damaged;
    }
    let isIdle = true;
    for (const place of devices) {
      const plane = new Plane(this.file, place);
      if (this.#readDevice(plane, reading) > 0) isIdle = false;
      this.#damaged += plane.damaged;
    }
    const isAll = options.ranges !== false && (options.ranges !== 'without-work' || isIdle);
    const host = new HostPlanes(reading, pid, isAll ? null : needed);
    for (const plane of hosts) {
      host.read(plane);
      this.#damaged += plane.damaged;
    }
    if (start !== null || zero > ABSOLUTE) trace.origin(zero);
    if (start !== null) trace.seen(0);
    const damaged = this.#damaged + this.#programs.damaged;
    if (damaged > 0) trace.diagnostics.count('malformed-event', damaged);
    if (reading.ops.notFound > 0)
      trace.unread('instruction names that no program contains', null, reading.ops.notFound);
    const dur = start !== null && stop !== null && stop > start ? Number(stop - start) : null;
    const facts: Labels = this.#facts;
    const rank = options.rank ?? rankOfHost(this.probe);
    return trace.records({ format: xplane.id, tool: this.#tool(), rank, dur, devices: this.#devices, facts }, options);
  }

  #named(pattern: RegExp): PlanePlace[] {
    return this.#places.filter(({ name }) => pattern.test(name));
  }

  /** @returns the number of its events that are work */
  #readDevice(plane: Plane, reading: Reading): number {
    const [, kind, number] = /^\/device:([A-Z]+):(\d{1,6})(?: |$)/.exec(plane.place.name) ?? [];
    const device = Number(number);
    if (kind === 'GPU') {
      if (plane.lines.length > 0 || plane.stats.size > 1) this.#devices.push(gpuOf(plane, device));
      return readGpuPlane(plane, device, reading);
    }
    if (kind === 'TPU') {
      if (!this.#devices.some(({ id }) => id === device)) this.#devices.push(tpuOf(plane, device));
      return readTpuPlane(plane, device, reading);
    }
    const events = plane.lines.reduce((sum, line) => sum + line.events, 0);
    if (events > 0) this.#trace.unread(`plane ${plane.place.name}`, null, events);
    return 0;
  }

  /** Times of the profile in Unix time in ns, and the process. The file's programs are noted on the way. */
  #environment(): { start: bigint | null; stop: bigint | null; pid: number | null } {
    let [start, stop, pid]: [bigint | null, bigint | null, number | null] = [null, null, null];
    for (const place of this.#named(/^(?:Task Environment|\/host:metadata)$/)) {
      const { stats, kinds } = new Plane(this.file, place);
      const timeAt = (name: string): bigint | null => {
        const value = stats.get(name);
        return typeof value === 'bigint' || Number.isInteger(value) ? BigInt(value as number) : null;
      };
      if (place.name === ENVIRONMENT) [start, stop] = [timeAt('profile_start_time'), timeAt('profile_stop_time')];
      if (place.name !== METADATA) continue;
      this.#programs.add(kinds);
      pid = numberOf(stats.get('process_id'));
      for (const name of ['jax_version', 'jaxlib_version']) {
        const version = textOf(stats.get(name));
        if (version !== null) this.#facts[name] = version;
      }
    }
    return { start, stop, pid };
  }

  /** The least time of a line that counts from 1970; 0 when all count from the profile's start. */
  #firstTime(): bigint {
    let first: bigint | null = null;
    for (const place of this.#named(/^\/(?:host|device):/))
      for (const { time } of new Plane(this.file, place).lines)
        if (time > ABSOLUTE && (first === null || time < first)) first = time;
    return first ?? 0n;
  }

  #tool(): string | null {
    const version = this.#facts['jax_version'];
    return version === undefined ? null : `JAX ${version}`;
  }
}
