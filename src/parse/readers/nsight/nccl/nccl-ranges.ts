/**
 * NCCL's NVTX ranges → the operation of the kernels that were launched inside. A call launches in its own range, the
 * calls of a group in that of the `ncclGroupEnd` that ends it. Memory: about 300 bytes a call of NCCL.
 *
 * Sources: NCCL documentation, "Group Calls"; Nsight Systems documentation, "Recipe Composite Tables" (advanced tracing:
 * texts without `nccl`, in the domain `NCCL`).
 */
import { countUpTo } from '../../../../containers/sorted-search.js';
import { elementAt } from '../../../../containers/element.js';
import { entryOf } from '../../../../containers/map-entry.js';
import type { ProcessGroup } from '../../../../record/fields/collective.js';
import type { Diagnostics } from '../../../../record/diagnostics.js';
import { integerOf, type Cell, type Filter, type Selection, type SqliteFile } from '../../../sqlite/sqlite.js';
import { kernelNameOf, type Trace } from '../../../trace/trace.js';
import { isNear } from '../../../trace/clocks/exact-times.js';
import type { LaunchJoin } from '../../../trace/launches.js';
import { factsOfJson, factsOfPayload, NO_FACTS, PayloadSchemas, type NcclFacts } from './nccl-payload.js';
import { OPERATIONS, operationOf, type LaunchedOperation, type NcclCall } from './operations.js';

const NVTX = 'NVTX_EVENTS';

/** Registered texts that are kept: NCCL has some tens. */
const MOST_TEXTS = 10_000;

/** What a range is: a call, the start or end of a group, or an operation of the framework around them. */
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

/** When kernels of some calls are launched. */
interface Window {
  readonly start: number;
  readonly end: number;
  readonly calls: readonly NcclCall[];
  readonly within: string | null;
  kernels: number;
  operation: LaunchedOperation | null | undefined;
}

/** What the reader of the database knows. */
export interface NcclSource {
  readonly database: SqliteFile;
  readonly diagnostics: Diagnostics;
  /** Process and tid of a row, and ranges alone. */
  readonly thread: readonly Selection[];
  readonly isRange: Filter;
  readonly threadOf: (process: number, tid: number) => number;
  /** Name of the NVTX domain of a process. */
  readonly domainOf: (process: number, id: number) => string | null;
}

export class NcclRanges {
  /** By thread, in order of start. */
  readonly #windows = new Map<number, Window[]>();
  readonly #groups = new Map<string, ProcessGroup>();
  readonly #launched = new Map<number, Window>();

  constructor(source: NcclSource) {
    const byThread = this.#read(source);
    for (const [thread, ranges] of byThread) this.#windows.set(thread, windowsOf(ranges));
  }

  /** Communicators whose ranks are stated or that calls name, by name. */
  get groups(): readonly ProcessGroup[] {
    return [...this.#groups.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** Finds the calls of each kernel of NCCL; to be called before `of`. */
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
    const windows = this.#windows.get(thread) ?? [];
    const window = windows[countUpTo(windows.length, (i) => elementAt(windows, i).start, time) - 1];
    return window === undefined || time > window.end ? null : window;
  }

  /** The operation of a kernel; null when none is known. */
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
      // Other rows are counted with the other ranges.
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

/** Null when there is a payload and it cannot be read. */
function factsOf(schemas: PayloadSchemas, binary: Cell, json: string | null): NcclFacts | null {
  if (json !== null) return factsOfJson(json);
  if (binary === null) return NO_FACTS;
  const payload = schemas.decode(binary);
  return payload === null ? null : factsOfPayload(payload);
}

/** Texts that may be of NCCL's ranges, by their number: the database looks through all registered texts. */
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

/** The JSON of a row, registered or its own. */
function jsonOf(database: SqliteFile): (inline: Cell | undefined, id: Cell | undefined) => string | null {
  const registered = database.lookup('StringIds', 'value', 'id');
  return (inline, id) => {
    if (typeof inline === 'string' && inline !== '') return inline;
    const text = Number.isSafeInteger(id) ? registered?.(integerOf(id)) : null;
    return typeof text === 'string' && text !== '' ? text : null;
  };
}

/** Windows of a thread in order of start, none within another. */
function windowsOf(ranges: NcclRange[]): Window[] {
  const windows: Window[] = [];
  let [depth, inside]: [number, NcclCall[]] = [0, []];
  let framework: { readonly name: string; readonly end: number } | null = null;
  const open = ({ start, end }: NcclRange, calls: readonly NcclCall[]): void => {
    if (calls.length === 0 || start < (windows.at(-1)?.end ?? -Infinity)) return;
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
  return windows;
}
