/** THE table of rules: the help, the names that --rule takes, and the adviser are made of it. */
import { requireNamed } from '../../record/errors.js';
import type { Rule } from './rule.js';
import { aiCpu } from './rules/ai-cpu.js';
import { alignment } from './rules/alignment.js';
import { autotuning } from './rules/autotuning.js';
import { clockShift } from './rules/clock-shift.js';
import { copies } from './rules/copies.js';
import { copyBound } from './rules/copy-bound.js';
import { exposedCollectives } from './rules/exposed-collectives.js';
import { fp32Product } from './rules/fp32-product.js';
import { fusion } from './rules/fusion.js';
import { garbageCollection } from './rules/garbage-collection.js';
import { graphTrace } from './rules/graph-trace.js';
import { impossible } from './rules/impossible.js';
import { inputPipeline } from './rules/input-pipeline.js';
import { job } from './job/job-causes.js';
import { launchGaps } from './rules/launch-gaps.js';
import { longCalls } from './rules/long-calls.js';
import { neuronRules } from './rules/neuron-warnings.js';
import { oldArchitecture } from './rules/old-architecture.js';
import { stragglers } from './rules/stragglers.js';
import { unattributed } from './rules/unattributed-kernels.js';
import { unknownFlops } from './rules/unknown-flops.js';

export const RULES: readonly Rule[] = [
  job,
  fp32Product,
  alignment,
  launchGaps,
  longCalls,
  fusion,
  copies,
  copyBound,
  inputPipeline,
  garbageCollection,
  exposedCollectives,
  stragglers,
  oldArchitecture,
  ...neuronRules,
  aiCpu,
  autotuning,
  graphTrace,
  unattributed,
  unknownFlops,
  clockShift,
  impossible,
];

/** For who knows the job by itself: what one rank after the other has. */
export const PROFILE_RULES: readonly Rule[] = RULES.filter((rule) => rule !== job);

/** Rules by their names, in the order of the table. @throws UsageError naming the nearest */
export function rulesNamed(names: readonly string[]): readonly Rule[] {
  const named = new Set(names.map((name) => requireNamed('rule', name.trim(), RULES, (rule) => rule.name)));
  return RULES.filter((rule) => named.has(rule));
}
