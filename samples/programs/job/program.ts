/**
 * The program of a pipeline stage: what each of its ranks launches in order, over all steps, and what each piece of work
 * waits for. Work waits for the last on its stream, for the last of the computing stream, and for messages joined to it.
 */
import { adam, layerKernels, layerParameters, type KernelWork, type LayerKernel } from './kernels.js';
import { COMPUTE_STREAM, SLOTS, STREAMS, type Message, type Slot } from './messages.js';
import type { JobOptions } from './options.js';
import { oneForwardOneBackward, type Pass } from './schedule.js';

interface CopyWork {
  readonly kind: 'HtoD' | 'DtoH';
  readonly bytes: number;
  readonly ns: number;
}

/** One launch of a stage's program. Exactly one of `kernel`, `message` and `copy` is not null. */
export interface JobOp {
  /** Place in the program. */
  readonly index: number;
  readonly step: number;
  /** Place in its step. */
  readonly place: number;
  readonly stream: number;
  readonly kernel: KernelWork | null;
  readonly message: Message | null;
  readonly copy: CopyWork | null;
  /** Place of a message among those of its slot. */
  readonly ordinal: number;
  /** Places of what it waits for. */
  readonly after: readonly number[];
  /** Where it belongs in the model; null for messages between stages, the optimizer and copies. */
  readonly part: ModelPart | null;
}

export interface ModelPart {
  /** Within the stage, from 0. */
  readonly layer: number;
  readonly module: LayerKernel['module'];
  readonly pass: Pass;
  /** Numbers the forward ops of a rank; the gradient's work has that of its forward op. */
  readonly sequence: number;
  /** The autograd node. */
  readonly node: string;
}

export interface StageProgram {
  readonly stage: number;
  readonly ops: readonly JobOp[];
  /** By slot: the ops of its messages in order. */
  readonly messages: Readonly<Record<Slot, readonly number[]>>;
}

/** Whether a message exchanges gradients, which happens while the last of them are accumulated. */
export const isGradient = ({ message }: JobOp): boolean =>
  message?.kind === '_reduce_scatter_base' && message.slot === 'data';

const COPY_BYTES_PER_S = 25e9;

const copying = (kind: CopyWork['kind'], bytes: number): CopyWork => ({
  kind,
  bytes,
  ns: 2000 + Math.round((bytes / COPY_BYTES_PER_S) * 1e9),
});

/** @param stage from 0 */
export function stageProgram(options: JobOptions, stage: number): StageProgram {
  const builder = new ProgramBuilder(options, stage);
  for (let step = 0; step < options.steps; step++) builder.addStep(step);
  return builder.program();
}

class ProgramBuilder {
  readonly #ops: JobOp[] = [];
  readonly #messages = Object.fromEntries(SLOTS.map((slot) => [slot, [] as number[]])) as Record<Slot, number[]>;
  /** The last work of each stream. */
  readonly #last = new Map<number, number>();
  /** What the next work waits for besides: messages, until the computing stream has waited for them. */
  #joined: number[] = [];
  readonly #kernels: readonly LayerKernel[];
  #step = 0;
  #firstOfStep = 0;
  #sequence = 0;
  /** Sequence numbers of forward ops by micro batch and place. */
  readonly #sequences = new Map<string, number>();

  constructor(
    private readonly options: JobOptions,
    private readonly stage: number,
  ) {
    this.#kernels = layerKernels(options);
  }

