/** The error for profiles that do not have what a command on memory needs, with how to record it. */
import { UserError } from '../../record/errors.js';
import type { ProfileRecord } from '../../record/record.js';
import { noProfile } from '../analysis.js';
import { captureOption } from '../work/capture-options.js';

/** For records made by an unknown profiler. */
const KNOWN = (['kineto', 'nsight'] as const).map((format) => captureOption({ format }, 'memory')).join(', or ');

/**
 * @param what is missing
 * @param profiles of the input
 */
export function withoutMemory(what: string, profiles: readonly ProfileRecord[]): UserError {
  if (profiles.some(({ format }) => format === 'neuron-monitor')) return noProfile();
  const options = new Set(profiles.map((profile) => captureOption(profile, 'memory')));
  options.delete(null);
  const option = profiles.length === 0 ? KNOWN : [...options].join(', or ');
  return new UserError(what, option === '' ? {} : { hint: `record them with ${option}` });
}
