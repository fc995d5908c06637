/**
 * Pairs backward kernels with the forward calls that they belong to, in one pass: constant time per kernel, bounded
 * memory.
 *
 * The autograd engine gives a backward kernel the sequence id of the forward op that created its node, but not the op's
 * module, call or source line. These are taken from the latest earlier forward kernel of the same process with that id,
 * as in PyProf, but separately for each thread. Sequence ids restart in every thread, so one id may mean a different op
 * in each (several forward threads; recomputation in a checkpoint, on the backward thread).
 */
import { LruCache, entryOf } from '../../containers/map-entry.js';
import type { KernelRecord, OpCall } from '../../record/record.js';

/** The fields that a backward kernel takes from its forward kernel. */
export interface ForwardContext extends Pick<KernelRecord, 'calls' | 'mod' | 'op' | 'layer' | 'trace' | 'repr'> {
  /** Names of the framework ops around the forward launch. */
  readonly names: readonly string[];
}

/** The forward kernel of a backward kernel, and how it was found. */
export interface Forward {
  /** Id of the forward kernel. */
  readonly id: number;
  readonly tid: number | null;
  readonly context: ForwardContext;
}

/** The result of pairing: the forward kernel, or why there is none. */
export type Pairing =
  | { readonly kind: 'paired'; readonly forward: Forward; readonly by: 'seq' | 'altSeq' }
  /** A forward kernel, or a backward kernel with its own calls. */
  | { readonly kind: 'own' }
  /** The kernel has no sequence id. */
  | { readonly kind: 'no-id' }
  /** No earlier forward kernel has its id. */
  | { readonly kind: 'no-forward' }
  /** Forward kernels of several other threads have the id, and it is undetermined to which one the kernel belongs. */
  | { readonly kind: 'ambiguous'; readonly threads: number };

const OWN: Pairing = { kind: 'own' };
const NO_ID: Pairing = { kind: 'no-id' };
const NO_FORWARD: Pairing = { kind: 'no-forward' };

/** Bytes for contexts and ids before the older half is evicted: about 50,000 distinct forward kernels. */
const BUDGET = 32 * 1024 * 1024;
const BYTES_PER_ENTRY = 250;
/** Maximum number of threads per sequence id; more would not make an id less ambiguous. */
const THREADS_KEPT = 16;
/** Number of recent contexts whose equal strings are shared, and of recent contexts kept as objects. */
const RECENT = 2048;

/** A stored forward kernel: its context as text takes a third of the memory of objects. */
interface ForwardEntry {
  readonly id: number;
  readonly tid: number | null;
  /** Calls of the op, which are the same in other layers and steps. */
  readonly calls: string;
  /** The rest of its context. */
  readonly place: string;
}

type Place = Omit<ForwardContext, 'calls'>;

/** The latest forward kernel of each thread that has the id. */
type ThreadEntries = ForwardEntry[];

/** Forward kernels by sequence id, separately for every process of every profile. */
class SequenceIds {
  readonly #profiles = new Map<number, Map<number | null, Map<number, ThreadEntries>>>();
  size = 0;

  get({ profile, pid }: KernelRecord, id: number): ThreadEntries | undefined {
    return this.#profiles.get(profile)?.get(pid)?.get(id);
  }

  /** Adds an id that has no entry yet. */
  add({ profile, pid }: KernelRecord, id: number, held: ForwardEntry): void {
    const processes = entryOf(this.#profiles, profile, () => new Map<number | null, Map<number, ThreadEntries>>());
    entryOf(processes, pid, () => new Map<number, ThreadEntries>()).set(id, [held]);
    this.size++;
  }
}

/** Half of the memory, with entries of about the same age. */
class Generation {
  readonly seq = new SequenceIds();
  readonly altSeq = new SequenceIds();
  bytes = 0;
}

/** Finds the forward kernel of each backward kernel by its sequence ids. */
export class ForwardKernels {
  #young = new Generation();
  #old = new Generation();
  readonly #callTexts = new LruCache<string, string>(RECENT);
  readonly #placeTexts = new LruCache<string, string>(RECENT);
  readonly #calls = new LruCache<string, readonly OpCall[]>(RECENT);
  readonly #places = new LruCache<string, Place>(RECENT);
  /** Number of sequence ids evicted to stay within the budget. */
  evicted = 0;

  constructor(private readonly budget = BUDGET) {}

  /** The pairing of a kernel; must be called with every kernel, in order. */
  pair(kernel: KernelRecord): Pairing {
    const bySizes = kernel.calls.some(({ from }) => from === 'sizes');
    // If calls are numbered, backward kernels have their own calls and forward op. Calls that are known only by their
    // extents do not name an op.
    if (kernel.callIds !== undefined && !bySizes) return OWN;
    if (kernel.dir === 'fprop') this.#remember(kernel);
    if (kernel.dir !== 'bprop' || (kernel.calls.length > 0 && !bySizes)) return OWN;
    const id = kernel.seq[0];
    if (id === undefined) return NO_ID;
    return this.#find('seq', id, kernel) ?? this.#find('altSeq', id, kernel) ?? NO_FORWARD;
  }

