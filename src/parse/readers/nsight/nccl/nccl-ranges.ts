/**
 * Finds the NCCL operation of kernels from the NVTX ranges in which they were launched. A single call launches its kernels
 * in its own range; the calls of a group launch them in the range of the `ncclGroupEnd` that ends the group. Memory: about
 * 300 bytes for each NCCL call.
 *
 * Sources: NCCL documentation, "Group Calls"; Nsight Systems documentation, "Recipe Composite Tables" (advanced tracing:
 * strings without `nccl`, in the domain `NCCL`).
 */
import { outermost, spanAt, SPANS } from '../../../../containers/nesting.js';
import { elementAt } from '../../../../containers/element.js';
import { entryOf } from '../../../../containers/map-entry.js';
import type { ProcessGroup, Collective } from '../../../../record/fields/collective.js';
import type { Diagnostics } from '../../../../record/diagnostics.js';
import { integerOf, type Cell, type Filter, type Selection, type SqliteFile } from '../../../sqlite/sqlite.js';
import { kernelNameOf, type Trace } from '../../../trace/trace.js';
import { isNear } from '../../../trace/clocks/trace-clock.js';
import type { LaunchJoin } from '../../../trace/launches.js';
import { factsOfJson, factsOfPayload, NO_FACTS, PayloadSchemas, type NcclFacts } from './nccl-payload.js';
import type { Labels } from '../../../../record/record.js';

/**
 * Number of messages of the stated size that a call receives or sends: one, or one for each rank; unknown when it
 * depends on the rank.
 */
type Messages = 'one' | 'ranks' | 'unknown';

interface OperationForm {
  readonly op: string;
  readonly in: Messages;
  readonly out: Messages;
}

const form = (op: string, ...[into, out]: [Messages, Messages]): OperationForm => ({ op, in: into, out });

/**
 * Calls by their names without `nccl`. Source: NCCL, "Collective Communication Functions", which states what `count` refers
 * to in each.
 */
const OPERATIONS: ReadonlyMap<string, OperationForm> = new Map([
  ['AllReduce', form('allreduce', 'one', 'one')],
  ['AllGather', form('allgather', 'one', 'ranks')],
  ['ReduceScatter', form('reducescatter', 'ranks', 'one')],
  ['Broadcast', form('broadcast', 'one', 'one')],
  ['Reduce', form('reduce', 'one', 'one')],
  ['AlltoAll', form('alltoall', 'ranks', 'ranks')],
  ['AllToAll', form('alltoall', 'ranks', 'ranks')],
  ['Gather', form('gather', 'one', 'unknown')],
  ['Scatter', form('scatter', 'unknown', 'one')],
  ['Send', form('send', 'one', 'one')],
  ['Recv', form('recv', 'one', 'one')],
]);

interface NcclCall {
  readonly form: OperationForm;
  readonly facts: NcclFacts;
}

/** The operation of the kernels of one launch: that of a call, or of a group of calls. */
interface LaunchedOperation {
  readonly collective: Collective;
  /** Peer and root rank of a single call, which only have a meaning in its communicator, under NVTX's names. */
  readonly labels?: Labels;
}

const sum = (sizes: readonly (number | null)[]): number | null =>
  sizes.reduce((total, size) => (total === null || size === null ? null : total + size), 0);

/**
 * The operation that the calls of a group make together; null for calls of different kinds.
 * @param kernels number of kernels that the group launched; with several, sizes are known only if each call launched
 *   its own kernel
 * @param within name of the framework's operation around the group
 * @param sizeOf number of ranks in a communicator
 */
