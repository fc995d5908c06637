/**
 * A network as a program of layers, op calls and ATen ops, and how a framework runs it: forward on one thread with
 * markers around every call, then backward on an autograd thread, node by node in reverse, with the sequence numbers
 * that the forward ops were given.
 */
import type { Argument, Era, Shape } from './markers.js';
import { atenMarker, callMarker, engineMarker, layerMarker, nodeMarker, reprMarker, traceMarker } from './markers.js';
import type { Recording } from './recording.js';
import type { Thread } from './timeline.js';
import type { Work } from './work.js';

export type Step = LayerStep | CallStep | AtenStep;

/** A module of the model. */
export interface LayerStep {
  readonly kind: 'layer';
  readonly name: string;
  /** The module's class and printed form, where a hook records them. */
  readonly repr: readonly [mod: string, text: string] | null;
  readonly body: readonly Step[];
}

/** A call of a function that the marker hooks wrap. */
export interface CallStep {
  readonly kind: 'call';
  readonly mod: string;
  readonly op: string;
  readonly args: readonly Argument[];
  /** Frames below the layer's, innermost last. */
  readonly frames: readonly string[];
  readonly body: readonly Step[];
}

/** An op of the framework's core. */
export interface AtenStep {
  readonly kind: 'aten';
  readonly op: string;
  readonly sizes: readonly Shape[];
  readonly works: readonly Work[];
  readonly body: readonly Step[];
  /** The autograd node it makes. */
  readonly node: Node | null;
  /** Below autograd: newer versions print no sequence number. */
  readonly inner: boolean;
}

export interface Node {
  readonly name: string;
  /** What it does when it runs backward. */
  readonly body: readonly AtenStep[];
  /** Gradients of parameters that are added up after it. */
  readonly accumulate: readonly AtenStep[];
}

export const layer = (name: string, body: readonly Step[], repr: LayerStep['repr'] = null): LayerStep => ({
  kind: 'layer',
  name,
  repr,
  body,
});

export const call = (
  mod: string,
  op: string,
  args: readonly Argument[],
  body: readonly Step[],
  frames: readonly string[] = [],
): CallStep => ({ kind: 'call', mod, op, args, body, frames });

export interface AtenParts {
  readonly works?: readonly Work[];
  readonly body?: readonly Step[];
  readonly node?: Node;
  readonly inner?: boolean;
}

export const aten = (op: string, sizes: readonly Shape[], parts: AtenParts = {}): AtenStep => ({
  kind: 'aten',
  op,
  sizes,
  works: parts.works ?? [],
  body: parts.body ?? [],
  node: parts.node ?? null,
  inner: parts.inner ?? false,
});

export const node = (name: string, body: readonly AtenStep[], accumulate: readonly AtenStep[] = []): Node => ({
  name,
  body,
  accumulate,
});

/** How one framework process runs steps. */
export interface Runner {
  readonly recording: Recording;
  readonly era: Era;
  readonly main: Thread;
  /** Null for a process that only evaluates. */
  readonly autograd: Thread | null;
  readonly stream: number;
  /** Frames of the caller, outermost first. */
  readonly frames: readonly string[];
}

interface Made {
  readonly node: Node;
  readonly seq: number;
}

/** A framework process: its op counter, its sequence counter, the nodes that wait for backward. */
export class Framework {
  #seq = 0;
  #opId = 1;
  #forwardOps: Made[] = [];

  constructor(readonly runner: Runner) {}

  /** @param put where device work goes; onto the stream by default, into a graph while one is captured */
  forward(steps: readonly Step[], put = this.#launcher(this.runner.main)): void {
    for (const step of steps) this.#step(step, this.runner.frames, put);
  }

  /** Runs the nodes of the last forward in reverse on the autograd thread, while the main thread waits. */
  backward(): void {
    const { recording, autograd, main, era } = this.runner;
    if (autograd === null) throw new Error('this process has no autograd thread');
    recording.waitFor(autograd, main);
    for (const { node: made, seq } of this.#forwardOps.toReversed()) {
      const run = (): void => {
        this.#backwardRange(autograd, nodeMarker(era, made.name, seq, this.#nextOp()), made.body);
      };
      if (era === 'before-1.11') run();
      else recording.within(autograd, engineMarker(made.name, this.#nextOp()), run);
      for (const sum of made.accumulate) {
        const text = nodeMarker(era, 'torch::autograd::AccumulateGrad', null, this.#nextOp());
        this.#backwardRange(autograd, text, [sum]);
      }
    }
    this.#forwardOps = [];
    recording.waitFor(main, autograd);
  }

  #backwardRange(thread: Thread, text: string, body: readonly AtenStep[]): void {
    const put = this.#launcher(thread);
    this.runner.recording.within(thread, text, () => {
      for (const step of body) this.#backwardAten(thread, step, put);
    });
  }

  /** Older versions print the autograd thread's own counter, which stays at 0; newer ones print none. */
  #backwardAten(thread: Thread, step: AtenStep, put: (work: Work) => void): void {
    const { recording, era } = this.runner;
    const text = atenMarker(era, step.op, era === 'before-1.11' ? 0 : null, this.#nextOp(), step.sizes);
    recording.within(thread, text, () => {
      step.works.forEach(put);
      for (const inner of step.body) if (inner.kind === 'aten') this.#backwardAten(thread, inner, put);
    });
  }

  #step(step: Step, frames: readonly string[], put: (work: Work) => void): void {
    if (step.kind === 'layer') this.#layer(step, frames, put);
    else if (step.kind === 'call') this.#call(step, frames, put);
    else this.#aten(step, frames, put);
  }

  #layer(step: LayerStep, frames: readonly string[], put: (work: Work) => void): void {
    const { recording, main } = this.runner;
    const body = (): void => {
      for (const inner of step.body) this.#step(inner, frames, put);
    };
    const { repr } = step;
    recording.within(main, layerMarker(step.name), () => {
      if (repr === null) body();
      else recording.within(main, reprMarker(...repr), body);
    });
  }

  #call(step: CallStep, frames: readonly string[], put: (work: Work) => void): void {
    const { recording, main } = this.runner;
    const stack = [...frames, ...step.frames];
    recording.within(main, traceMarker(stack), () => {
      recording.within(main, callMarker(step.mod, step.op, step.args), () => {
        for (const inner of step.body) this.#step(inner, stack, put);
      });
    });
  }

  #aten(step: AtenStep, frames: readonly string[], put: (work: Work) => void): void {
    const { recording, era, main, autograd } = this.runner;
    const silent = autograd === null || (step.inner && era === 'since-1.11');
    const text = atenMarker(era, step.op, silent ? null : this.#seq, this.#nextOp(), step.sizes);
    recording.within(main, text, () => {
      step.works.forEach(put);
      for (const inner of step.body) this.#step(inner, frames, put);
    });
    if (step.node !== null && autograd !== null) this.#forwardOps.push({ node: step.node, seq: this.#seq++ });
  }

  #launcher(thread: Thread): (work: Work) => void {
    const { recording, stream } = this.runner;
    return (work) => {
      recording.launch(thread, stream, work);
    };
  }

  #nextOp(): number {
    return this.#opId++;
  }
}
