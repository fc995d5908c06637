/**
 * A device's span in parts, under the names of the verdict. Overlapping work counts once: as computation, else
 * communication, else copies and sets.
 */
import type { IdleCause } from '../../prof/advise/idle/idle-causes.js';
import type { FieldScope } from './field.js';
import type { StripPart } from './strip.js';
import { IDLE_NAMES, WORK_NAMES } from './time-parts.js';

/** @param at index of the device among those of the profile */
export function deviceParts(scope: FieldScope, at: number): StripPart[] {
  const of = (name: string): string => `overview.devices.${at}.${name}`;
  const part = ([name, colour]: readonly [string, string], field: string): StripPart => ({ name, colour, field });
  const isMissing = (scope.profile.overview.devices[at]?.missing ?? null) !== null;
  return [
    part(WORK_NAMES.compute, of('compute')),
    part(WORK_NAMES.communication, of('notUnderCompute')),
    part(WORK_NAMES.copy, `${of('busy')} - ${of('compute')} - ${of('notUnderCompute')}`),
    ...(isMissing ? [part(WORK_NAMES.missing, of('missing.time'))] : []),
    ...idleParts(scope, at),
  ];
}

/** Its idle time by cause, without causes that it does not have. */
export function idleParts({ profile }: FieldScope, at: number): StripPart[] {
  const device = profile.overview.devices[at]?.device;
  const place = profile.idle.devices.findIndex((one) => one.device === device);
  const times = profile.idle.devices[place]?.times;
  if (times === undefined) return [];
  return (Object.keys(IDLE_NAMES) as IdleCause[])
    .filter((cause) => times[cause] > 0)
    .map((cause) => {
      const [name, colour] = IDLE_NAMES[cause];
      return { name, colour, field: `idle.devices.${place}.times.${cause}` };
    });
}
