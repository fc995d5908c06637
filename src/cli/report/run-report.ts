/**
 * `dprof` without a command name: a row for each kernel; with --by a row for each group; with --explain the origin of one
 * kernel's numbers.
 */
import { jsonLines, legible } from '../../record/control-characters.js';
import { Annotated, type KernelColumn } from '../../prof/annotate.js';
import { AGGREGATES, LEVEL_COLUMN } from '../../prof/by/aggregates.js';
import { KernelGroups } from '../../prof/by/groups.js';
import { PartialGroups } from '../../prof/by/partial-groups.js';
import { whereColumn, type Grouping } from '../../prof/by/grouping.js';
import { MissingCounters } from '../../prof/columns/counter-columns.js';
import { InstructionDependencies, type ResolvedDependency } from '../../prof/neuron/instructions/dependencies.js';
import { explain, EXPLAIN_COLUMN, isKernel, type KernelId } from '../../prof/report/explain.js';
import { explanation } from '../../prof/report/explanation.js';
import {
  HOST_TYPES,
  KERNEL_AND_RANGE_TYPES,
  KERNEL_TYPES,
  type RecordTypes,
  RANGES_HINT,
  withoutDeviceAndRanges,
  withoutKernels,
} from '../../prof/analysis.js';
import { type Note, limit, countNotes } from '../../prof/limits.js';
import { HostTable } from '../../prof/by/host/host-table.js';
import { sortedRows, type HostGrouping } from '../../prof/by/host/host-table-columns.js';
import { Annotator, ReportRows } from '../../prof/report/report.js';
import { collectivesNote, defectNote, ReportTally, unknownsNote, waitsNote } from '../../prof/report/report-tally.js';
import { UserError } from '../../record/errors.js';
import type { ProfileLine } from '../../record/record.js';
import type { Column } from '../../table/column.js';
import { DEFAULT_WIDTH, fittingColumns, leastWidth, tableText, type Packed } from '../../write/columns.js';
import { loadFormat } from '../../write/formats.js';
import { say } from '../message.js';
import { rowFormat } from '../records-command.js';
import { runAnalysis } from '../run-analysis.js';
import {
  columnsText,
  devicesText,
  readReport,
  aggregatesText,
  hostColumnsText,
  type ReportRequest,
} from './report-options.js';
import type { Arguments } from '../arguments.js';
import { printList, terminalWidth } from '../output.js';
import { screenText } from '../screens/layout.js';
import { versionText } from '../package-folder.js';

export function runReport(request: ReportRequest): Promise<void> {
  if (request.explain !== undefined) return runExplanation(request, request.explain);
  if (request.hostGrouping !== undefined) return runHost(request, request.hostGrouping);
  return request.grouping === undefined ? runRows(request) : runGroups(request, request.grouping);
}

const asRun = (request: ReportRequest): Parameters<typeof runAnalysis>[0] => ({
  ...request,
  format: rowFormat(request.format.id),
});

/**
 * Minimum number of characters for names of groups, so that they stay distinct. If there is no room, the last columns
 * are left out.
 */
const LEAST_NAMES = 20;

/**
 * The columns that fit the width. Prints which columns are left out, even in a quiet run, because the user asked for
 * them.
 * @throws UserError when not even the first column fits, before the input is read
 */
function fitting<Row>(
  { format, header, width }: ReportRequest,
  columns: readonly Column<Row>[],
  names = 0,
): readonly Column<Row>[] {
  if (format.id !== 'columns') return columns;
  const shown = fittingColumns(columns, width, names);
  format.open({ columns: shown, header, width });
  const leftOut = columns.slice(shown.length).map(({ key }) => key);
  if (leftOut.length > 0)
    say(
      'dprof',
      `-w ${width ?? DEFAULT_WIDTH} has no room for ${leftOut.join()} (-w ${leastWidth(columns, names)} shows all; -c chooses which)`,
    );
  return shown;
}

