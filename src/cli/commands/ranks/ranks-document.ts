/** The job as one JSON object: the facts of the screen, and all tables in full. Times ns, rates bytes/s. */
import { elementAt } from '../../../containers/element.js';
import type { JobReport } from '../../../prof/ranks/job-report.js';
import type { Straggler } from '../../../prof/ranks/stragglers/stragglers.js';
import { RANK_TABLES } from '../../../prof/ranks/tables/tables.js';
import type { AnyTable } from '../../../table/table.js';

export function ranksDocument(report: JobReport): unknown {
  const { membership, copies, misfits, parts, lateness, slowGroups, groups } = report;
  const { worldSize, worldSizes, missing, doubled, unranked, nodesInferred } = membership;
  return {
    ...{ worldSize, worldSizes, missing, doubled, unranked, nodesInferred },
    copies: copies.map(({ part, of }) => ({ file: part.file, rank: part.rank, of: { file: of.file, rank: of.rank } })),
    reference: referenceOf(report),
    refuted: misfits.map(({ part, isBackwards: backwards, drift, residual }) => {
      const { rank, file } = elementAt(parts, part);
      return { rank, file, backwards, drift, residual };
    }),
    tested: lateness.tested,
    untested: lateness.untested.map(({ part, why }) => {
      const { rank, file } = elementAt(parts, part);
      return { rank, file, why };
    }),
    stragglers: lateness.stragglers.map((one) => stragglerDocument(report, one)),
    latest: lateness.latest === null ? null : stragglerDocument(report, lateness.latest),
    slowGroups: slowGroups.map(({ group, ...slow }) => ({ ...slow, group: elementAt(groups, group).name })),
    ...Object.fromEntries(Object.entries(RANK_TABLES).map(([name, { of }]) => [name, rowsOf(of(report))])),
  };
}

const stragglerDocument = (
  { parts, ranks }: JobReport,
  { part, members, reasons, ...straggler }: Straggler,
): unknown => ({
  rank: elementAt(parts, part).rank,
  file: elementAt(parts, part).file,
  machine: elementAt(ranks, part).node,
  ...straggler,
  members: members.map((member) => elementAt(parts, member).rank),
  reasons,
});

/** Rank whose clock is the job's; null where it has no number. */
function referenceOf({ parts, ranks }: JobReport): number | null {
  const found = ranks.find(({ clock }) => clock.source === 'reference');
  return found === undefined ? null : elementAt(parts, found.part).rank;
}

const rowsOf = ({ columns, rows }: AnyTable): unknown[] =>
  [...rows].map((row) => Object.fromEntries(columns.map((column) => [column.key, column.value(row)])));