function operationOf(
  calls: readonly NcclCall[],
  kernels: number,
  within: string | null,
  sizeOf: (communicator: string | null) => number | null,
): LaunchedOperation | null {
  const [first] = calls;
  if (first === undefined) return null;
  const groups = [...new Set(calls.map(({ facts }) => facts.communicator))];
  const group = groups.length === 1 ? first.facts.communicator : null;
  const groupSize = group === null ? null : sizeOf(group);
  const types = [...new Set(calls.map(({ facts }) => facts.dtype))];
  const dtype = types.length === 1 ? first.facts.dtype : null;
  const kinds = [...new Set(calls.map((call) => call.form.op))];
  const isMessages = kinds.every((kind) => kind === 'send' || kind === 'recv');
  if (kinds.length > 1 && !isMessages) return null;
  const sizes = isMessages
    ? messageSizes(calls, kernels, within)
    : { op: first.form.op, ...collectiveSizes(calls, kernels, sizeOf) };
  const lone = calls.length === 1;
  const ordinal = lone ? first.facts.ordinal : null;
  const collective = {
    ...sizes,
    dtype,
    group,
    groupSize,
    ranks: null,
    ...(ordinal === null ? undefined : { ordinal }),
  };
  const labels = lone ? labelsOf(first.facts) : undefined;
  return { collective, ...(labels === undefined ? undefined : { labels }) };
}

type Sizes = Pick<Collective, 'bytesIn' | 'bytesOut'>;

const UNKNOWN_SIZES: Sizes = { bytesIn: null, bytesOut: null };

/** Operation and sizes of sends and receives. The framework's name for the operation is used if there is one. */
function messageSizes(calls: readonly NcclCall[], kernels: number, within: string | null): Sizes & { op: string } {
  const bytesOf = (op: string): number | null =>
    sum(calls.filter((call) => call.form.op === op).map(({ facts }) => facts.bytes));
  const isOf = (op: string): boolean => calls.some((call) => call.form.op === op);
  const [sends, receives] = [isOf('send'), isOf('recv')];
  const op = within ?? (sends && receives ? 'sendrecv' : sends ? 'send' : 'recv');
  if (kernels !== 1) return { op, ...UNKNOWN_SIZES };
  const [bytesIn, bytesOut] = [bytesOf('send'), bytesOf('recv')];
  // A message in one direction has the same size on both sides.
  if (sends === receives || !/^(?:send|recv)/.test(op)) return { op, bytesIn, bytesOut };
  const bytes = sends ? bytesIn : bytesOut;
  return { op, bytesIn: bytes, bytesOut: bytes };
}

/** Sizes of calls of the same kind: their sum if they share one kernel; the common size if each call has its own kernel. */
function collectiveSizes(
  calls: readonly NcclCall[],
  kernels: number,
  sizeOf: (communicator: string | null) => number | null,
): Sizes {
  const sizes = calls.map(({ form: { in: into, out }, facts }): Sizes => {
    const ranks = sizeOf(facts.communicator);
    return { bytesIn: times(facts.bytes, into, ranks), bytesOut: times(facts.bytes, out, ranks) };
  });
  if (kernels === 1)
    return { bytesIn: sum(sizes.map((size) => size.bytesIn)), bytesOut: sum(sizes.map((size) => size.bytesOut)) };
  const [first] = sizes;
  const isSame = sizes.every(({ bytesIn, bytesOut }) => bytesIn === first?.bytesIn && bytesOut === first.bytesOut);
  return isSame && kernels === calls.length && first !== undefined ? first : UNKNOWN_SIZES;
}

function times(bytes: number | null, messages: Messages, ranks: number | null): number | null {
  if (messages === 'one') return bytes;
  return messages === 'unknown' || bytes === null || ranks === null ? null : bytes * ranks;
}

function labelsOf({ peer, root }: NcclFacts): Labels | undefined {
  if (peer === null && root === null) return undefined;
  return {
    ...(peer === null ? undefined : { 'Peer rank': peer }),
    ...(root === null ? undefined : { Root: root }),
  };
}

const NVTX = 'NVTX_EVENTS';

/** Maximum number of registered strings that are kept. NCCL has a few dozen. */
const MOST_TEXTS = 10_000;

/** Role of a range: a call, the start or end of a group, or an operation of the framework around calls. */
type Meaning =
  | { readonly is: 'call'; readonly name: string }
  | { readonly is: 'start' | 'end' | 'other' }
  | { readonly is: 'framework'; readonly name: string };

