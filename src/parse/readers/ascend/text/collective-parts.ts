/**
 * Collectives of a trace. Reads the parts of collectives. A group has its operations on its first lane, and their parts
 * on the lanes (planes) after it. A part states the interconnect of its message.
 */
import { entryOf } from '../../../../containers/map-entry.js';
import { elementAt } from '../../../../containers/element.js';
import { columns } from '../../../../containers/numeric-column.js';
import { allRows, sortRows, countBelow } from '../../../../containers/row-order.js';
import { commonLink, collectiveKind, collectiveType } from '../device-kinds.js';
import type { CollectiveOperation, ActivityDetails } from '../../../trace/trace.js';
import type { Transfer } from '../../../../record/fields/collective.js';
import { parseOperationName, type ProcessGroups } from '../process-groups.js';
import { entriesOf, fieldOf } from '../../../json/json-value.js';
import { NS_PER_S } from '../../../../record/units.js';
import type { Writable } from '../../../../containers/writable.js';

/** Written for a rank that the profiler does not state. */
const NO_RANK = 4294967295;
const ON_CHIP = 'ON_CHIP';

/** Messages of collectives between ranks, with equal messages added up. */
export class Transfers {
  readonly #sums = new Map<string, Writable<Transfer>>();

  /**
   * @param link name of the link; messages without a link are left out
   * @param bytes size; 0 for tasks that move nothing, such as notifications
   * @param ns duration; NaN when unknown
   */
  add(src: number, dst: number, link: string, bytes: number, ns: number): void {
    if (!(bytes > 0) || link === 'N/A' || /INVALID|RESERVED/.test(link)) return;
    const from = rankOf(src);
    // A message that stays on the chip has the same rank on both sides.
    const to = link === ON_CHIP ? from : rankOf(dst);
    const none = (): Writable<Transfer> => ({ src: from, dst: to, link, bytes, count: 0, dur: 0 });
    const sum = entryOf(this.#sums, `${link},${from ?? ''},${to ?? ''},${bytes}`, none);
    sum.count++;
    sum.dur = sum.dur === null || Number.isNaN(ns) ? null : sum.dur + ns;
  }

  /** All messages in order of link, ranks and size. */
  get all(): Transfer[] {
    return [...this.#sums.values()].sort(
      (a, b) =>
        (a.link === b.link ? 0 : a.link < b.link ? -1 : 1) ||
        (a.src ?? -1) - (b.src ?? -1) ||
        (a.dst ?? -1) - (b.dst ?? -1) ||
        a.bytes - b.bytes,
    );
  }
}

const rankOf = (rank: number): number | null => (rank >= 0 && rank !== NO_RANK ? rank : null);

export interface CommunicationFacts {
  readonly group: string | null;
  readonly link: string | null;
  /** Times and ratios under the tool's names; null when several operations with this name differ. */
  readonly times: Readonly<Record<string, number>> | null;
  /** Messages by link and size; empty when several operations have this name. */
  readonly transfers: readonly Transfer[];
}

/** Listed among the links, although it is the engine that moves messages over any link. */
const MOVER = 'SDMA';

/**
 * Reads communication.json. For each step and kind, it lists operations named
 * `hcom_allReduce__586_0_1@17522688603477080586` (operation and group), with their times and their traffic on each kind
 * of link.
 * @returns facts by the name of the operation; null for facts that differ between operations of the same name
 */
export function readCommunication(json: unknown): Map<string, CommunicationFacts> {
  const facts = new Map<string, CommunicationFacts>();
  for (const [, kinds] of entriesOf(json)) {
    for (const [, operations] of entriesOf(kinds)) {
      for (const [key, operation] of entriesOf(operations)) {
        const [name = '', group] = key.split('@');
        if (name === '' || group === undefined) continue;
        const bandwidth = fieldOf(operation, 'Communication Bandwidth Info');
        const times = timesIn(fieldOf(operation, 'Communication Time Info'));
        const found = {
          group,
          link: linkOf(bandwidth),
          times: measured(times, bandwidth),
          transfers: sizesIn(bandwidth),
        };
        const known = facts.get(name);
        facts.set(name, known === undefined ? found : common(known, found));
      }
    }
  }
  return facts;
}

const common = (a: CommunicationFacts, b: CommunicationFacts): CommunicationFacts => ({
  group: a.group === b.group ? a.group : null,
  link: a.link === b.link ? a.link : null,
  times: null,
  transfers: [],
});

/** All times except the start, which the operation already has. */
function timesIn(info: unknown): Record<string, number> | null {
  const times = entriesOf(info).filter(
    (entry): entry is [string, number] => typeof entry[1] === 'number' && !entry[0].startsWith('Start'),
  );
  return times.length === 0 ? null : Object.fromEntries(times);
}

/**
 * Messages by size, from `{"HCCS": {"Size Distribution": {"2.064384": [12, 1.578]}}}`: size in MB, number of messages, and
 * ms.
 */
function sizesIn(bandwidth: unknown): Transfer[] {
  return entriesOf(bandwidth).flatMap(([link, facts]) =>
    entriesOf(fieldOf(facts, 'Size Distribution')).flatMap(([megabytes, messages]) => {
      const [count, ms] = Array.isArray(messages) ? (messages as unknown[]) : [];
      const bytes = Math.round(Number(megabytes) * 1e6);
      if (!(bytes > 0) || typeof count !== 'number' || typeof ms !== 'number') return [];
      return [{ src: null, dst: null, link, bytes, count, dur: Math.round((ms / 1000) * NS_PER_S) }];
    }),
  );
}

/** Adds the rates of the links that were used to the times: `HCCS Bandwidth(GB/s)`, `HCCS Large Packet Ratio`. */
function measured(times: Readonly<Record<string, number>> | null, bandwidth: unknown): typeof times {
  const rates = entriesOf(bandwidth)
    .filter(([link, facts]) => link !== MOVER && Number(fieldOf(facts, 'Transit Size(MB)')) > 0)
    .flatMap(([link, facts]) =>
      entriesOf(facts).flatMap(([name, value]) =>
        typeof value === 'number' ? [[`${link} ${name}`, value] as const] : [],
      ),
    );
  return times === null && rates.length === 0 ? null : { ...times, ...Object.fromEntries(rates) };
}

/** Times and rates of a collective, as counters. */
export const timesOf = (facts: CommunicationFacts | undefined): ActivityDetails | null =>
  facts === undefined || facts.times === null ? null : { counters: facts.times };

function linkOf(bandwidth: unknown): string | null {
  const used = entriesOf(bandwidth).filter(([, facts]) => Number(fieldOf(facts, 'Transit Size(MB)')) > 0);
  return commonLink(used.map(([link]) => link).filter((link) => link !== MOVER));
}

export interface TracedOperation {
  readonly name: string;
  readonly dataType: string | null;
  readonly algorithm: string | null;
  readonly count: number | null;
}

/** A part of an operation; NaN when unknown. */
interface TracedPart {
  readonly link: string;
  readonly src: number;
  readonly dst: number;
  /** Size in bytes. */
  readonly size: number;
  /** Duration in ns; also NaN for a message over a network, which takes longer than the task that sends it. */
  readonly dur: number;
}

/** Messages of an operation. */
interface Moved {
  /** Interconnect; null when unknown, or when there are several. */
  readonly link: string | null;
  readonly transfers: readonly Transfer[];
}

/** Parts of collectives. Memory: 53 bytes for each part. */
export class CollectiveParts extends columns({
  start: 'f64',
  pid: 'f64',
  tid: 'u32',
  /** Index in `#links`. */
  link: 'u8',
  src: 'f64',
  dst: 'f64',
  size: 'f64',
  dur: 'f64',
}) {
  readonly #links: string[] = [];

  add(start: number, pid: number, tid: number, { link, src, dst, size, dur }: TracedPart): void {
    let code = this.#links.indexOf(link);
    if (code === -1) code = this.#links.push(link) - 1;
    this.push({ start, pid, tid, link: Math.min(code, 255), src, dst, size, dur });
  }

  /**
   * Messages of each operation: those of the parts that start during it, on lanes of its group.
   * @param operations operations in any order
   * @returns one entry for each operation
   */
  movedBy(operations: readonly { start: number; end: number; pid: number; tid: number }[]): Moved[] {
    const rows = allRows(this.start.length);
    sortRows(rows, (a, b) => this.start.at(a) - this.start.at(b));
    const groups = new Map<number, number[]>();
    for (const { pid, tid } of operations) {
      const lanes = entryOf(groups, pid, () => []);
      if (!lanes.includes(tid)) lanes.push(tid);
    }
    /** The group of a lane with operations, or otherwise of the nearest lane before it that has operations. */
    const groupOf = (lanes: readonly number[], tid: number): number =>
      lanes.reduce((nearest, lane) => (lane <= tid && lane > nearest ? lane : nearest), -1);
    return operations.map(({ start, end, pid, tid }) => {
      const links = new Set<string>();
      const transfers = new Transfers();
      const lanes = groups.get(pid) as readonly number[];
      const first = countBelow(rows.length, (index) => this.start.at(elementAt(rows, index)), start);
      for (let at = first; at < rows.length; at++) {
        const row = elementAt(rows, at);
        if (this.start.at(row) > end) break;
        if (this.pid.at(row) !== pid || groupOf(lanes, this.tid.at(row)) !== tid) continue;
        const [src, dst, size, dur] = [this.src.at(row), this.dst.at(row), this.size.at(row), this.dur.at(row)];
        const link = elementAt(this.#links, this.link.at(row));
        links.add(link);
        transfers.add(src, dst, link, size, dur);
      }
      return { link: commonLink(links), transfers: transfers.all };
    });
  }
}

/** @param moved messages of the operation's parts */
export function collectiveOperation(
  { name, dataType, algorithm, count }: TracedOperation,
  groups: ProcessGroups,
  moved: Moved = { link: null, transfers: [] },
  facts?: CommunicationFacts,
): CollectiveOperation {
  const type = collectiveType(dataType);
  const transfers = moved.transfers.length > 0 ? moved.transfers : (facts?.transfers ?? []);
  const { group: digits } = parseOperationName(name);
  const [kind, group] = [collectiveKind(name), groups.find(facts?.group ?? null, digits)];
  return {
    name,
    kind,
    bytes: type === null || count === null ? null : count * type.bytes,
    dtype: type?.dtype ?? null,
    group: facts?.group ?? group?.name ?? digits,
    groupSize: group?.size ?? null,
    ranks: group?.ranks ?? null,
    ...groups.identityOf(name, kind, group, transfers),
    algorithm: algorithm === '' || algorithm === 'N/A' ? null : algorithm,
    link: facts?.link ?? moved.link,
    ...(transfers.length === 0 ? undefined : { transfers }),
  };
}
