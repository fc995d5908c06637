/** No text of a command has the words of another vendor's devices, or of another framework. */
import { expect } from 'chai';
import { join } from 'node:path';
import { runCli } from '../support/run-cli.js';
import { ROOT } from '../support/shared.js';

const COMMANDS = [
  ['summary', '--all'],
  ['check'],
  ['advise', '--all'],
  ['steps'],
  ['ranks'],
  ['stacks'],
  ['--explain', '1'],
];

const NVIDIA = /\bSMs?\b|CUDA|NCCL|\bwarps?\b|tensor cores?|Nsight|NVTX|NVIDIA/i;
const AMD = /\bCUs?\b|\bHIP\b|RCCL|wavefront|matrix cores?|rocTX|\bAMD\b/i;
const ASCEND = /AI[ _-]Core|cube unit|HCCL|\bAI[ -]CPU\b|Ascend/i;
const NEURON = /NeuronCore|neuron-|tensor engine|\bDMA queue/i;
const TORCH = /(?<!as in )PyTorch|\btorch\b|\bbmm\b|non_blocking|DataLoader|pin_memory|with_stack|\.item\(/i;
/** Names of columns, and a query by a column, are the same for all vendors. */
const GPU = /(?<!--by )\b(kernels?|launch(es|ed)?|streams?)\b(?![=,])/i;

const BANNED: readonly (readonly [sample: string, words: readonly RegExp[]])[] = [
  ['lenet.nsys.sqlite', [AMD, ASCEND, NEURON]],
  ['decoder.rpd', [NVIDIA, ASCEND, NEURON]],
  ['ascend_pt', [NVIDIA, AMD, NEURON]],
  ['step-gpu.xplane.pb', [NVIDIA, ASCEND, NEURON, TORCH]],
  ['step-tpu.xplane.pb', [NVIDIA, AMD, ASCEND, NEURON, TORCH, /\bGPU|a stream\b/]],
  ['attention.ntff', [NVIDIA, AMD, ASCEND, GPU]],
  ['attention.neuron.json', [NVIDIA, AMD, ASCEND, GPU]],
];

/** Lines with no word of the program, of its files or of a table's columns. */
const texts = (screen: string): string[] =>
  screen.split('\n').filter((line) => !/^next: |^ +see: |^# profile 0: |^profile {2}|^device +step /.test(line));

describe('words of vendors', function () {
  this.timeout(120_000);
  for (const [sample, words] of BANNED)
    it(`of ${sample}`, async () => {
      const file = join(ROOT, 'samples', sample);
      for (const command of [...COMMANDS, ['diff', file]]) {
        const { stdout, stderr } = await runCli('dprof', [...command, file]);
        for (const line of texts(`${stdout}\n${stderr}`)) for (const word of words) expect(line).not.to.match(word);
      }
    });
});