function meaningOf(text: string, isInDomain: boolean): Meaning | null {
  const framework = /^nccl:(\w+)/.exec(text)?.[1];
  if (framework !== undefined) return { is: 'framework', name: framework };
  const name = /^nccl([A-Z]\w*)$/.exec(text)?.[1] ?? (isInDomain ? text : '');
  if (name === 'GroupStart') return { is: 'start' };
  if (name === 'GroupEnd') return { is: 'end' };
  if (OPERATIONS.has(name)) return { is: 'call', name };
  return /^Comm(?:Init|Split|Shrink|Grow)/.test(name) ? { is: 'other' } : null;
}

interface NcclRange {
  readonly start: number;
  readonly end: number;
  readonly meaning: Meaning;
  readonly facts: NcclFacts;
}

/** The time in which kernels of some calls are launched. */
interface Window {
  readonly start: number;
  readonly end: number;
  readonly calls: readonly NcclCall[];
  readonly within: string | null;
  kernels: number;
  operation: LaunchedOperation | null | undefined;
}

/** Data that the reader of the database provides. */
interface NcclSource {
  readonly database: SqliteFile;
  readonly diagnostics: Diagnostics;
  /** Selects the process and tid of a row; `isRange` selects ranges only. */
  readonly thread: readonly Selection[];
  readonly isRange: Filter;
  readonly threadOf: (process: number, tid: number) => number;
  /** Name of an NVTX domain, by process and id. */
  readonly domainOf: (process: number, id: number) => string | null;
}

export class NcclRanges {
  /** Windows by thread, in order of start time. */
  readonly #windows = new Map<number, Window[]>();
  readonly #groups = new Map<string, ProcessGroup>();
  readonly #launched = new Map<number, Window>();

  constructor(source: NcclSource) {
    const byThread = this.#read(source);
    for (const [thread, ranges] of byThread) this.#windows.set(thread, windowsOf(ranges));
  }

