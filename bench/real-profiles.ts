/** Real profiles that are measured: those next to the checkout; null where they are not there. */
import { sharedFile } from '../test/support/shared.js';

export const realTrace = (): string | null => sharedFile('data/kineto/h100_owlv2.json.gz');

export const realNeuronTrace = (): string | null =>
  sharedFile('data/neuron/trn2_baseline_bf16_s1024/baseline_exec_2.ntff');

export const realAscendDatabase = (): string | null =>
  sharedFile('data/ascend/db_level1_rank1/ASCEND_PROFILER_OUTPUT/ascend_pytorch_profiler_1.db');
