/** A device's span in parts. Overlapping work counts once: as computation, else communication, else copies and sets. */
import type { DeviceTime } from '../../prof/summary/summary-data.js';
import type { StripPart } from './strip.js';

/** @param at index of the device among those of the profile */
export function deviceParts({ gaps, missing }: DeviceTime, at: number): StripPart[] {
  const of = (name: string): string => `overview.devices.${at}.${name}`;
  const busy: StripPart[] = [
    { name: 'Compute', field: of('compute'), colour: 'var(--compute)' },
    { name: 'Communication, nothing computed', field: of('notUnderCompute'), colour: 'var(--communication)' },
    {
      name: 'Copies and sets alone',
      field: `${of('busy')} - ${of('compute')} - ${of('notUnderCompute')}`,
      colour: 'var(--memory)',
    },
  ];
  const lost: StripPart[] =
    missing === null ? [] : [{ name: 'Work missing', field: of('missing.time'), colour: 'var(--hue-8)' }];
  if ((gaps?.host ?? null) === null)
    return [...busy, ...lost, { name: 'Idle', field: of('idle'), colour: 'var(--idle)' }];
  return [
    ...busy,
    ...lost,
    { name: 'Idle: waits for the host', field: of('gaps.host'), colour: 'var(--idle-host)' },
    { name: 'Idle: launched, not started', field: of('gaps.queue'), colour: 'var(--idle-queue)' },
    { name: 'Idle: launch not known', field: of('gaps.unknown'), colour: 'var(--idle)' },
  ];
}
