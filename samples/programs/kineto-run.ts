/**
 * Runs a network under the framework's profiler: what the host does becomes events with ids and arguments, forward on
 * one thread, then backward on an autograd thread, node by node in reverse. A recording keeps the clocks and the device.
 */
import type {
  AnnotationStep,
  BackwardStep,
  Exchange,
  FrameStep,
  Generation,
  GradNode,
  Input,
  OpStep,
  Step,
} from './kineto-ops.js';
import { f32, int, op } from './kineto-ops.js';
import type { Shape } from './markers.js';
import type { Recording } from './recording.js';
import type { Thread, Timeline } from './timeline.js';
import type { Work } from './work.js';

/** Something that the host did. Ids count from 1 in order of start time. */
export interface HostEvent {
  readonly kind: 'op' | 'annotation' | 'frame';
  readonly thread: Thread;
  readonly name: string;
  /** External id of an op or annotation; id of a frame. */
  readonly id: number;
  /** Id of the frame that called a frame. */
  readonly parent: number | null;
  readonly module: number | null;
  readonly inputs: readonly Input[] | null;
  readonly autograd: Autograd | null;
  readonly exchange: Exchange | null;
  /** Frames around it, innermost first. */
  readonly stack: readonly string[];
  readonly start: number;
  readonly end: number;
}

/** The sequence number of a forward op or of a backward node, and the framework's number of the thread it names. */
export interface Autograd {
  readonly seq: number;
  /** 0 on forward ops; on backward nodes the forward thread's number, counted from 1. */
  readonly forwardThread: 0 | 1;
}

/** A timeline with its host events in order of start time. */
export interface KinetoCapture {
  readonly timeline: Timeline;
  readonly events: readonly HostEvent[];
}

export interface KinetoRunner {
  readonly recording: Recording;
  readonly generation: Generation;
  readonly main: Thread;
  readonly autograd: Thread;
  readonly stream: number;
  /** Stream of collective operations. */
  readonly exchangeStream: number;
  /** Kernel that adds a gradient to the one that is there already, where that is how gradients are kept. */
  readonly accumulate: (shape: Shape) => Work;
}

type Facts = Omit<HostEvent, 'start' | 'end'>;

interface Made {
  readonly node: GradNode;
  readonly seq: number;
}

/** What stands around a step. */
interface Place {
  readonly thread: Thread;
  readonly frames: readonly { readonly name: string; readonly id: number }[];
  /** Below an op that made its node, or in the backward pass: no sequence numbers. */
  readonly silent: boolean;
  readonly exchange: boolean;
}

export class KinetoRun {
  readonly #facts: Facts[] = [];
  #externalId = 1;
  #frameId = 1;
  #seq: number;
  #forwardOps: Made[] = [];

  /** @param firstSeq autograd nodes that were made before the capture */
  constructor(
    readonly runner: KinetoRunner,
    firstSeq: number,
  ) {
    this.#seq = firstSeq;
  }

  /** Runs steps on the main thread. */
  run(steps: readonly Step[]): void {
    this.#steps(steps, { thread: this.runner.main, frames: [], silent: false, exchange: false });
  }

  /** The events, once everything has run. */
  capture(): KinetoCapture {
    const timeline = this.runner.recording.timeline();
    const events = timeline.ranges.map(({ text, start, end }) => {
      const facts = this.#facts[Number(text)];
      if (facts === undefined || end === null) throw new Error(`no event ${text}`);
      return { ...facts, start, end };
    });
    return { timeline, events };
  }