  #remember(kernel: KernelRecord): void {
    if (kernel.seq.length === 0 && kernel.altSeq.length === 0) return;
    const { id, tid, seq, altSeq } = kernel;
    const held = { id, tid, calls: this.#callsOf(kernel), place: this.#placeOf(kernel) };
    for (const number of seq) this.#put(this.#young.seq, kernel, number, held);
    for (const number of altSeq) this.#put(this.#young.altSeq, kernel, number, held);
    if (this.#young.bytes <= this.budget / 2) return;
    this.evicted += this.#old.seq.size + this.#old.altSeq.size;
    this.#old = this.#young;
    this.#young = new Generation();
  }

  #put(ids: SequenceIds, kernel: KernelRecord, id: number, held: ForwardEntry): void {
    const threads = ids.get(kernel, id);
    if (threads === undefined) {
      ids.add(kernel, id, held);
      this.#young.bytes += BYTES_PER_ENTRY;
      return;
    }
    const same = threads.findIndex((other) => other.tid === held.tid);
    if (same !== -1) threads[same] = held;
    else if (threads.push(held) > THREADS_KEPT) threads.shift();
  }

  /** The calls as text. Calls of backward kernels repeat as the same objects, whose work is cached. */
  #callsOf({ calls }: KernelRecord): string {
    const text = JSON.stringify(calls);
    const known = this.#callTexts.get(text);
    if (known === undefined) return this.#keep(text, this.#callTexts);
    if (this.#calls.get(known)?.at(-1) !== calls.at(-1)) this.#calls.set(known, calls);
    return known;
  }

  /** The rest as text; strings that repeat soon share one string. */
  #placeOf(kernel: KernelRecord): string {
    const text = placeText(kernel);
    return this.#placeTexts.get(text) ?? this.#keep(text, this.#placeTexts);
  }

  #keep(text: string, texts: LruCache<string, string>): string {
    texts.set(text, text);
    this.#young.bytes += text.length;
    return text;
  }

  /** Null when no forward kernel has the id. */
  #find(by: 'seq' | 'altSeq', id: number, kernel: KernelRecord): Pairing | null {
    const held = newest(this.#young[by].get(kernel, id), this.#old[by].get(kernel, id));
    const [only] = held;
    if (only === undefined) return null;
    const chosen = held.length === 1 ? only : choose(held, kernel, (candidate) => this.#contextOf(candidate));
    if (chosen === null) return { kind: 'ambiguous', threads: held.length };
    return { kind: 'paired', forward: { id: chosen.id, tid: chosen.tid, context: this.#contextOf(chosen) }, by };
  }

  #contextOf({ calls, place }: ForwardEntry): ForwardContext {
    return {
      calls: this.#calls.of(calls, (text) => JSON.parse(text) as OpCall[]),
      ...this.#places.of(place, unpackPlace),
    };
  }
}

/** The newer entry of each thread, from both generations. */
function newest(young: ThreadEntries = [], old: ThreadEntries = []): ThreadEntries {
  if (old.length === 0) return young;
  return [...young, ...old.filter(({ tid }) => !young.some((newer) => newer.tid === tid))];
}

const placeText = ({ mod, op, layer, trace, repr, seqMarker }: KernelRecord): string =>
  JSON.stringify([mod, op, layer, trace, repr, seqMarker.map(markerName)]);

function unpackPlace(text: string): Place {
  const [mod, op, layer, trace, repr, names] = JSON.parse(text) as [
    string[],
    string[],
    string[],
    string[],
    string[],
    string[],
  ];
  return { mod, op, layer, trace, repr, names };
}

/** Selects from forward kernels of several threads the one that a backward kernel belongs to; null when undetermined. */
function choose(
  candidates: ThreadEntries,
  kernel: KernelRecord,
  contextOf: (forward: ForwardEntry) => ForwardContext,
): ForwardEntry | null {
  const nodes = kernel.seqMarker.map((text) => plainName(markerName(text)));
  const agreeing = candidates.filter((candidate) =>
    contextOf(candidate).names.some((name) => isOpOf(plainName(name), nodes)),
  );
  const likely = agreeing.length > 0 ? agreeing : candidates;
  const [first] = likely;
  // Replicas that made the same call at the same line have the same context.
  if (first !== undefined && likely.every(({ calls, place }) => calls === first.calls && place === first.place))
    return first;
  return likely.find(({ tid }) => tid === kernel.tid) ?? null;
}

/** `aten::mm, seq = 5, op_id = 12` → `aten::mm`. */
const markerName = (text: string): string => {
  const end = text.indexOf(', ');
  return end === -1 ? text : text.slice(0, end);
};

/** `CudnnConvolutionBackward0` and `aten::_convolution` in a common spelling: `cudnnconvolution`, `convolution`. */
const plainName = (name: string): string =>
  name
    .slice(name.lastIndexOf(':') + 1)
    .replace(/(?:Backward\d*|Backwards|_backward)$/, '')
    .replace(/[\s_]/g, '')
    .toLowerCase();

const isOpOf = (name: string, nodes: readonly string[]): boolean =>
  name !== '' && nodes.some((node) => node !== '' && (node.includes(name) || name.includes(node)));
