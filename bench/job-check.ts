/** The report of a simulated job held against its truth. */
import { RankView } from '../samples/programs/job/rank-view.js';
import { jobRecords } from '../samples/programs/job/records.js';
import type { FormatOptions } from '../samples/programs/job/context.js';
import type { SimulatedJob } from '../samples/programs/job/simulate.js';
import { messagesOf, type MessageTruth } from '../samples/programs/job/truth.js';
import { collectiveKind } from '../src/ops/collective-bytes.js';
import type { Item } from '../src/prof/analysis.js';
import { jobTime } from '../src/prof/ranks/clocks/job-clocks.js';
import { jobReport, type JobReport } from '../src/prof/ranks/job-report.js';
import { RankCollector } from '../src/prof/ranks/part/rank-collector.js';
import type { RankPart } from '../src/prof/ranks/part/rank-part.js';
import { waitsOf } from '../src/prof/ranks/waits.js';
import { Annotator } from '../src/prof/report/report.js';
import { median } from '../src/record/statistics.js';

export interface JobCheck {
  /** Largest error of a clock against the reference, and how far it is beyond its bound, ns. */
  readonly clockError: number;
  readonly beyondBound: number;
  /** Matched operations, and those that there were. */
  readonly matched: number;
  readonly truth: number;
  /** Largest error of the median transfer, and of the median bus bandwidth, of operations of one kind and size, a fraction. */
  readonly transferError: number;
  /** Likewise of operations that take 100 us or more: clocks differ by half a us, which is much of 12 us. */
  readonly longTransferError: number;
  readonly bandwidthError: number;
  /** Whether all that is wrong was found, and with its reason; both true of a job without. */
  readonly found: boolean;
  readonly reason: boolean;
  /** Ranks and links that are said to be slow and are not. */
  readonly falseFinds: number;
  readonly reportMs: number;
}

export function partsOf(job: SimulatedJob, format: FormatOptions): RankPart[] {
  return job.ranks.flatMap(({ rank }) => {
    const [collector, annotator] = [new RankCollector(), new Annotator()];
    const take = (item: Item): void => collector.take(item);
    for (const record of jobRecords(job, rank, format)) annotator.pass(record, take);
    annotator.passRest(take);
    return collector.parts;
  });
}

export function checkJob(job: SimulatedJob, format: FormatOptions): JobCheck {
  const parts = partsOf(job, format);
  const begin = performance.now();
  const report = jobReport(parts);
  const reportMs = performance.now() - begin;
  const truth = [...messagesOf(job)].filter(({ ranks }) => ranks.length > 1);
  return {
    ...clockErrors(job, report),
    matched: report.groups.reduce((sum, { matched }) => sum + matched, 0),
    truth: truth.length,
    ...transferErrors(truth, report),
    ...findings(job, report),
    reportMs,
  };
}

/** At the beginning, the middle and the end of the job. */
const MOMENTS = [0, 0.5, 1];

function clockErrors(job: SimulatedJob, { ranks, parts }: JobReport): Pick<JobCheck, 'clockError' | 'beyondBound'> {
  const reference = ranks.findIndex(({ clock }) => clock.source === 'reference');
  const end = Math.max(...job.ends.map((ends) => ends.at(-1) ?? 0));
  const shown = (index: number, truth: number): number => {
    const [report, part] = [ranks[index], parts[index]];
    if (report === undefined || part === undefined) return NaN;
    const view = new RankView(job, part.rank ?? 0);
    return jobTime(report.clock, view.at(truth) - view.begin);
  };
  let [clockError, beyondBound] = [0, -Infinity];
  for (const [index, { clock }] of ranks.entries())
    for (const moment of MOMENTS) {
      const error = Math.abs(shown(index, moment * end) - shown(reference, moment * end));
      clockError = Math.max(clockError, error);
      if (index !== reference) beyondBound = Math.max(beyondBound, error - (clock.bound ?? 0));
    }
  return { clockError, beyondBound };
}

/** As reports call them: both ends of a message are one. */
const kindOf = (op: string): string => (op === 'send' ? 'message' : (collectiveKind(op) ?? op));

/** ns. */
const LONG = 100_000;

