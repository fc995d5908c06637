/**
 * Turns the report of a job into the data of its page: which ranks are late and why, waits, and a heat map of ranks and
 * steps. Bounded.
 */
import { elementAt } from '../../../containers/element.js';
import { groupsOf } from '../../../containers/map-entry.js';
import { jobVerdict, unsureWaiting } from '../../advise/job/job-causes.js';
import { clockAhead, jobTime } from '../../ranks/clocks/job-clocks.js';
import type { JobReport } from '../../ranks/job-report.js';
import { isNeuronCore } from '../../../record/neuron/neuron-cores.js';
import { nameWithoutWork } from '../../ranks/membership.js';
import type { RankPart } from '../../ranks/part/rank-part.js';
import { ownWork, stepLength } from '../../ranks/stragglers/own-work.js';
import { isByKernels } from '../../ranks/stragglers/reasons.js';
import type { Straggler } from '../../ranks/stragglers/stragglers.js';
import type { PageJob, PageProfile, PageStraggler } from '../page-data.js';
import { jointUtilisation } from '../utilisation/joint-curves.js';
import { RANK_TABLES } from '../../ranks/tables/tables.js';
import type { JobTable, JobTableName } from './job-data.js';

const NAMES: readonly JobTableName[] = ['stages', 'experts', 'groups'];
const MOST_ROWS = 200;

/** Columns that show which groups are incomplete, in addition to the screen's. */
const MORE: Readonly<Partial<Record<JobTableName, readonly string[]>>> = { groups: ['size', 'complete', 'why'] };

function jobTables(report: JobReport): JobTable[] {
  return NAMES.map((name) => {
    const { of: tableOf, screen, missing } = RANK_TABLES[name];
    const { columns, rows: all } = tableOf(report, [...screen, ...(MORE[name] ?? [])]);
    const rows = [...all];
    const shown = rows.slice(0, MOST_ROWS);
    return {
      name,
      columns: columns.map(({ key, header, unit, type, doc }) => ({
        ...{ key, header, type, doc },
        ...(unit === undefined ? {} : { unit }),
      })),
      rows: shown.map((row) =>
        columns.map((column) => {
          const value = column.value(row);
          return typeof value === 'object' ? null : value;
        }),
      ),
      count: rows.length,
      missing: missing(report),
    };
  });
}

/** Maximum number of cells of each heat map. */
const MOST_CELLS = 16_384;
const MOST_STEPS = 64;
const MOST_STRAGGLERS = 16;
const MOST_CLASSES = 32;
const MOST_NAMED = 16;

/**
 * @param profiles the profiles of the page
 * @param profileOf index in the page of a part's profile; null when it is not on the page
 */
export function pageJob(
  report: JobReport,
  profiles: readonly Pick<PageProfile, 'utilisation'>[],
  profileOf: (part: RankPart) => number | null,
): PageJob {
  const { parts, withoutWork, membership, groups, ranks, lateness, classes } = report;
  const { worldSize, missing } = membership;
  const sumOf = (amountOf: (group: JobReport['groups'][number]) => number): number =>
    groups.reduce((sum, group) => sum + amountOf(group), 0);
  const { stragglers, latest, tested } = lateness;
  const late = new Set(stragglers.flatMap(({ members }) => members));
  const sharing = partsThatShare(parts);
  const rows = ranks.map(({ part, node, clock, waited, unsure, joined, last, delayed }): PageJob['ranks'][number] => ({
    ...{ name: nameAmong(sharing, elementAt(parts, part)), node, clock: clock.source, bound: clock.bound },
    offset: clockAhead(clock, elementAt(parts, part), parts),
    ...{ shift: clock.offset === null ? null : jobTime(clock, 0), drift: clock.drift },
    profile: profileOf(elementAt(parts, part)),
    device: elementAt(parts, part).device,
    sharesRank: sharing.has(elementAt(parts, part)),
    isLate: late.has(part),
    // Without joint operations, it is unknown whether a rank waits or delays others.
    ...(joined === 0 ? { waited: null, last: null, delayed: null } : { waited, last: last / joined, delayed }),
    unsure: waited > 0 ? unsure / waited : null,
  }));
  return {
    worldSize,
    missing: missing.length,
    withoutWork: withoutWork.length,
    idle: withoutWork
      .slice(0, MOST_NAMED)
      .map(({ part, reason }) => ({ name: nameWithoutWork(part), reason: reason?.what ?? null })),
    matched: sumOf(({ matched }) => matched),
    unmatched: sumOf(({ unmatched }) => Object.values(unmatched).reduce((sum, count) => sum + count, 0)),
    tested,
    isChance: stragglers.length === 0,
    late: [...stragglers, ...(latest === null ? [] : [latest])]
      .slice(0, MOST_STRAGGLERS)
      .map((straggler) => pageStraggler(report, sharing, straggler)),
    verdict: jobVerdict(report, (part) => nameAmong(sharing, part)),
    unsure: unsureWaiting(report),
    ranks: rows,
    utilisation: jointUtilisation(rows, profiles),
    classes: classes.slice(0, MOST_CLASSES).map((row) => ({
      ...{ kind: row.kind, groupKind: row.groupKind, size: row.size, operations: row.operations },
      ...{ wait: row.wait, unsure: row.unsure, transfer: row.transfer, busBandwidth: row.busBandwidth },
    })),
    tables: jobTables(report),
    ...heatOf(report),
  };
}