/** Rows are written while records are read, unless a sort order holds them back. */
async function runRows(request: ReportRequest): Promise<void> {
  const { header, width, where, sort = [], top } = request;
  const shown = fitting(request, request.columns);
  const columns = request.document === null ? shown : [...shown, EXPLAIN_COLUMN];
  const used: KernelColumn[] = [...columns, ...sort.map((key) => key.column)];
  const isDerived = used.some((column) => column.derived === true);
  const annotator = new Annotator(request.device, isDerived || where !== undefined, request.convention);
  const tally = new ReportTally(
    isDerived,
    used.some((column) => column.impossible !== undefined),
  );
  const sheet = (await loadFormat(request.format)).open({ columns, header, width });
  const counters = new MissingCounters(used);
  const rows = new ReportRows<Packed>({ pack: (row) => sheet.pack(row), where, sort: request.sort, top, tally });
  let hasHead = false;
  const textOf = (batch: readonly Packed[]): string => {
    const head = hasHead ? '' : sheet.head();
    hasHead = true;
    return head + sheet.rows(batch);
  };
  function* rest(): Generator<string | Uint8Array> {
    for (const batch of rows.rest()) yield textOf(batch);
    if (!hasHead) yield sheet.head();
    yield* sheet.end();
  }
  await runAnalysis<Iterable<string | Uint8Array>>(asRun(request), {
    analysis: {
      types: KERNEL_TYPES,
      take: (item) => {
        if (!(item instanceof Annotated)) return;
        rows.add(item);
        counters.take(item);
      },
      finish: () => {
        countPairing(tally, annotator);
        // The part that was not read may contain these counters.
        const missing = rows.isComplete ? [] : counters.names;
        return {
          facts: rest(),
          notes: [
            ...notesOf(tally),
            ...missing.map((name) => withoutCounter(name, counters.hasOthers)),
            ...(counters.hasNumbers ? [NUMBERED_COUNTERS] : []),
          ],
        };
      },
    },
    annotator,
    // The header waits for the first row, so that an input that cannot be read leaves stdout empty.
    ready: () => {
      const batch = rows.takeReady();
      return batch.length === 0 ? null : textOf(batch);
    },
    isComplete: () => rows.isComplete,
    print: async ({ facts }, write) => {
      for (const piece of facts) await write(piece);
    },
  });
}

const NUMBERED_COUNTERS = limit('names of counters', 'nvprof databases have no names', {
  wayOut: 'nvprof -i FILE --print-gpu-trace --csv prints them',
  line: 'metric#N, event#N are CUPTI numbers; nvprof databases have no names (nvprof -i FILE --print-gpu-trace --csv prints them)',
});

const withoutCounter = (name: string, hasOthers: boolean): UserError =>
  new UserError(`no kernel has the counter ${name}`, {
    about: `values of counter:${name}`,
    ...(hasOthers ? { hint: '-c counters lists the available counters' } : {}),
  });

/** Whether a report of groups shows or sorts by values from op formulas, and by rates that may be impossible. */
function usedBy({ keys, columns, arrangement }: Grouping): { amounts: boolean; derived: boolean; rates: boolean } {
  const used = [...columns, ...arrangement.sort.map(({ column }) => column)];
  const aggregates = used.filter((column) => AGGREGATES.includes(column));
  const amounts = aggregates.some((column) => column.derived === true);
  return {
    amounts,
    derived: amounts || keys.some((column) => column.derived === true),
    rates: aggregates.some((column) => column.impossible !== undefined),
  };
}

/** Formats that indent the rows of a tree, so that they need no column for the level. */
const INDENTING: ReadonlySet<string> = new Set(['columns', 'table', 'fitted']);

async function runGroups(request: ReportRequest, grouping: Grouping): Promise<void> {
  const { header, width, where, device, convention } = request;
  const format = await loadFormat(request.format);
  const { keys, depth, arrangement, hostKind } = grouping;
  const shown = fitting(request, grouping.columns, grouping.isChosen ? 0 : LEAST_NAMES);
  // A branch of a tree, and a list without its end, stand for several values.
  const isExact = request.document !== null && !arrangement.tree && depth === null;
  const needsLevel = request.document !== null || (!grouping.isChosen && !INDENTING.has(format.id));
  const columns = [
    ...shown,
    ...(isExact ? [whereColumn(keys, request.whereText)] : []),
    ...(arrangement.tree && needsLevel && !shown.includes(LEVEL_COLUMN) ? [LEVEL_COLUMN] : []),
  ];
  const { amounts, derived, rates } = usedBy({ ...grouping, columns });
  const annotator = new Annotator(device, derived || where !== undefined, convention);
  const tally = new ReportTally(
    derived,
    rates,
    keys.map(({ key }) => key),
  );
  const groups = new KernelGroups({ keys, depth, amounts, hostKind, arrangement });
  const parts = new PartialGroups({ keys, where: request.whereText, tally, groups });
  let ranges = 0;
  const add = (row: Annotated): void => {
    tally.kernelsRead++;
    if (where?.(row) === false) return;
    tally.count(row);
    groups.add(row);
  };
  await runAnalysis(asRun(request), {
    analysis: {
      types: hostKind === null ? typesOfGroups(request) : KERNEL_AND_RANGE_TYPES,
      ranges: 'without-calls',
      take: (item) => {
        if (item instanceof Annotated) {
          add(item);
          return;
        }
        parts.take(item);
        if (item.type === 'end') tally.collectives += item.counts['collective'] ?? 0;
        // Conditions apply to kernels.
        if (item.type !== 'range') return;
        ranges++;
        if (where === undefined) groups.addRange(item);
      },
      finish: () => {
        countPairing(tally, annotator);
        tally.untimed = groups.untimed;
        parts.countPairing();
        const hasRangesAlone = groups.hasRanges && tally.kernelsRead === 0;
        const isEmpty = hostKind !== null && where === undefined && ranges === 0 && tally.kernelsRead === 0;
        // Kernels that are selected may have nothing to do with collectives.
        const collectives = where === undefined ? collectivesNote(tally.collectives) : null;
        const leftOut = [waitsNote(tally), collectives].filter((note) => note !== null);
        const counts = [...leftOut, ...notesOf(tally), ...parts.notes];
        const notes = hasRangesAlone ? [] : isEmpty ? [withoutDeviceAndRanges()] : counts;
        return { facts: { columns, rows: groups.rows() }, notes };
      },
    },
    annotator,
    print: async ({ facts: table }, write) => {
      for (const piece of tableText(format, table, { header, width })) await write(piece);
    },
  });
}

