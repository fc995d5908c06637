/**
 * What the Ascend PyTorch Profiler would see of a program: ops of its threads, the queue's thread that launches, kernels,
 * copies and collectives of one device, ranges, memory. Times are nanoseconds after the start.
 */

export type Thread = 'main' | 'autograd' | 'queue';

export interface Tensor {
  readonly shape: readonly number[];
  /** As the framework names the type. */
  readonly type: string;
}

export interface HostOp {
  readonly kind: 'op' | 'frame';
  readonly name: string;
  readonly thread: Thread;
  readonly start: number;
  end: number;
  readonly inputs: readonly Tensor[];
  readonly seq: number;
  readonly backward: boolean;
  readonly stack: readonly string[];
  /** Connections of what it launched. */
  readonly connections: number[];
}

/** What a kernel works on, in the device's words. */
export interface KernelWork {
  readonly name: string;
  readonly opType: string;
  readonly core: 'AI_CORE' | 'AI_VECTOR_CORE';
  readonly blocks: number;
  readonly inputs: readonly (readonly number[])[];
  readonly outputs: readonly (readonly number[])[];
  readonly dtype: string;
  /** FLOPs of a product; elements of anything else. */
  readonly amount: number;
}

export interface DeviceTask {
  readonly kind: 'kernel' | 'copy' | 'collective' | 'mark';
  readonly connection: number;
  readonly start: number;
  readonly end: number;
  readonly stream: number;
  readonly task: number;
  readonly work?: KernelWork;
  readonly bytes?: number;
  /** Of a collective. */
  readonly name?: string;
  readonly launched: number;
}

export interface ProgramRange {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  readonly connection: number;
}

export interface Memory {
  readonly op: string;
  readonly bytes: number;
  readonly start: number;
  readonly end: number | null;
  /** What is held right after. */
  readonly held: number;
}

/** Matrix units of the device, their clock in Hz, and operations of each in a cycle. */
export const DEVICE = { cores: 20, clockHz: 1_650_000_000, opsPerCycle: 8192, name: 'Ascend910B' } as const;
const PEAK = DEVICE.cores * DEVICE.clockHz * DEVICE.opsPerCycle;
/** Bytes that vector units move in a nanosecond. */
const BYTES_PER_NS = 800;
/** What does not depend on the work. */
const [OVERHEAD_NS, LAUNCH_NS, HOST_NS] = [2_000, 4_000, 3_000];
/** The share of the peak that products reach. */
export const EFFICIENCY = 0.6;
/** Connections of ranges that the device comes by. */
const FIRST_MARK = 4_000_000_001;

/** The group of ranks. */
export const GROUP = '17522688603477080210';

export class AscendRun {
  readonly ops: HostOp[] = [];
  readonly tasks: DeviceTask[] = [];
  readonly ranges: ProgramRange[] = [];
  readonly memory: Memory[] = [];
  readonly steps: { readonly id: number; readonly start: number; readonly end: number }[] = [];
  #now = 1_000;
  #queue = 0;
  #device = 0;
  #connection = 900;
  #task = 40;
  #held = 64 * 1024 * 1024;
  #seq = 100;
  #collectives = 0;
  readonly #open: HostOp[] = [];
  #thread: Thread = 'main';
  #stack: readonly string[] = [];

  /** Runs what a step of training does. */
  step(id: number, body: () => void): void {
    const start = this.#now;
    this.op(`ProfilerStep#${id}`, [], body);
    this.steps.push({ id, start, end: this.#now });
  }

  /** What is done on another thread, with the main thread waiting. */
  on(thread: Thread, body: () => void): void {
    const [before, stack] = [this.#thread, this.#stack];
    [this.#thread, this.#stack] = [thread, []];
    body();
    [this.#thread, this.#stack] = [before, stack];
  }

  /** What is done from a line of the program. */
  at(frame: string, body: () => void): void {
    const before = this.#stack;
    this.#stack = [frame, ...before];
    body();
    this.#stack = before;
  }

  module(name: string, body: () => void): void {
    this.#within({ kind: 'frame', name: `nn.Module: ${name}`, inputs: [], seq: -1, backward: false }, body);
  }

  op(name: string, inputs: readonly Tensor[], body: () => void, autograd: { seq?: number; backward?: boolean } = {}): void {
    this.#within({ kind: 'op', name, inputs, seq: autograd.seq ?? -1, backward: autograd.backward ?? false }, body);
  } // prettier-ignore

  /** The number under which a forward op and its backward node know each other. */
  nextSeq(): number {
    return this.#seq++;
  }

  range(text: string, body: () => void): void {
    const [start, device] = [this.#now, this.#device];
    body();
    const connection = FIRST_MARK + this.ranges.length;
    this.ranges.push({ text, start, end: this.#now, connection });
    const from = Math.max(device, start);
    this.#add({ kind: 'mark', connection, start: from, end: Math.max(this.#device, from), stream: 2, launched: start });
  }

  kernel(work: KernelWork): void {
    const bytes =
      2 * [...work.inputs, ...work.outputs].reduce((sum, shape) => sum + shape.reduce((a, b) => a * b, 1), 0);
    const ns = work.core === 'AI_CORE' ? (work.amount / (PEAK * EFFICIENCY)) * 1e9 : bytes / BYTES_PER_NS;
    this.#launch('kernel', Math.round((OVERHEAD_NS + ns) / 20) * 20, { work });
  }

  copy(bytes: number): void {
    this.#launch('copy', Math.round((OVERHEAD_NS + bytes / 20) / 20) * 20, { bytes });
  }

  collective(bytes: number): void {
    const name = `hcom_allReduce__${GROUP.slice(-3)}_${this.#collectives++}_1`;
    this.#launch('collective', Math.round((OVERHEAD_NS * 5 + bytes / 25) / 20) * 20, { bytes, name });
  }

  /** Memory that an op takes; @returns what gives it back */
  allocate(op: string, bytes: number): () => void {
    this.#held += bytes;
    const place = this.memory.push({ op, bytes, start: this.#now, end: null, held: this.#held }) - 1;
    return () => {
      const taken = this.memory[place];
      this.#held -= bytes;
      if (taken !== undefined) this.memory[place] = { ...taken, end: this.#now };
    };
  }

  get end(): number {
    return Math.max(this.#now, this.#device);
  }

  #launch(kind: DeviceTask['kind'], ns: number, own: Partial<DeviceTask>): void {
    const connection = this.#connection++;
    this.#open.at(-1)?.connections.push(connection);
    const launched = Math.max(this.#now, this.#queue) + 500;
    this.#queue = launched + LAUNCH_NS;
    const start = Math.max(this.#device, this.#queue + 1_000);
    this.#device = start + ns;
    this.#add({ kind, connection, start, end: start + ns, stream: kind === 'collective' ? 4 : 2, launched, ...own });
    this.#now += HOST_NS;
  }

  #add(task: Omit<DeviceTask, 'task'>): void {
    this.tasks.push({ ...task, task: this.#task++ });
  }

  #within(own: Pick<HostOp, 'kind' | 'name' | 'inputs' | 'seq' | 'backward'>, body: () => void): void {
    const stack = own.kind === 'op' ? this.#stack : [];
    const op: HostOp = { ...own, thread: this.#thread, start: this.#now, end: 0, stack, connections: [] };
    this.ops.push(op);
    this.#open.push(op);
    this.#now += 500;
    body();
    this.#now += 500;
    op.end = this.#now;
    this.#open.pop();
    this.#now += 100;
  }
}
