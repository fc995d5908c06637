/** One capture of the transformer: a training step, and around it what a profiler's file has to cope with. */
import type { Gpu } from './gpu.js';
import { tensor } from './markers.js';
import type { Step } from './network.js';
import { aten, call, Framework } from './network.js';
import { Recording } from './recording.js';
import type { Thread, Timeline } from './timeline.js';
import type { TransformerParts } from './transformer.js';
import { BATCH, TOKENS, transformerParts, WIDTH } from './transformer.js';

const STREAM = 7;
const NCCL_STREAM = 19;
const CAPTURE_STREAM = 23;

export interface Capture {
  readonly gpu: Gpu;
  /** Another process evaluates on the second device, and layers are replayed as a graph (nvprof records neither). */
  readonly processesAndGraphs: boolean;
}

const tokensIn = (): Step => {
  const shape = [BATCH, TOKENS];
  const copy = aten('copy_', [shape, shape, []], {
    works: [{ kind: 'copy', copy: 'HtoD', bytes: BATCH * TOKENS * 8, pinned: false }],
    inner: true,
  });
  const to = aten('_to_copy', [shape, [], [], [], [], [], []], { body: [copy] });
  return call('Tensor', 'to', [tensor(shape, 'int64')], [to], ['train.py:70']);
};

const lossOut: Step = aten('_local_scalar_dense', [[]], {
  works: [{ kind: 'copy', copy: 'DtoH', bytes: 2, pinned: false }],
  inner: true,
});

/** A collective, as the library marks it: a registered text in a domain of its own. */
function allReduce(recording: Recording, thread: Thread, parts: TransformerParts): void {
  recording.within(
    thread,
    'ncclAllReduce',
    () => {
      recording.launch(thread, NCCL_STREAM, parts.allReduce);
    },
    { domain: 'NCCL', registered: true },
  );
}

/** Captures one feed-forward block and replays it; each kernel is a node that was born under the block's markers. */
function graphSection(recording: Recording, main: Thread, framework: Framework, parts: TransformerParts): void {
  const graph = recording.capture(main, 1, (add) => {
    recording.within(main, 'graph capture', () => {
      framework.forward([parts.feedForward], add);
    });
  });
  for (const replay of [0, 1]) {
    recording.within(main, `replay ${replay}`, () => {
      recording.replayNodes(main, CAPTURE_STREAM, graph);
    });
  }
  recording.synchronize(main, CAPTURE_STREAM);
}

/** A second process, whose correlation ids are the first one's again: one encoder layer without gradients. */
function evaluator(recording: Recording, parts: TransformerParts): void {
  const process = recording.process(5151, 'python3', 1);
  const main = recording.thread(process, 5151, 1_207_959_552, 'python3', 305_000);
  const frames = ['evaluate.py:31'];
  const framework = new Framework({ recording, era: 'since-1.11', main, autograd: null, stream: STREAM, frames });
  recording.within(main, 'evaluation', () => {
    framework.forward([parts.encoder(0)]);
    allReduce(recording, main, parts);
  });
  recording.synchronize(main, NCCL_STREAM);
}

export function transformer({ gpu, processesAndGraphs }: Capture): Timeline {
  const parts = transformerParts(gpu);
  const gpus = processesAndGraphs ? [gpu, { ...gpu, uuid: gpu.uuid.replace(/.$/, '3') }] : [gpu];
  const recording = new Recording('train.py', gpus, 1_750_000_000_987_654_321n, 2017);
  const process = recording.process(5150, 'python3', 0);
  const main = recording.thread(process, 5150, -1_610_612_736, 'python3', 300_000);
  const autograd = recording.thread(process, 5188, 905_969_664, 'pt_autograd_0', 300_000);
  const loader = recording.thread(process, 5170, 838_860_800, 'pt_data_worker', 300_000);
  const framework = new Framework({
    recording,
    era: 'since-1.11',
    main,
    autograd,
    stream: STREAM,
    frames: ['train.py:74'],
  });

  recording.leftOver(process, STREAM, parts.allReduce, 20_000);
  recording.mark(main, 'epoch 3');
  const prefetched = recording.begin(main, 'prefetch');
  recording.within(main, 'step 120', () => {
    framework.forward([tokensIn(), ...parts.training]);
    framework.backward();
    allReduce(recording, main, parts);
    recording.within(main, 'Optimizer.step#AdamW.step', () => {
      framework.forward([parts.optimizer]);
    });
    framework.forward([lossOut]);
    recording.launch(main, STREAM, { kind: 'copy', copy: 'DtoD', bytes: BATCH * TOKENS * WIDTH * 2, pinned: false });
    recording.launch(main, STREAM, { kind: 'set', bytes: 4096, value: 0 });
    recording.synchronize(main, STREAM);
  });
  recording.waitFor(loader, main);
  prefetched(loader);
  recording.leaveOpen(main, 'checkpoint (still open at the end)');
  if (processesAndGraphs) {
    graphSection(recording, main, framework, parts);
    evaluator(recording, parts);
  }
  return recording.timeline();
}