  program(): StageProgram {
    return { stage: this.stage, ops: this.#ops, messages: this.#messages };
  }

  addStep(step: number): void {
    const { pp, microBatches, sizes } = this.options;
    this.#step = step;
    this.#firstOfStep = this.#ops.length;
    this.#addCopy(copying('HtoD', 8 * sizes.batch * sizes.sequence * microBatches));
    for (const pass of oneForwardOneBackward(this.stage, pp, microBatches)) {
      if (pass.dir === 'fprop') this.#addForward(pass);
      else this.#addBackward(pass);
    }
    this.#addOptimizer();
    this.#addCopy(copying('DtoH', 4));
  }

  #addForward(pass: Pass): void {
    const { pp, layers } = this.options;
    if (this.stage > 0) this.#addStageMessage('recv', 'fromPrevious');
    for (let layer = 0; layer < layers; layer++) {
      this.#kernels.forEach((kernel, k) => {
        const sequence = this.#sequence++;
        this.#sequences.set(`${pass.micro} ${layer} ${k}`, sequence);
        const part = { layer, module: kernel.module, pass, sequence, node: kernel.node };
        this.#addTensorMessage('before', kernel.beginsBlock, part);
        this.#add({ kernel: kernel.forward, stream: COMPUTE_STREAM, part });
        this.#addTensorMessage('behind', kernel.endsBlock, part);
      });
    }
    if (this.stage < pp - 1) this.#addStageMessage('send', 'toNext');
  }

  #addBackward(pass: Pass): void {
    const { pp, layers, microBatches } = this.options;
    if (this.stage < pp - 1) this.#addStageMessage('recv', 'fromNext');
    for (let layer = layers - 1; layer >= 0; layer--) {
      for (const [k, kernel] of [...this.#kernels.entries()].reverse()) {
        const sequence = this.#sequences.get(`${pass.micro} ${layer} ${k}`) ?? 0;
        const part = { layer, module: kernel.module, pass, sequence, node: kernel.node };
        this.#addTensorMessage('before', kernel.endsBlock, part);
        for (const work of kernel.backward) this.#add({ kernel: work, stream: COMPUTE_STREAM, part });
        this.#addTensorMessage('behind', kernel.beginsBlock, part);
      }
      if (pass.micro === microBatches - 1) this.#addGradients(layer);
    }
    if (this.stage > 0) this.#addStageMessage('send', 'toPrevious');
  }

  /** At the borders of blocks: an all-reduce behind it, or an all-gather before and a reduce-scatter behind it. */
  #addTensorMessage(where: 'before' | 'behind', isBorder: boolean, part: ModelPart): void {
    const { tp, tensorParallel, sizes } = this.options;
    if (tp === 1 || !isBorder) return;
    const all = sizes.batch * sizes.sequence * sizes.hidden;
    const common = { slot: 'tensor', dtype: 'bfloat16' } as const;
    if (tensorParallel === 'sequence') {
      const message: Message =
        where === 'before'
          ? { ...common, kind: '_allgather_base', elementsIn: all / tp, elementsOut: all }
          : { ...common, kind: '_reduce_scatter_base', elementsIn: all, elementsOut: all / tp };
      this.#join(this.#addMessage(message, part));
    } else if (where === 'behind') {
      this.#join(this.#addMessage({ ...common, kind: 'allreduce', elementsIn: all, elementsOut: all }, part));
    }
  }

  /** The gradients of a bucket, once those of its first layer are there; computing goes on meanwhile. */
  #addGradients(layer: number): void {
    const size = this.#bucketFrom(layer);
    if (size === 0 || this.options.dp === 1) return;
    const elementsOut = size / this.options.dp;
    this.#addMessage({ kind: '_reduce_scatter_base', slot: 'data', dtype: 'bfloat16', elementsIn: size, elementsOut });
  }

  /** Parameters of the bucket that begins with a layer; 0 where none does. Rounded up, so that the ranks share evenly. */
  #bucketFrom(layer: number): number {
    const { layers, buckets, dp } = this.options;
    const bucketOf = (l: number): number => Math.floor((l * Math.min(buckets, layers)) / layers);
    if (layer > 0 && bucketOf(layer) === bucketOf(layer - 1)) return 0;
    const own = Array.from({ length: layers }, (_, l) => l).filter((l) => bucketOf(l) === bucketOf(layer));
    return Math.ceil((own.length * layerParameters(this.options)) / dp) * dp;
  }

  /** Waits for gradients and messages to other stages, updates, and gathers the parameters again; then the loss. */
  #addOptimizer(): void {
    const { layers, dp } = this.options;
    for (const slot of SLOTS) this.#join(this.#last.get(STREAMS[slot]));
    this.#add({ kernel: adam((layers * layerParameters(this.options)) / dp), stream: COMPUTE_STREAM });
    for (let layer = 0; layer < layers && dp > 1; layer++) {
      const elementsOut = this.#bucketFrom(layer);
      if (elementsOut === 0) continue;
      const elementsIn = elementsOut / dp;
      this.#join(
        this.#addMessage({ kind: '_allgather_base', slot: 'data', dtype: 'bfloat16', elementsIn, elementsOut }),
      );
    }
    const loss = { kind: 'allreduce', slot: 'world', dtype: 'float32', elementsIn: 1, elementsOut: 1 } as const;
    this.#join(this.#addMessage(loss));
  }

  /** Activations to the next stage, or their gradients to the previous one; a receiver waits for them. */
  #addStageMessage(kind: 'send' | 'recv', slot: Slot): void {
    const { sizes, tensorParallel, tp } = this.options;
    const shared = tensorParallel === 'sequence' ? tp : 1;
    const elements = (sizes.batch * sizes.sequence * sizes.hidden) / shared;
    const op = this.#addMessage({ kind, slot, dtype: 'bfloat16', elementsIn: elements, elementsOut: elements });
    if (kind === 'recv') this.#join(op);
  }

  #addMessage(message: Message, part: ModelPart | null = null): number {
    const own = this.#messages[message.slot];
    const index = this.#add({ message, stream: STREAMS[message.slot], ordinal: own.length, part });
    own.push(index);
    return index;
  }

  #addCopy(copy: CopyWork): void {
    this.#add({ copy, stream: COMPUTE_STREAM });
  }

  #join(op: number | undefined): void {
    if (op !== undefined) this.#joined.push(op);
  }

  #add(fields: Partial<JobOp> & Pick<JobOp, 'stream'>): number {
    const index = this.#ops.length;
    const before = [this.#last.get(fields.stream), this.#last.get(COMPUTE_STREAM), ...this.#joined];
    const after = [...new Set(before.filter((op) => op !== undefined))];
    const place = index - this.#firstOfStep;
    const rest = { kernel: null, message: null, copy: null, ordinal: 0, part: null };
    this.#ops.push({ ...rest, ...fields, index, step: this.#step, place, after });
    this.#last.set(fields.stream, index);
    if (fields.stream === COMPUTE_STREAM) this.#joined = [];
    return index;
  }
}
