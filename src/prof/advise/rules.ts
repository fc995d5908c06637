/** The table of rules, from which the help, the names for --rule, and the adviser are made. */
import { requireNamed } from '../../record/errors.js';
import type { Rule } from './rule.js';
import { aiCpu, oldArchitecture, autotuning, impossible, unknownFlops } from './rules/kernel-lists.js';
import { alignment } from './rules/alignment.js';
import { belowRoof } from './rules/below-roof.js';
import { clockShift, graphTrace, unrecordedCopies } from './rules/capture-faults.js';
import { copies, copyBound } from './rules/copies.js';
import { exposedCollectives, stragglers } from './rules/communication.js';
import { fp32Product } from './rules/fp32-product.js';
import { fusion } from './rules/fusion.js';
import { garbageCollection, inputPipeline, launchGaps, queuedGaps } from './rules/launch-gaps.js';
import { job } from './job/job-causes.js';
import { longCalls } from './rules/long-calls.js';
import { neuronRules } from './rules/neuron-warnings.js';
import { transferWaits } from './rules/transfer-waits.js';
import { unfusedAttention } from './rules/unfused-attention.js';
import { unattributed } from './rules/unattributed-kernels.js';

export const RULES: readonly Rule[] = [
  job,
  fp32Product,
  alignment,
  belowRoof,
  launchGaps,
  queuedGaps,
  longCalls,
  unfusedAttention,
  fusion,
  copies,
  copyBound,
  transferWaits,
  inputPipeline,
  garbageCollection,
  exposedCollectives,
  stragglers,
  oldArchitecture,
  ...neuronRules,
  aiCpu,
  autotuning,
  graphTrace,
  unrecordedCopies,
  unattributed,
  unknownFlops,
  clockShift,
  impossible,
];

/** The rules for a single rank, for callers that analyze the job themselves. */
export const PROFILE_RULES: readonly Rule[] = RULES.filter((rule) => rule !== job);

/**
 * Rules by their names, in the order of the table.
 * @throws UsageError naming the nearest rule
 */
export function rulesNamed(names: readonly string[]): readonly Rule[] {
  const named = new Set(names.map((name) => requireNamed('rule', name.trim(), RULES, (rule) => rule.name)));
  return RULES.filter((rule) => named.has(rule));
}
