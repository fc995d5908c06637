/** The order of forward and backward passes of a pipeline stage: one forward, one backward, after a warm-up. */

/** The pass of one micro batch through a stage. */
export interface Pass {
  readonly dir: 'fprop' | 'bprop';
  readonly micro: number;
}

/**
 * Stages warm up with a forward pass for each stage behind them, alternate, and end with the remaining backward passes.
 * @param stage from 0, the first of the pipeline
 */
export function oneForwardOneBackward(stage: number, stages: number, microBatches: number): Pass[] {
  const warmUp = Math.min(stages - 1 - stage, microBatches);
  const passes: Pass[] = [];
  for (let micro = 0; micro < warmUp; micro++) passes.push({ dir: 'fprop', micro });
  for (let micro = warmUp; micro < microBatches; micro++) {
    passes.push({ dir: 'fprop', micro }, { dir: 'bprop', micro: micro - warmUp });
  }
  for (let micro = microBatches - warmUp; micro < microBatches; micro++) passes.push({ dir: 'bprop', micro });
  return passes;
}
