/**
 * Kernels of HIP with the id of a call that launches one kernel: ROCm's profilers may give a kernel the id of another's
 * launch. Which of them the call launched is not known, and none of them has a launch.
 */
import { elementAt } from '../../../containers/element.js';
import type { Trace } from '../trace.js';
import { KIND_CODE } from '../trace-columns.js';
import { byCallName } from '../calls.js';
import { isKernelLaunch } from '../graphs/graph-launches.js';
import type { LaunchJoin } from '../launches.js';

/**
 * `hipExtLaunchMultiKernelMultiDevice`; a cooperative launch runs a kernel that sets up the barrier of the grid before its own.
 * Source: ROCm/hip, pull request 1339 (`init_gws`).
 */
const LAUNCHES_SEVERAL = /Multi|Cooperative/;

/** To be called when kernels that are there twice are taken out. */
export function forgetShared(trace: Trace, { callOf, kernelCounts }: LaunchJoin): void {
  const launchesOne = byCallName(
    trace,
    (name) => name.startsWith('hip') && isKernelLaunch(name) && !LAUNCHES_SEVERAL.test(name),
  );
  const isShared = (call: number): boolean => call !== -1 && elementAt(kernelCounts, call) > 1 && launchesOne(call);
  const { kind } = trace.activities;
  const shared = new Set<number>();
  for (let row = 0; row < callOf.length; row++) {
    const call = elementAt(callOf, row);
    if (kind.at(row) !== KIND_CODE.kernel || !isShared(call)) continue;
    callOf[row] = -1;
    shared.add(call);
    trace.diagnostics.count('shared-launch');
  }
  for (const call of shared) kernelCounts[call] = 0;
}
