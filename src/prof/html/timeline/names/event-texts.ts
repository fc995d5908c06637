/** Texts of events of a timeline. */
import type { CopyLine, RangeRecord } from '../../../../record/record.js';
import type { DeviceActivity } from '../../../input/device-activity.js';
import { hostRangeName, rangeAmong } from '../../../by/host/range-name.js';

const OPS = new Set(['op'] as const);

/** The op or layer that tables have a range of the host under. */
export function tableNames(record: RangeRecord): Readonly<Record<'op' | 'layer', string | null>> {
  const op = rangeAmong(OPS, record);
  return {
    op: op === null ? null : hostRangeName(op),
    layer: record.kind === 'layer' ? hostRangeName(record) : null,
  };
}

/** `0 hardware_dynamic`: number of a packet's queue, and what it is for. */
export const queueOf = (record: DeviceActivity): string | null =>
  record.type !== 'copy' || record.queue === undefined
    ? null
    : [record.queue, ...(record.queueType === undefined ? [] : [record.queueType])].join(' ');

/** `copy HtoD`; `copy DMA w` of a packet that moves a part of the tensor w. */
export const copyTitle = ({ kind, labels }: CopyLine): string =>
  ['copy', ...(kind === null ? [] : [kind]), ...(labels?.['variable'] === undefined ? [] : [labels['variable']])].join(
    ' ',
  );