/** Partial answers are computed for one device and convention, and contain nothing about the host's ranges. */
const typesOfGroups = ({ device, convention }: ReportRequest): RecordTypes =>
  device === null && convention === null ? new Set([...KERNEL_TYPES, 'part-kernels']) : KERNEL_TYPES;

/** Prints a row for each name of a host activity. */
async function runHost(request: ReportRequest, grouping: HostGrouping): Promise<void> {
  const { header, width } = request;
  const format = await loadFormat(request.format);
  const { kind } = grouping;
  const columns = fitting(request, grouping.columns);
  const table = new HostTable(kind);
  await runAnalysis(asRun(request), {
    analysis: {
      types: HOST_TYPES,
      ...(kind.ranges.has('api') ? undefined : { ranges: 'without-calls' as const }),
      take: (record: ProfileLine) => table.take(record),
      finish: () => ({
        facts: { columns, rows: sortedRows(table, grouping) },
        notes: notesOfHost(table, grouping),
      }),
    },
    print: async ({ facts }, write) => {
      for (const piece of tableText(format, facts, { header, width })) await write(piece);
    },
  });
}

function notesOfHost({ isEmpty, untimed }: HostTable, { kind: { what: noun } }: HostGrouping): Note[] {
  if (isEmpty && untimed === 0) return [new UserError(`no ${noun}`, { hint: RANGES_HINT })];
  return countNotes([untimed, 'range', ' left out', 'no known time']);
}

function countPairing(tally: ReportTally, annotator: Annotator): void {
  tally.evicted = annotator.evicted;
  tally.incomplete = annotator.incomplete;
}

/** Notes about values that the report could not compute. */
function notesOf(tally: ReportTally): Note[] {
  if (tally.kernels > 0)
    return [...tally.withoutKeys, unknownsNote(tally), defectNote(tally)].filter((note) => note !== null);
  if (tally.kernelsRead === 0) return [withoutKernels()];
  const noMatch = `none of ${tally.kernelsRead} kernels matches --where`;
  return [limit('kernels', noMatch, { line: noMatch })];
}

/** Stops reading once the kernel is found. @throws UserError when there is no such kernel */
async function runExplanation(request: ReportRequest, wanted: KernelId): Promise<void> {
  let found: { readonly row: Annotated; readonly after: readonly ResolvedDependency[] } | undefined;
  const dependencies = new InstructionDependencies();
  let isAny = false;
  await runAnalysis(asRun(request), {
    analysis: {
      types: KERNEL_TYPES,
      take: (row) => {
        if (!(row instanceof Annotated)) return;
        isAny = true;
        if (found !== undefined) return;
        const after = dependencies.take(row.record);
        if (isKernel(wanted, row.record)) found = { row, after };
      },
      finish: () => {
        if (found !== undefined) return { facts: found };
        if (!isAny) throw withoutKernels();
        const { profile, id } = wanted;
        const hint = 'see the columns idx and profile';
        throw new UserError(`no kernel ${profile === null ? '' : `${profile}:`}${id}`, { hint });
      },
    },
    annotator: new Annotator(request.device, true, request.convention),
    isComplete: () => found !== undefined,
    isDocument: true,
    // Names come from the profiled program, so control characters are escaped.
    print: ({ facts: { row, after } }, write) =>
      write(
        rowFormat(request.format.id) === 'json'
          ? jsonLines([explanation(row, after)])
          : screenText(explain(row, after), legible, terminalWidth(request.output)),
      ),
  });
}

const TEXTS = {
  columns: columnsText,
  aggregates: aggregatesText,
  host: hostColumnsText,
  version: versionText,
};

export async function reportCommand(given: Arguments): Promise<void> {
  const request = readReport(given);
  if (request.show === 'report') return runReport(request);
  await printList(request.show === 'devices' ? devicesText(request.device) : TEXTS[request.show]());
}
