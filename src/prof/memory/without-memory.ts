/** The error for profiles that do not have what a command on memory needs, with how to record it. */
import { UserError } from '../../record/errors.js';
import { noProfile } from '../analysis.js';

/**
 * @param what is missing
 * @param formats of the input
 * @param others further profilers that record it
 */
export function withoutMemory(what: string, formats: ReadonlySet<string>, others = ''): UserError {
  return formats.has('neuron-monitor') ? noProfile() : new UserError(what, { hint: hintOf([...formats], others) });
}

function hintOf(formats: readonly string[], others: string): string {
  if (formats.some((format) => format === 'kineto' || format.startsWith('ascend')))
    return 'profile with profile_memory=True';
  if (formats.includes('nsight')) return 'profile with nsys --cuda-memory-usage=true';
  return `known: PyTorch with profile_memory=True, Nsight Systems with --cuda-memory-usage=true${others}`;
}
