/** The job as one JSON object: the facts of the screen, and all tables in full. Times ns, rates bytes/s. */
import { elementAt } from '../../../containers/element.js';
import type { JobReport } from '../../../prof/ranks/job-report.js';
import { RANK_TABLES } from '../../../prof/ranks/tables/tables.js';
import type { AnyTable } from '../../../table/table.js';

export function ranksDocument(report: JobReport): unknown {
  const { membership, lateness, slowGroups, groups, ranks } = report;
  const { worldSize, worldSizes, missing, doubled, unranked, nodesInferred } = membership;
  return {
    ...{ worldSize, worldSizes, missing, doubled, unranked, nodesInferred },
    reference: ranks.find(({ clock }) => clock.source === 'reference')?.part ?? null,
    tested: lateness.tested,
    untested: lateness.untested,
    stragglers: lateness.stragglers.map(({ part, reasons, members: late, ...straggler }) => ({
      rank: elementAt(report.parts, part).rank,
      file: elementAt(report.parts, part).file,
      machine: elementAt(ranks, part).node,
      ...straggler,
      members: late.map((member) => elementAt(report.parts, member).rank),
      reasons,
    })),
    slowGroups: slowGroups.map(({ group, ...slow }) => ({ ...slow, group: elementAt(groups, group).name })),
    ...Object.fromEntries(Object.entries(RANK_TABLES).map(([name, { of }]) => [name, rowsOf(of(report))])),
  };
}

const rowsOf = ({ columns, rows }: AnyTable): unknown[] =>
  [...rows].map((row) => Object.fromEntries(columns.map((column) => [column.key, column.value(row)])));