  /** Communicators that calls name or whose number of ranks is stated, sorted by name. */
  get groups(): readonly ProcessGroup[] {
    return [...this.#groups.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** Finds the calls that each NCCL kernel belongs to. Call this before `of`. */
  takeKernels(trace: Trace, { callOf }: LaunchJoin): void {
    if (this.#windows.size === 0) return;
    const { activities, hostCalls } = trace;
    const isNccl = new Map<number, boolean>();
    for (const row of activities.rowsOf('kernel')) {
      const call = elementAt(callOf, row);
      const name = activities.kernels.name.at(activities.ownRow.at(row));
      if (call === -1 || !entryOf(isNccl, name, () => /nccl/i.test(kernelNameOf(trace, name) ?? ''))) continue;
      const window = this.#windowAt(hostCalls.thread.at(call), hostCalls.start.at(call));
      if (window === null) continue;
      window.kernels++;
      this.#launched.set(row, window);
    }
  }

  #windowAt(thread: number, time: number): Window | null {
    return spanAt(this.#windows.get(thread) ?? [], time);
  }

  /** The operation of a kernel; null when unknown. */
  of(activity: number): LaunchedOperation | null {
    const window = this.#launched.get(activity);
    if (window === undefined) return null;
    if (window.operation === undefined) {
      const sizeOf = (name: string | null): number | null =>
        name === null ? null : (this.#groups.get(name)?.size ?? null);
      window.operation = operationOf(window.calls, window.kernels, window.within, sizeOf);
    }
    return window.operation;
  }

  #read({ database, diagnostics, thread, isRange, threadOf, domainOf }: NcclSource): Map<number, NcclRange[]> {
    const byThread = new Map<number, NcclRange[]>();
    const texts = registeredTexts(database);
    if (texts.size === 0 || !['text', 'textId'].every((column) => database.hasColumn(NVTX, column))) return byThread;
    const schemas = new PayloadSchemas(database);
    const json = jsonOf(database);
    const columns = ['start', 'end', ...thread, 'text', 'textId', 'domainId', 'binaryData', 'jsonText', 'jsonTextId'];
    for (const cells of database.rows(NVTX, columns, [...isRange, isOfNccl(texts)])) {
      const [from, to, key, tid, text, textId, domain, binary = null, jsonText, jsonId] = cells;
      const [start, end, process] = [integerOf(from), integerOf(to), integerOf(key)];
      const name = typeof text === 'string' ? text : texts.get(integerOf(textId));
      // Such rows are counted by the code that reads the other ranges.
      if (!isNear(start) || !isNear(end) || end < start || Number.isNaN(process) || name === undefined) continue;
      const meaning = meaningOf(name, domainOf(process, integerOf(domain)) === 'NCCL');
      if (meaning === null) continue;
      const facts = factsOf(schemas, binary, json(jsonText, jsonId));
      if (facts === null) diagnostics.count('payload-not-read');
      this.#addGroup(facts ?? NO_FACTS);
      const list = entryOf(byThread, threadOf(process, integerOf(tid) || 0), () => [] as NcclRange[]);
      list.push({ start, end, meaning, facts: facts ?? NO_FACTS });
    }
    return byThread;
  }

  #addGroup({ communicator: name, ranks }: NcclFacts): void {
    if (name === null || (ranks === null && this.#groups.has(name))) return;
    this.#groups.set(name, { name, description: null, size: ranks, ranks: null });
  }
}

/** Facts of a payload; null when there is a payload that cannot be read. */
function factsOf(schemas: PayloadSchemas, binary: Cell, json: string | null): NcclFacts | null {
  if (json !== null) return factsOfJson(json);
  if (binary === null) return NO_FACTS;
  const payload = schemas.decode(binary);
  return payload === null ? null : factsOfPayload(payload);
}

/** Strings that may belong to NCCL ranges, by number. The database searches all registered strings. */
function registeredTexts(database: SqliteFile): Map<number, string> {
  const names = ['GroupStart', 'GroupEnd', ...OPERATIONS.keys()].map((name) => `'${name}'`).join();
  const filter: Filter = [{ needs: ['value'], sql: `(value GLOB 'nccl[A-Z:]*' OR value IN (${names}))` }];
  const texts = new Map<number, string>();
  for (const [id, value] of database.rows('StringIds', ['id', 'value'], filter))
    if (
      typeof value === 'string' &&
      Number.isSafeInteger(id) &&
      meaningOf(value, true) !== null &&
      texts.size < MOST_TEXTS
    )
      texts.set(integerOf(id), value);
  return texts;
}

const isOfNccl = (texts: ReadonlyMap<number, string>): Filter[number] => ({
  needs: ['textId', 'text'],
  sql: `(textId IN (${[...texts.keys()].join()}) OR text GLOB 'nccl[A-Z:]*')`,
});

/** The JSON of a row, either its own or a registered one. */
function jsonOf(database: SqliteFile): (inline: Cell | undefined, id: Cell | undefined) => string | null {
  const registered = database.lookup('StringIds', 'value', 'id');
  return (inline, id) => {
    if (typeof inline === 'string' && inline !== '') return inline;
    const text = Number.isSafeInteger(id) ? registered?.(integerOf(id)) : null;
    return typeof text === 'string' && text !== '' ? text : null;
  };
}

/** Windows of a thread in order of start time, without those inside another. */
function windowsOf(ranges: NcclRange[]): Window[] {
  const windows: Window[] = [];
  let [depth, inside]: [number, NcclCall[]] = [0, []];
  let framework: { readonly name: string; readonly end: number } | null = null;
  const open = ({ start, end }: NcclRange, calls: readonly NcclCall[]): void => {
    if (calls.length === 0) return;
    const within = framework !== null && end <= framework.end ? framework.name : null;
    windows.push({ start, end, calls, within, kernels: 0, operation: undefined });
  };
  for (const range of ranges.sort((a, b) => a.start - b.start || b.end - a.end)) {
    const { meaning, facts, end } = range;
    if (meaning.is === 'framework') framework = { name: meaning.name, end };
    else if (meaning.is === 'start') depth++;
    else if (meaning.is === 'call') {
      const form = OPERATIONS.get(meaning.name);
      if (form === undefined) continue;
      if (depth > 0) inside.push({ form, facts });
      else open(range, [{ form, facts }]);
    } else if (meaning.is === 'end' && depth > 0 && --depth === 0) {
      open(range, inside);
      inside = [];
    }
  }
  return outermost(windows, SPANS);
}
