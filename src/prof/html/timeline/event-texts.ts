/** Texts of events of a timeline. */
import type { RangeRecord } from '../../../record/record.js';
import type { DeviceActivity } from '../../input/device-activity.js';
import { hostRangeName, rangeAmong } from '../../by/host/range-name.js';

const OPS = new Set(['op'] as const);

/** A range of the host: its name, and the op or layer that tables have it under. */
export function rangeTexts(record: RangeRecord): Readonly<Record<'name' | 'op' | 'layer', string | null>> {
  const { kind, domain, text } = record;
  const op = rangeAmong(OPS, record);
  return {
    name: domain === null ? text : `${domain}:${text}`,
    op: op === null ? null : hostRangeName(op),
    layer: kind === 'layer' ? hostRangeName(record) : null,
  };
}

/** `0 hardware_dynamic`: number of a packet's queue, and what it is for. */
export const queueOf = (record: DeviceActivity): string | null =>
  record.type !== 'copy' || record.queue === undefined
    ? null
    : [record.queue, ...(record.queueType === undefined ? [] : [record.queueType])].join(' ');
