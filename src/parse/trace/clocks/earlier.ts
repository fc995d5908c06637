import type { ProfileLine } from '../../../record/record.js';

/** The record with all its times earlier. */
export function earlierBy(lead: number, record: ProfileLine): ProfileLine {
  if (!('start' in record) || record.start === null) return record;
  const launch = 'launch' in record ? (record.launch ?? null) : null;
  const forward = 'forward' in record ? (record.forward ?? null) : null;
  return {
    ...record,
    start: record.start - lead,
    ...(launch === null ? undefined : { launch: { ...launch, start: launch.start - lead } }),
    ...(forward === null ? undefined : { forward: { ...forward, start: forward.start - lead } }),
  };
}
