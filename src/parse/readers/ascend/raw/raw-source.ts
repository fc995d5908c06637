/**
 * Turns raw data into the events that a trace would have: device tasks are joined to the host's tasks, and these to the
 * operators and collectives of their calls. A device task and a host task are the same if device, stream, number and batch
 * are equal.
 */
import { entryOf } from '../../../../containers/map-entry.js';
import { elementAt } from '../../../../containers/element.js';
import { NO_ROW } from '../../../../containers/hash-index.js';
import { columns } from '../../../../containers/numeric-column.js';
import { Diagnostics } from '../../../../record/diagnostics.js';
import type { ActivityDetails } from '../../../trace/trace.js';
import { NumberIndex } from '../../../trace/trace-columns.js';
import { ThreadTable } from '../../../trace/threads.js';
import { HostEvents } from '../../../torch/host-events.js';
import { UnreadEvents } from '../../../unread-events.js';
import { COLLECTIVE_TYPE_CODES, LINK_CODES } from '../device-kinds.js';
import { kernelFields, kernelLabels, withTaskIds, type TextLabel } from '../kernel-labels.js';
import {
  metadataFacts,
  readMetadataFile,
  readProfilerInfo,
  toolName,
  type AscendProfileFacts,
} from '../profiler-info.js';
import { jobOf, ProcessGroups } from '../process-groups.js';
import { CollectiveParts, type CommunicationFacts } from '../text/collective-parts.js';
import { FREQUENCY } from '../text/counter-events.js';
import { LaunchQueue, TraceFlows, TraceMarks } from '../text/flows.js';
import { TextSamples } from '../text/text-samples.js';
import type { TracedEvents, TracedKernels, TraceSource } from '../text/trace-source.js';
import { AscendTexts, type TracedCollective } from '../text/trace-rows.js';
import { TraceTasks } from '../text/trace-tasks.js';
import { DeviceTasks, type DeviceTask } from './device-tasks.js';
import { readFramework } from './framework-files.js';
import { HostTracks, type HostTask, type Operator } from './host-tracks.js';
import { coreName, RawTexts } from './raw-texts.js';
import { RawFolder, SHORT_PLATFORM } from './raw-folder.js';

/** Types of the tasks that run on compute units. In a call, tasks of other types have no operator. */
const OF_KERNELS = /^(?:KERNEL_|FFTS_PLUS|STARS_COMMON|AI_|AIV|MIX_|DSA)/;

/** @throws UserError when no log states the host's clock */
export function rawSource(path: string, name: string): TraceSource {
  const [diagnostics, unread] = [new Diagnostics(), new UnreadEvents()];
  const folder = new RawFolder(path, name);
  const texts = new RawTexts();
  const threads = new ThreadTable();
  threads.process(NaN, NaN);
  const host = new HostEvents(new AscendTexts(texts.bytes));
  const [queue, samples] = [new LaunchQueue(), new TextSamples()];
  readFramework({ folder, threads, host, queue, samples, texts, diagnostics });
  const tracks = new HostTracks(folder, threads, texts, diagnostics);
  for (const { thread, start, end, text } of tracks.marks) host.add('annotation', start, end, thread, texts.numberOf(text));
  const work = new RawWork(folder, tracks, texts, samples, diagnostics, unread);
  for (const kind of folder.unread()) unread.count(kind);
  // The host's tasks and operators are needed only for joining, so they are released before the events are added.
  const { lanes, groups: communication } = work;
  const events: TracedEvents = {
    ...{ threads, calls: tracks.calls, texts: texts.bytes, host, tasks: work.tasks, collectives: work.collectives },
    ...{ parts: work.parts, flows: new TraceFlows(), marks: new TraceMarks(), queue, samples },
    deviceOf: (lane) => lanes[lane] ?? 0,
  };
  const info = readProfilerInfo(folder.parent, null, diagnostics);
  const metadata = readMetadataFile(folder.parent, diagnostics);
  const groups = new ProcessGroups(metadata.get('parallel_group_info'), true, info?.rank ?? null);
  const profile: AscendProfileFacts = {
    tool: info === null ? 'msprof' : toolName(info),
    rank: info?.rank ?? null,
    job: jobOf(metadata.get('distributed_args'), groups, null),
    facts: { ...info?.facts, ...metadataFacts(metadata) },
  };
  const known = new Map(folder.devices.map(({ device }) => [device.id, device]));
  return {
    ...{ events, details: work.kernels, clock: folder, diagnostics, unread, groups, profile, copies: work.copies },
    communication: () => communication,
    devicesOf: (ids) => [...new Set(ids)].sort((a, b) => a - b).flatMap((id) => known.get(id) ?? []),
  };
} // prettier-ignore