  #steps(steps: readonly Step[], place: Place): void {
    for (const step of steps) this.#step(step, place);
  }

  #step(step: Step, place: Place): void {
    const { recording, stream, exchangeStream } = this.runner;
    if (step.kind === 'op') this.#op(step, place);
    else if (step.kind === 'frame') this.#frame(step, place);
    else if (step.kind === 'annotation') this.#annotation(step, place);
    else if (step.kind === 'backward') this.#backward(step);
    else if (step.kind === 'wait') recording.synchronize(place.thread, stream);
    else recording.launch(place.thread, place.exchange ? exchangeStream : stream, step);
  }

  #op({ name, inputs, exchange, node, body }: OpStep, place: Place): void {
    const autograd = place.silent ? null : { seq: this.#seq, forwardThread: 0 as const };
    const inner = { ...place, silent: place.silent || node !== null, exchange: place.exchange || exchange !== null };
    this.#within(place, { kind: 'op', name, inputs, autograd, exchange }, () => {
      this.#steps(body, inner);
    });
    if (node !== null) this.#forwardOps.push({ node, seq: this.#seq++ });
  }

  #annotation({ name, grad, body }: AnnotationStep, place: Place): void {
    this.#within(place, { kind: 'annotation', name, inputs: null, autograd: null, exchange: null }, () => {
      this.#steps(body, { ...place, silent: place.silent || !grad });
    });
  }

  /** In 2021 frames are no events, but part of the ops' own. */
  #frame({ name, module, body }: FrameStep, place: Place): void {
    const id = this.#frameId++;
    const run = (): void => {
      this.#steps(body, { ...place, frames: [...place.frames, { name, id }] });
    };
    if (this.runner.generation === '2021') {
      run();
      return;
    }
    const parent = place.frames.at(-1)?.id ?? null;
    const facts = { kind: 'frame' as const, name, id, parent, module, inputs: null, autograd: null, exchange: null };
    this.#record({ ...facts, thread: place.thread, stack: [] }, run);
  }

  /** The nodes of the last forward in reverse, while the main thread waits. */
  #backward({ body }: BackwardStep): void {
    const { recording, main, autograd: thread } = this.runner;
    recording.waitFor(thread, main);
    const place = { thread, frames: [], silent: true, exchange: false };
    for (const { node, seq } of this.#forwardOps.toReversed()) {
      this.#evaluate(place, node.name, node.gradient, { seq, forwardThread: 1 }, () => {
        this.#steps(node.body, place);
      });
      for (const shape of node.parameters) {
        this.#evaluate(place, 'torch::autograd::AccumulateGrad', shape, null, () => {
          this.#steps(this.#accumulation(shape), place);
        });
      }
    }
    this.#forwardOps = [];
    this.#steps(body, place);
    recording.waitFor(main, thread);
  }

  /** Newer engines put a range of their own around a node. */
  #evaluate(place: Place, name: string, gradient: Shape, autograd: Autograd | null, body: () => void): void {
    const facts = { kind: 'op' as const, autograd, exchange: null };
    const node = (): void => {
      this.#within(place, { ...facts, name, inputs: [f32(gradient)] }, body);
    };
    if (this.runner.generation === '2021') node();
    else this.#within(place, { ...facts, name: `autograd::engine::evaluate_function: ${name}`, inputs: null }, node);
  }

  /** Gradients are set to zero before a step in 2021, and to nothing today. */
  #accumulation(shape: Shape): Step[] {
    if (this.runner.generation === 'today') return [op('aten::detach', [f32(shape)], [op('detach', [f32(shape)])])];
    return [op('aten::add_', [f32(shape), f32(shape), int(1)], [this.runner.accumulate(shape)])];
  }

  #within(
    { thread, frames }: Place,
    facts: Pick<Facts, 'kind' | 'name' | 'inputs' | 'autograd' | 'exchange'>,
    body: () => void,
  ): void {
    const stack = frames.map(({ name }) => name).reverse();
    this.#record({ ...facts, thread, id: this.#externalId++, parent: null, module: null, stack }, body);
  }

  #record(facts: Facts, body: () => void): void {
    const index = this.#facts.push(facts) - 1;
    this.runner.recording.within(facts.thread, String(index), body);
  }
}
