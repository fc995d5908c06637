/** Host calls that returned an error. One that should have launched work has launched none. */
import type { Labels } from '../../../record/record.js';
import type { Trace } from '../trace.js';
import { byCallName } from './call-names.js';

/** Calls that return the error of an earlier one. */
const TELLS_ERROR = /(?:Get|PeekAt)LastError/;
/** Calls that ask whether something is done, and cudaErrorNotReady, their answer that it is not: until CUDA 10.0, and since. */
const [ASKS, NOT_READY] = [/Query$/, [34, 600]];

/** Most calls that are named. */
const MOST_NAMES = 20;

/** Counts failed calls. @returns what names them with their codes, for the profile line; undefined where there are none */
export function failedCalls(trace: Trace): Labels | undefined {
  const { hostCalls, names, diagnostics } = trace;
  const answers = byCallName(trace, (name) => (TELLS_ERROR.test(name) ? 'error' : ASKS.test(name) ? 'state' : null));
  const counts = new Map<string, number>();
  let failed = 0;
  for (const [call, code] of hostCalls.results) {
    const answer = answers(call);
    if (answer === 'error' || (answer === 'state' && NOT_READY.includes(code))) continue;
    failed++;
    const what = `${names.apiName(hostCalls.api.at(call)) ?? 'na'} ${code}`;
    counts.set(what, (counts.get(what) ?? 0) + 1);
  }
  diagnostics.count('call-failed', failed);
  if (failed === 0) return undefined;
  const listed = [...counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1)).slice(0, MOST_NAMES);
  return { failed_calls: listed.map(([what, times]) => `${what} (${times})`).join(', ') };
}
