/**
 * CPU samples and calls of system libraries by call chain, for flame graphs: a record for each distinct chain of a thread.
 * Memory: a number for each chain, and the strings of the distinct ones, within a bound.
 *
 * Source: NVIDIA Nsight Systems documentation, "SQLite Schema Reference": SAMPLING_CALLCHAINS, whose `id` is that of a row of
 * COMPOSITE_EVENTS, and OSRT_CALLCHAINS, whose `id` is the `callchainId` of rows of OSRT_API. Depth 0 is the innermost frame.
 */
import { elementAt } from '../../../containers/element.js';
import { entryOf } from '../../../containers/map-entry.js';
import type { Diagnostics } from '../../../record/diagnostics.js';
import type { SampleRecord } from '../../../record/record.js';
import { CPU_STACK_METRICS, FRAME_SEPARATOR } from '../../../record/sample-metrics.js';
import type { Selection, SqliteFile, TextLookup } from '../../sqlite/sqlite.js';
import { compareTexts } from '../../trace/record-order.js';

/** A table of events that have a call chain. */
interface ChainedEvents {
  readonly events: string;
  readonly chains: string;
  /** Column of the event with the id of its chain. */
  readonly id: string;
  readonly metric: string;
  readonly unit: string;
  /** Whether an event counts with its duration, and its name is the innermost frame. */
  readonly isCall: boolean;
}

const CHAINED: readonly ChainedEvents[] = [
  {
    ...{ events: 'COMPOSITE_EVENTS', chains: 'SAMPLING_CALLCHAINS', id: 'id', isCall: false },
    ...{ metric: CPU_STACK_METRICS.samples, unit: 'count' },
  },
  {
    ...{ events: 'OSRT_API', chains: 'OSRT_CALLCHAINS', id: 'callchainId', isCall: true },
    ...{ metric: CPU_STACK_METRICS.calls, unit: 'ns' },
  },
];

export const CHAIN_TABLES: readonly string[] = CHAINED.map(({ chains }) => chains);

/** Most characters of distinct stacks; events of further ones have the stack `[other stacks]`. */
const MOST_TEXT = 64 * 1024 * 1024;
const OTHERS = '[other stacks]';
const UNKNOWN = '[unknown]';

/** Stacks of the chains of a table: their distinct strings, and the number of the string for each id. */
class Chains {
  readonly texts: string[] = [];
  readonly byId = new Map<number, number>();
  readonly #numbers = new Map<string, number>();
  readonly #symbols = new Map<number, string>();
  #text = 0;

  constructor(
    database: SqliteFile,
    table: string,
    private readonly names: TextLookup,
  ) {
    let [open, frames] = [NaN, [] as string[]];
    const close = (): void => {
      if (frames.length > 0) this.byId.set(open, this.numberOf(frames.reverse().join(FRAME_SEPARATOR)));
    };
    // Rows of a chain follow each other, the innermost first.
    const columns = ['id', 'symbol', 'module', 'unresolved'];
    database.eachNumbers(table, columns, ([id = NaN, symbol = NaN, module = NaN, unresolved = 0]) => {
      if (id !== open) {
        close();
        [open, frames] = [id, []];
      }
      frames.push(unresolved === 1 ? this.#moduleOf(module) : (this.#textOf(symbol) ?? UNKNOWN));
    });
    close();
  }

  /** The total length of all stacks' strings is limited. */
  numberOf(text: string): number {
    const isKept = this.#numbers.has(text) || this.#text + text.length <= MOST_TEXT;
    return entryOf(this.#numbers, isKept ? text : OTHERS, () => {
      this.#text += text.length;
      return this.texts.push(isKept ? text : OTHERS) - 1;
    });
  }

  /** An address without a symbol stands for its library. */
  #moduleOf(id: number): string {
    const path = this.#textOf(id);
    if (path === null || path.startsWith('[')) return path ?? UNKNOWN;
    return `[${path.slice(path.lastIndexOf('/') + 1)}]`;
  }

  #textOf(id: number): string | null {
    const text = entryOf(this.#symbols, id, () => (this.names(id) ?? '').replaceAll(FRAME_SEPARATOR, ','));
    return text === '' ? null : text;
  }
}

/**
 * The number of samples of each stack of each thread, and the time of its system calls.
 * @param thread selections of process and tid
 * @param names the registered strings
 */
export function* cpuStacks(
  database: SqliteFile,
  thread: readonly Selection[],
  names: TextLookup,
  profile: number,
  diagnostics: Diagnostics,
): Generator<SampleRecord> {
  for (const { events, chains: table, id, metric, unit, isCall } of CHAINED) {
    if (!database.has(table)) continue;
    const chains = new Chains(database, table, names);
    const sums = new Map<string, Map<number, number>>();
    const others = new Map<string, number>();
    const columns = [...thread, id, ...(isCall ? ['start', 'end', 'nameId', 'nestingLevel'] : [])];
    /** The number of the stack of an event. @param call the name of a call, which is its innermost frame; null for none */
    const numberOf = (stack: number | undefined, call: number | null): number =>
      stack !== undefined && call === null
        ? stack
        : entryOf(others, `${stack ?? ''}/${call ?? ''}`, () => {
            const around = stack === undefined ? UNKNOWN : elementAt(chains.texts, stack);
            const frames = call === null ? [around] : [around, names(call) ?? UNKNOWN];
            return chains.numberOf(frames.join(FRAME_SEPARATOR));
          });
    database.eachNumbers(events, columns, (cells) => {
      const [process = NaN, tid = NaN, chain = NaN, start = 0, end = 1, name = NaN, level = 0] = cells;
      if (Number.isNaN(process) || !(end >= start)) diagnostics.count('bad-row');
      // A call within another is a part of its time.
      else if (!(level > 0)) {
        const number = numberOf(chains.byId.get(chain), isCall ? name : null);
        const ofThread = entryOf(sums, `${process % 0x1000000}/${tid}`, () => new Map<number, number>());
        ofThread.set(number, (ofThread.get(number) ?? 0) + (end - start));
      }
    });
    // The order of the rows does not matter.
    for (const [key, ofThread] of [...sums].sort(([a], [b]) => compareTexts(a, b))) {
      const [pid = NaN, tid = NaN] = key.split('/').map(Number);
      const stacks = [...ofThread].map(([stack, value]) => ({ text: chains.texts[stack] ?? UNKNOWN, value }));
      for (const { text, value } of stacks.sort((a, b) => compareTexts(a.text, b.text)))
        yield {
          ...{ type: 'sample', profile, start: null, device: null, metric, value, unit },
          ...{ text, labels: { pid, tid } },
        };
    }
  }
}
