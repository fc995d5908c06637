/**
 * Collectives of a trace: a group has its operations on its first lane, and their parts on the lanes (planes) after it.
 * Parts contain the interconnect of a message.
 */
import { entryOf } from '../../../../containers/map-entry.js';
import { elementAt } from '../../../../containers/element.js';
import { NumericColumn } from '../../../../containers/numeric-column.js';
import { allRows, sortRows } from '../../../../containers/row-order.js';
import { countBelow } from '../../../../containers/sorted-search.js';
import { commonLink, collectiveKind, collectiveType } from '../device-kinds.js';
import type { CollectiveOperation } from '../../../trace/trace.js';
import type { CommunicationFacts } from './communication-file.js';
import type { Transfer } from '../../../../record/fields/transfer.js';
import { parseOperationName, type ProcessGroups } from '../process-groups.js';
import { Transfers } from '../transfers.js';

export interface TracedOperation {
  readonly name: string;
  readonly dataType: string | null;
  readonly algorithm: string | null;
  readonly count: number | null;
}

/** A part of an operation, NaN where it does not say. */
interface TracedPart {
  readonly link: string;
  readonly src: number;
  readonly dst: number;
  /** bytes */
  readonly size: number;
  /** ns; NaN over a network too, where a message takes longer than the task that sends it. */
  readonly dur: number;
}

/** What an operation moved. */
interface Moved {
  /** Interconnect; null when unknown or mixed. */
  readonly link: string | null;
  readonly transfers: readonly Transfer[];
}

/** Memory: 53 bytes a part. */
export class CollectiveParts {
  readonly start = NumericColumn.floats();
  readonly #pid = NumericColumn.floats();
  readonly #tid = NumericColumn.counts();
  readonly #link = NumericColumn.codes();
  readonly #links: string[] = [];
  readonly #src = NumericColumn.floats();
  readonly #dst = NumericColumn.floats();
  readonly #size = NumericColumn.floats();
  readonly #dur = NumericColumn.floats();

  add(start: number, pid: number, tid: number, { link, src, dst, size, dur }: TracedPart): void {
    let code = this.#links.indexOf(link);
    if (code === -1) code = this.#links.push(link) - 1;
    this.start.push(start);
    this.#src.push(src);
    this.#dst.push(dst);
    this.#size.push(size);
    this.#dur.push(dur);
    this.#pid.push(pid);
    this.#tid.push(tid);
    this.#link.push(Math.min(code, 255));
  }

  /**
   * What each operation moved: the parts that start during it, on lanes of its group.
   * @param operations in any order
   * @returns one entry an operation
   */
  movedBy(operations: readonly { start: number; end: number; pid: number; tid: number }[]): Moved[] {
    const rows = allRows(this.start.length);
    sortRows(rows, (a, b) => this.start.at(a) - this.start.at(b));
    const groups = new Map<number, number[]>();
    for (const { pid, tid } of operations) {
      const lanes = entryOf(groups, pid, () => []);
      if (!lanes.includes(tid)) lanes.push(tid);
    }
    /** The group of a lane: that of the nearest lane with operations at or before it. */
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
        if (this.#pid.at(row) !== pid || groupOf(lanes, this.#tid.at(row)) !== tid) continue;
        const [src, dst, size, dur] = [this.#src.at(row), this.#dst.at(row), this.#size.at(row), this.#dur.at(row)];
        const link = elementAt(this.#links, this.#link.at(row));
        links.add(link);
        transfers.add(src, dst, link, size, dur);
      }
      return { link: commonLink(links), transfers: transfers.all };
    });
  }
}

/** @param moved by the operation's parts */
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
