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
import type { CollectiveOperation } from '../../../capture/capture.js';
import type { CommunicationFacts } from './communication-file.js';

export interface TracedOperation {
  readonly name: string;
  readonly dataType: string | null;
  readonly algorithm: string | null;
  readonly count: number | null;
}

/** Memory: 21 bytes a part. */
export class CollectiveParts {
  readonly start = NumericColumn.floats();
  readonly #pid = NumericColumn.floats();
  readonly #tid = NumericColumn.counts();
  readonly #link = NumericColumn.codes();
  readonly #links: string[] = [];

  add(start: number, pid: number, tid: number, link: string): void {
    let code = this.#links.indexOf(link);
    if (code === -1) code = this.#links.push(link) - 1;
    this.start.push(start);
    this.#pid.push(pid);
    this.#tid.push(tid);
    this.#link.push(Math.min(code, 255));
  }

  /**
   * Interconnect of each operation: the links of the parts that start during it, on lanes of its group.
   * @param operations in any order
   * @returns one entry an operation; null when unknown or mixed
   */
  linksOf(operations: readonly { start: number; end: number; pid: number; tid: number }[]): (string | null)[] {
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
      const lanes = groups.get(pid) as readonly number[];
      const first = countBelow(rows.length, (index) => this.start.at(elementAt(rows, index)), start);
      for (let at = first; at < rows.length; at++) {
        const row = elementAt(rows, at);
        if (this.start.at(row) > end) break;
        if (this.#pid.at(row) !== pid || groupOf(lanes, this.#tid.at(row)) !== tid) continue;
        links.add(elementAt(this.#links, this.#link.at(row)));
      }
      return commonLink(links);
    });
  }
}

/** `hcom_allReduce__586_0_1`: last digits of the group's number, and the operation's number in the group. */
const GROUP = /__(\d+)_\d+_\d+$/;

/** @param link interconnect by the operation's parts */
export function collectiveOperation(
  { name, dataType, algorithm, count }: TracedOperation,
  link: string | null = null,
  facts?: CommunicationFacts,
): CollectiveOperation {
  const type = collectiveType(dataType);
  return {
    name,
    kind: collectiveKind(name),
    bytes: type === null || count === null ? null : count * type.bytes,
    dtype: type?.dtype ?? null,
    group: facts?.group ?? GROUP.exec(name)?.[1] ?? null,
    groupSize: null,
    ranks: null,
    algorithm: algorithm === '' || algorithm === 'N/A' ? null : algorithm,
    link: facts?.link ?? link,
  };
}
