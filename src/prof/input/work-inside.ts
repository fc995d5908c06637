/** The part of a device's work inside a time: its FLOPs and bytes are in proportion, so that its rates are those of the whole. */
import { PS_PER_NS } from '../../containers/interval-union.js';
import { STEP_METRIC, type KernelRecord, type RangeRecord, type SampleRecord } from '../../record/record.js';
import type { Item } from '../analysis.js';
import { Annotated } from '../annotate.js';
import { workOf } from '../steps/step-work.js';
import { isDeviceActivity, type DeviceActivity } from './device-activity.js';
import type { RecordChoice } from './record-choice.js';
import type { TimeWindow } from './named-range.js';

interface CutWork {
  readonly record: DeviceActivity;
  /** Share of the duration that is inside. */
  readonly share: number;
}

/** Null for work that is inside as a whole. */
function cutWork(record: DeviceActivity, { from, to }: TimeWindow): CutWork | null {
  const { start, dur, ps = [0, 0] } = record;
  if (dur === null || !(dur >= 0)) return null;
  const begin = start * PS_PER_NS + ps[0];
  const end = begin + dur * PS_PER_NS + ps[1];
  const first = Math.max(begin, Math.round(from * PS_PER_NS));
  const last = Math.min(end, Math.round(to * PS_PER_NS));
  if (first === begin && last === end) return null;
  const length = last - first;
  const share = length / (end - begin);
  const rest = [first % PS_PER_NS, length % PS_PER_NS] as const;
  const time = {
    ...{ start: Math.floor(first / PS_PER_NS), dur: Math.floor(length / PS_PER_NS) },
    ...(record.ps !== undefined || rest.some((part) => part > 0) ? { ps: rest } : {}),
  };
  const bytes = 'bytes' in record && typeof record.bytes === 'number' ? { bytes: record.bytes * share } : {};
  return { record: { ...record, ...time, ...bytes } as DeviceActivity, share };
}

/** A step of the host lasts from its start inside to its end inside, or to the start of the next step inside. */
function cutStep(record: SampleRecord, { from, to }: TimeWindow): SampleRecord {
  const { metric, start, dur = null } = record;
  if (metric !== STEP_METRIC || start === null) return record;
  const first = Math.max(start, from);
  return { ...record, start: first, ...(dur === null ? {} : { dur: Math.min(start + dur, to) - first }) };
}

/** Cuts a range and leaves out its self time, which is unknown for a part. */
function cutRange(record: RangeRecord, { from, to }: TimeWindow): RangeRecord {
  const [start, end] = [Math.max(record.start, from), Math.min(record.start + record.dur, to)];
  if (!Number.isFinite(record.dur) || end < start || (start === record.start && end === start + record.dur))
    return record;
  const { self: _, ...rest } = record;
  return { ...rest, start, dur: end - start };
}

/** Cuts work, host steps and host ranges at the edges of the selected time. */
export class WorkInside {
  /**
   * @param choice gives the time of each profile, and counts kernels, copies and other work that is cut, but no waits
   * @param hasWholeRanges whether ranges stay as they are
   */
  constructor(
    private readonly choice: Pick<RecordChoice, 'windowOf' | 'onCut'>,
    private readonly hasWholeRanges = false,
  ) {}

  /** @param item at least partly inside; a kernel comes twice: as a record, and then annotated */
  of(item: Item): Item {
    const record = item instanceof Annotated ? item.record : item;
    const window = this.choice.windowOf(record.profile);
    if (window !== undefined && record.type === 'sample') return cutStep(record, window);
    if (window !== undefined && record.type === 'range') return this.hasWholeRanges ? item : cutRange(record, window);
    const cut = window !== undefined && isDeviceActivity(record) ? cutWork(record, window) : null;
    if (cut === null) return item;
    // The record of an annotated kernel has all fields.
    if (item instanceof Annotated) return item.cutTo(cut.record as KernelRecord, cut.share);
    if (workOf(item) !== null) this.choice.onCut();
    return cut.record;
  }

  /** The part of an annotated kernel inside, for answers that take no other kernels. */
  kernel(row: Annotated): Annotated {
    const part = this.of(row) as Annotated;
    if (part !== row) this.choice.onCut();
    return part;
  }
}