/** Work of all devices. Each lane is a device. */
class RawWork {
  readonly tasks = new TraceTasks();
  readonly kernels: RawKernels;
  readonly collectives: TracedCollective[] = [];
  readonly parts = new CollectiveParts();
  /** Groups of collectives by name. */
  readonly groups = new Map<string, CommunicationFacts>();
  readonly copies = new Map<number, { readonly bytes: number; readonly direction: number }>();
  readonly lanes: number[] = [];
  /** Row of the first host task with each device, stream, number and batch. */
  readonly #byPlace: NumberIndex;
  /** Tasks of calls that launch collectives, by call. */
  readonly #parts = new Map<number, { lane: number; start: number; end: number }>();

  constructor(
    folder: RawFolder,
    private readonly tracks: HostTracks,
    private readonly texts: RawTexts,
    samples: TextSamples,
    diagnostics: Diagnostics,
    unread: UnreadEvents,
  ) {
    this.kernels = new RawKernels();
    const short = new Set(folder.devices.flatMap(({ id, platform }) => (platform === SHORT_PLATFORM ? [id] : [])));
    const placeOfRow = (row: number): number => {
      const { device, stream, task, batch } = elementAt(tracks.tasks, row);
      return short.has(device) ? placeOf(device, 0, task, 0) : placeOf(device, stream, task & 0xffff, batch);
    };
    this.#byPlace = new NumberIndex({ at: placeOfRow });
    for (let row = 0; row < tracks.tasks.length; row++) if (this.#byPlace.get(placeOfRow(row)) === NO_ROW) this.#byPlace.put(row);
    for (const device of folder.devices) {
      const lane = this.lanes.push(device.id) - 1;
      if (device.timeOf === null) {
        // Without the device's clock, none of its data can be read.
        unread.count(`device_${device.id} without dev_start.log`);
        diagnostics.count('device-without-clock');
        continue;
      }
      const found = new DeviceTasks(folder, device, device.timeOf, diagnostics, unread);
      for (const { time, hertz } of found.clocks) samples.add({ metric: FREQUENCY, unit: 'Hz' }, time, hertz, device.id);
      for (const task of found.tasks()) this.#addTask(lane, device.id, task);
    }
    this.#addCollectives();
  } // prettier-ignore

  #addTask(lane: number, device: number, task: DeviceTask): void {
    const put = this.tracks.tasks[this.#byPlace.get(placeOf(device, task.stream, task.task, task.batch))];
    const call = put?.call ?? -1;
    if (put?.isOfCollective === true && call !== -1) {
      const part = entryOf(this.#parts, call, () => ({ lane, start: task.start, end: task.end }));
      part.start = Math.min(part.start, task.start);
      part.end = Math.max(part.end, task.end);
      const message = this.tracks.messages.get(put.inner)?.find(({ context }) => context === task.context);
      if (message !== undefined) {
        const dur = message.isRemote ? NaN : task.end - task.start;
        this.parts.add(task.start, lane, 0, { ...message, link: LINK_CODES[message.link] ?? 'N/A', dur });
      }
    }
    const type = put?.type ?? task.type;
    const operator = put === undefined ? null : this.#operatorOf(put, task);
    const row = this.tasks.length;
    const copied = call === -1 ? undefined : this.tracks.copies.get(call);
    if (copied !== undefined) this.copies.set(row, copied);
    const name = operator?.name ?? (put !== undefined && OF_KERNELS.test(type) ? put.kernel || this.#itemOf(call) : '');
    this.tasks.push({
      ...{ start: task.start, end: task.end, lane, stream: put?.stream ?? task.stream },
      ...{ connection: call === -1 ? NaN : call, name: this.texts.numberOf(name === '' ? type : name) },
      ...{ type: this.texts.numberOf(type) + 1, task: task.task, batch: task.batch, subtask: task.context },
    });
    if (operator !== null) this.kernels.add(operator, task);
  }

  #itemOf(call: number): string {
    return call === -1 || !this.tracks.isNode(call) ? '' : this.tracks.itemOf(call);
  }

  /**
   * The operator of a task. In a group, each task has the operator of its context. The task around the group has no
   * operator.
   */
  #operatorOf(put: HostTask, task: DeviceTask): Operator | null {
    if (put.isOfCollective || !OF_KERNELS.test(put.type)) return null;
    const found = this.tracks.operators.get(put.call) ?? [];
    const ofContext = found.find(({ contexts }) => contexts.includes(task.context));
    if (ofContext !== undefined) return ofContext;
    return found.find(({ contexts }) => contexts.length === 0) ?? null;
  }

  /**
   * Adds collectives, from the first start to the last end of their tasks, with the names that the vendor's tool gives
   * them.
   */
  #addCollectives(): void {
    const counts = new Map<string, number>();
    const parts = [...this.#parts].sort(([, a], [, b]) => a.start - b.start);
    for (const [call, { lane, start, end }] of parts) {
      const stated = this.tracks.collectives.get(call);
      const item = this.tracks.itemOf(call);
      const group = stated === undefined ? '' : String(stated.group);
      const number = counts.get(group) ?? 0;
      counts.set(group, number + 1);
      const name = stated === undefined ? item : `${item}_${group.slice(-3)}_${number}_1`;
      if (stated !== undefined) this.groups.set(name, { group, link: null, times: null, transfers: [] });
      this.collectives.push({
        ...{ start, end, lane, pid: lane, tid: 0, connection: call, name },
        dataType: stated === undefined ? null : (COLLECTIVE_TYPE_CODES[stated.dataType] ?? null),
        algorithm: stated?.algorithm ?? null,
        count: stated?.count ?? null,
      });
    }
  }
}

/** Device, stream, number and batch of a task as one number below 2^53. */
const placeOf = (device: number, stream: number, task: number, batch: number): number =>
  ((device * 65_536 + stream) * 65_536 + task) * 16_384 + (batch % 16_384);

/** Kernels with the facts of their operators, in the order of tasks. Memory: 40 bytes for each kernel, and its operator. */
class RawKernels
  extends columns({ start: 'f64', blocks: 'f64', context: 'u32', cycles: 'f64', isVector: 'u8' })
  implements TracedKernels
{
  readonly #operators: Operator[] = [];

  add(operator: Operator, { start, context, cycles, isVector }: DeviceTask): void {
    this.push({ start, blocks: operator.blocks & 0xffff || NaN, context, cycles, isVector: Number(isVector) });
    this.#operators.push(operator);
  }

  nameOf(row: number): string {
    return elementAt(this.#operators, row).name;
  }

  isCollective(): boolean {
    return false;
  }

  detailsOf(row: number, taskType: string | null, taskId?: number): ActivityDetails {
    const operator = elementAt(this.#operators, row);
    const cycles = this.cycles.at(row);
    const core = this.isVector.at(row) === 1 ? 'aiv' : 'aic';
    const counters = Number.isNaN(cycles) ? null : { [`${core}_total_cycles`]: cycles };
    const blockDim = this.blocks.at(row);
    const facts = { taskType, blockDim, mixBlockDim: blockDim * (operator.blocks >>> 16) };
    const labels = kernelLabels((label) => textOf(operator, label), facts);
    // Raw tasks do not state their model.
    const ids = [taskId ?? NaN, NaN, this.context.at(row)];
    return kernelFields(operator.name, coreName(operator.core), counters, withTaskIds(labels, ids));
  } // prettier-ignore
}

/**
 * A label of an operator: extents, element types and formats of all tensors, with the separators of the vendor's tables.
 */
function textOf({ opType, tensors: { inputs, outputs } }: Operator, label: TextLabel): string {
  const listed = (tensors: readonly string[][], i: number): string => tensors.map((tensor) => tensor[i] ?? '').join(';');
  const texts: Readonly<Partial<Record<TextLabel, string>>> = {
    opType,
    inputShapes: listed(inputs, 0),
    inputTypes: listed(inputs, 1),
    inputFormats: listed(inputs, 2),
    outputShapes: listed(outputs, 0),
    outputTypes: listed(outputs, 1),
    outputFormats: listed(outputs, 2),
  };
  return texts[label] ?? '';
} // prettier-ignore
