/**
 * A device's span in parts, under the names of the verdict. Overlapping work counts once: as computation, else
 * communication, else copies and sets.
 */
import type { IdleCause } from '../../prof/advise/idle/idle-causes.js';
import type { PageProfile } from '../../prof/html/page-data.js';
import { difference, fieldsOf, type Field } from './field.js';
import type { StripPart } from './strip.js';
import { IDLE_NAMES, WORK_NAMES } from './time-parts.js';

/** @param at index of the device among those of the profile */
export function deviceParts(profile: PageProfile, at: number): StripPart[] {
  const path = `overview.devices.${at}`;
  const device = profile.overview.devices[at];
  const time = fieldsOf(path, device);
  const part = ([name, colour]: readonly [string, string], field: Field): StripPart => ({ name, colour, field });
  const missing = device?.missing ?? null;
  return [
    part(WORK_NAMES.compute, time('compute')),
    part(WORK_NAMES.communication, time('notUnderCompute')),
    part(WORK_NAMES.copy, difference(time('busy'), time('compute'), time('notUnderCompute'))),
    ...(missing === null ? [] : [part(WORK_NAMES.missing, fieldsOf(`${path}.missing`, missing)('time'))]),
    ...idleParts(profile, at),
  ];
}

/** Its idle time by cause, without causes that it does not have. */
export function idleParts(profile: PageProfile, at: number): StripPart[] {
  const device = profile.overview.devices[at]?.device;
  const place = profile.idle.devices.findIndex((one) => one.device === device);
  const times = profile.idle.devices[place]?.times;
  if (times === undefined) return [];
  return (Object.keys(IDLE_NAMES) as IdleCause[])
    .filter((cause) => times[cause] > 0)
    .map((cause) => {
      const [name, colour] = IDLE_NAMES[cause];
      return { name, colour, field: fieldsOf(`idle.devices.${place}.times`, times)(cause) };
    });
}