/** Medians by kind, size and number of ranks. */
function transferErrors(
  truth: readonly MessageTruth[],
  { matched, parts, ranks, classes }: JobReport,
): Pick<JobCheck, 'transferError' | 'longTransferError' | 'bandwidthError'> {
  const expected = new Map<string, number[]>();
  const shown = new Map<string, number[]>();
  const add = (to: Map<string, number[]>, key: string, value: number): void => {
    to.set(key, [...(to.get(key) ?? []), value]);
  };
  for (const { bytes, ranks: members, transferNs, kind } of truth)
    add(expected, `${kindOf(kind)}/${bytes}/${members.length}`, transferNs);
  const clocks = ranks.map(({ clock }) => clock);
  for (const group of matched)
    for (const { operation, transfer, parts: members } of waitsOf(group, parts, clocks)) {
      const { bytes, kind } = operation.signature;
      add(shown, `${kind ?? ''}/${bytes ?? ''}/${members.length}`, transfer ?? NaN);
    }
  let [transferError, longTransferError] = [0, 0];
  for (const [key, times] of expected) {
    const found = median(shown.get(key) ?? []) ?? NaN;
    const truly = median(times) ?? NaN;
    const error = Math.abs(found / truly - 1);
    const known = Number.isNaN(error) ? Infinity : error;
    transferError = Math.max(transferError, known);
    if (truly >= LONG) longTransferError = Math.max(longTransferError, known);
  }
  return { transferError, longTransferError, bandwidthError: bandwidthErrorOf(truth, classes) };
}

/** Of the rows of the table: kind of operation, kind of group and size class. */
function bandwidthErrorOf(truth: readonly MessageTruth[], classes: JobReport['classes']): number {
  const errors = classes.map(({ kind, groupKind, size, busBandwidth }) => {
    const rates = truth
      .filter((one) => one.group.kind === groupKind && one.bytes >= (size ?? 0) && one.bytes < 4 * (size ?? 0))
      .filter((one) => kind === kindOf(one.kind))
      .map(({ busBytesPerS }) => busBytesPerS);
    const expected = median(rates);
    return expected === null || busBandwidth === null ? Infinity : Math.abs(busBandwidth / expected - 1);
  });
  return errors.reduce((most, error) => Math.max(most, error), 0);
}

function findings(
  job: SimulatedJob,
  { lateness, slowGroups, parts, groups }: JobReport,
): Pick<JobCheck, 'found' | 'reason' | 'falseFinds'> {
  const { slowLayer, slowNode, slowLink, dataLoading } = job.options.inject;
  const isSlow = (rank: number): boolean =>
    rank === slowLayer?.rank ||
    rank === dataLoading?.rank ||
    (slowNode !== undefined && [slowNode.node].flat().includes(Math.floor(rank / job.options.ranksPerNode)));
  const rankOf = (part: number): number => parts[part]?.rank ?? -1;
  const named = [...new Set(lateness.stragglers.flatMap(({ members }) => members.map(rankOf)))];
  const slow = job.ranks.map(({ rank }) => rank).filter(isSlow);
  const found = slow.every((rank) => named.includes(rank));
  const links = slowGroups.map(({ group }) => groups[group]?.ranks ?? []);
  const isOfLink = (ranks: readonly number[]): boolean => slowLink !== undefined && ranks.includes(slowLink.rank);
  const reason = lateness.stragglers
    .filter(({ part }) => isSlow(rankOf(part)))
    .every(({ reasons }) => {
      if (slowLayer !== undefined)
        return reasons.work.layer[0]?.name.split(':').includes(`TransformerLayer_${slowLayer.layer}`) === true;
      if (slowNode !== undefined) return reasons.parts[0]?.name === 'kernels';
      return ['data loading', 'host gaps'].includes(reasons.parts[0]?.name ?? '');
    });
  const delayed = lateness.delays.map(({ part }) => rankOf(part)).filter((rank) => !named.includes(rank));
  return {
    found: found && (slowLink === undefined || links.some(isOfLink)),
    reason: reason && found,
    falseFinds:
      [...named, ...delayed].filter((rank) => !isSlow(rank)).length + links.filter((ranks) => !isOfLink(ranks)).length,
  };
}