const nameOf = ({ rank, isDevice, device, file }: RankPart): string =>
  rank === null ? file : `${isDevice && rank === device ? 'device' : 'rank'} ${rank}`;

/** `rank 0, device 4` when the rank has several devices. */
const nameAmong = (sharing: ReadonlySet<RankPart>, part: RankPart): string =>
  part.isDevice || !sharing.has(part) ? nameOf(part) : `${nameOf(part)}, device ${part.device}`;

/**
 * Parts that share the work of one rank with other devices: those of a profile whose rank is known, and the cores of a
 * Neuron capture, which together are one logical core. Otherwise each device of a process is a separate rank.
 */
function partsThatShare(parts: readonly RankPart[]): ReadonlySet<RankPart> {
  const profiles = groupsOf(parts, ({ file, startUnixNs }) => JSON.stringify([file, startUnixNs]));
  const several = [...profiles.values()].filter((all) => new Set(all.map(({ device }) => device)).size > 1);
  return new Set(several.flat().filter((part) => !part.isDevice || isNeuronCore(part.deviceName)));
}

function pageStraggler(
  { parts, ranks }: JobReport,
  sharing: ReadonlySet<RankPart>,
  { part, level, name, late, share, q, steps, lateIn, members, reasons }: Straggler,
): PageStraggler {
  const [first] = reasons.parts;
  const firstOf = (rows: Straggler['reasons']['work']['op']): PageStraggler['layer'] => {
    const [row] = rows;
    return row === undefined || !isByKernels(reasons)
      ? null
      : { name: row.name, excess: row.excess, share: row.peers > 0 ? row.excess / row.peers : null };
  };
  return {
    name: name === null ? nameAmong(sharing, elementAt(parts, part)) : `${level} ${name}`,
    node: elementAt(ranks, part).node,
    ...{ ranks: members.length, late, share, q, steps, lateIn, slowdown: reasons.slowdown },
    by: first === undefined || !(first.excess > 0) ? null : first.name,
    layer: firstOf(reasons.work.layer),
    op: firstOf(reasons.work.op),
    kernel: firstOf(reasons.work.kernel),
  };
}

/** A number for each rank and step; null when the rank lacks the step. */
function heatOf({ parts, misfits }: JobReport): Pick<PageJob, 'steps' | 'heat'> {
  const numbers = new Set(parts.flatMap(({ steps }) => steps.step));
  const most = Math.max(1, Math.min(MOST_STEPS, Math.floor(MOST_CELLS / parts.length)));
  const steps = [...numbers].sort((a, b) => Number(a) - Number(b)).slice(0, most);
  const places = parts.map(({ steps: { step } }) => new Map(step.map((number, index) => [number, index] as const)));
  const mapOf = (value: (part: RankPart, index: number) => number | null): (number | null)[][] =>
    parts.map((part, row) =>
      steps.map((step) => {
        const index = elementAt(places, row).get(step);
        return index === undefined ? null : value(part, index);
      }),
    );
  const wrong = new Set(misfits.map(({ part }) => elementAt(parts, part)));
  /** Durations of steps, which are unknown for ranks whose times fit no clock. */
  const lengths = (value: (part: RankPart, index: number) => number): (number | null)[][] =>
    mapOf((part, index) => (wrong.has(part) ? null : value(part, index)));
  const ofSteps = (columnOf: (steps: RankPart['steps']) => readonly (number | null)[]): (number | null)[][] =>
    mapOf((part, index) => columnOf(part.steps)[index] ?? null);
  return {
    steps,
    heat: [
      { title: 'Own work', unit: 'ns', values: lengths(ownWork) },
      { title: 'Step time', unit: 'ns', values: lengths(stepLength) },
      { title: 'Compute', unit: 'ns', values: ofSteps(({ compute }) => compute) },
      { title: 'Communication', unit: 'ns', values: ofSteps(({ communication }) => communication) },
      { title: 'Exposed communication', unit: 'ns', values: ofSteps(({ exposed }) => exposed) },
      { title: 'Messages only', unit: 'ns', values: ofSteps(({ messages = [] }) => messages) },
      { title: 'Copies', unit: 'ns', values: ofSteps(({ copies }) => copies) },
      { title: 'Time to first work', unit: 'ns', values: ofSteps(({ preparing }) => preparing) },
      { title: 'Idle', unit: 'ns', values: ofSteps(({ idle }) => idle) },
      { title: 'FLOPs', unit: 'flop', values: ofSteps(({ flops }) => flops) },
      { title: 'Tokens', unit: 'count', values: ofSteps(({ tokens }) => tokens) },
      { title: 'Memory peak', unit: 'memory', values: ofSteps(({ memory }) => memory) },
      // The page does not offer values that no rank has.
    ].filter(({ values }) => values.some((row) => row.some((value) => value !== null))) as PageJob['heat'],
  };
}
