/** `dprof`: a row a kernel; with --by a row a group, with --explain where the numbers of one kernel come from. */
import type { Analysis, Answer } from '../../prof/analysis.js';
import type { Annotated } from '../../prof/annotate.js';
import { AGGREGATES } from '../../prof/by/aggregates.js';
import { KernelGroups } from '../../prof/by/groups.js';
import type { Grouping } from '../../prof/by/grouping.js';
import type { KernelColumn } from '../../prof/columns/kernel-column.js';
import { explain, isKernel, type KernelId } from '../../prof/report/explain.js';
import { KERNEL_TYPES } from '../../prof/input/records.js';
import { Annotator, ReportRows } from '../../prof/report/report.js';
import { defectLine, summaryLine, ReportTally } from '../../prof/report/report-tally.js';
import { UserError } from '../../record/errors.js';
import type { ProfileLine } from '../../record/record.js';
import { clean } from '../../write/cell-text.js';
import type { Packed, Sheet } from '../../write/format.js';
import { tableText } from '../../write/write-table.js';
import { runAnalysis } from '../run-analysis.js';
import type { ReportRequest } from './report-options.js';

export function runReport(request: ReportRequest): Promise<void> {
  if (request.explain !== undefined) return runExplanation(request, request.explain);
  return request.grouping === undefined ? runRows(request) : runGroups(request, request.grouping);
}

async function runRows(request: ReportRequest): Promise<void> {
  const { columns, header, width, where, sort = [] } = request;
  const used: KernelColumn[] = [...columns, ...sort.map((key) => key.column)];
  const isDerived = used.some((column) => column.derived === true);
  const annotator = new Annotator(request.device, isDerived || where !== undefined);
  const tally = new ReportTally(
    isDerived,
    used.some((column) => column.impossible !== undefined),
  );
  const sheet = request.format.open({ columns, header, width });
  const analysis = new KernelRows(request, sheet, annotator, tally);
  await runAnalysis(request, {
    analysis,
    annotator,
    ready: () => analysis.ready(),
    isComplete: () => analysis.isComplete,
    print: async ({ facts }, write) => {
      for (const piece of facts) await write(piece);
    },
  });
}

/** The report's text, written while records are read as far as no sort order holds it back. */
class KernelRows implements Analysis<Iterable<string>> {
  readonly types = KERNEL_TYPES;
  readonly #rows: ReportRows<Packed>;
  #hasHead = false;

  constructor(
    { where, sort, top }: ReportRequest,
    private readonly sheet: Sheet<Annotated>,
    private readonly annotator: Annotator,
    private readonly tally: ReportTally,
  ) {
    this.#rows = new ReportRows({ pack: (row) => sheet.pack(row), where, sort, top, tally });
  }

  take(_record: ProfileLine, rows: readonly Annotated[]): void {
    for (const row of rows) this.#rows.add(row);
  }

  get isComplete(): boolean {
    return this.#rows.isComplete;
  }

  /** Text of the rows so far. The header waits for the first row: an input that cannot be read leaves stdout empty. */
  ready(): string | null {
    const rows = this.#rows.takeReady();
    return rows.length === 0 ? null : this.#textOf(rows);
  }

  finish(rows: readonly Annotated[]): Answer<Iterable<string>> {
    for (const row of rows) this.#rows.add(row);
    countPairing(this.tally, this.annotator);
    return { table: null, facts: this.#rest(), notes: notesOf(this.tally) };
  }

  *#rest(): Generator<string> {
    for (const batch of this.#rows.rest()) yield this.#textOf(batch);
    if (!this.#hasHead) yield this.sheet.head();
    yield* this.sheet.end();
  }

  #textOf(rows: readonly Packed[]): string {
    const head = this.#hasHead ? '' : this.sheet.head();
    this.#hasHead = true;
    return head + this.sheet.rows(rows);
  }
}

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

async function runGroups(request: ReportRequest, grouping: Grouping): Promise<void> {
  const { header, width, where, format, device } = request;
  const { amounts, derived, rates } = usedBy(grouping);
  // A width that the columns do not fit is reported before minutes of reading.
  format.open({ columns: grouping.columns, header, width });
  const annotator = new Annotator(device, derived || where !== undefined);
  const analysis = new GroupAnalysis(request, grouping, amounts, annotator, new ReportTally(derived, rates));
  await runAnalysis(request, {
    analysis,
    annotator,
    print: async ({ table }, write) => {
      if (table === null) return;
      for (const piece of tableText(format, table, { header, width })) await write(piece);
    },
  });
}

class GroupAnalysis implements Analysis<KernelGroups> {
  readonly types = KERNEL_TYPES;
  readonly #groups: KernelGroups;

  constructor(
    private readonly request: ReportRequest,
    private readonly grouping: Grouping,
    amounts: boolean,
    private readonly annotator: Annotator,
    private readonly tally: ReportTally,
  ) {
    const { keys, depth, arrangement } = grouping;
    this.#groups = new KernelGroups({ keys, depth, amounts, arrangement });
  }

  take(_record: ProfileLine, rows: readonly Annotated[]): void {
    for (const row of rows) {
      this.tally.kernelsRead++;
      if (this.request.where?.(row) === false) continue;
      this.tally.count(row);
      this.#groups.add(row);
    }
  }

  finish(rows: readonly Annotated[]): Answer<KernelGroups> {
    for (const row of rows) this.take(row.record, [row]);
    countPairing(this.tally, this.annotator);
    this.tally.untimed = this.#groups.untimed;
    const table = { columns: this.grouping.columns, rows: this.#groups.rows() };
    return { table, facts: this.#groups, notes: notesOf(this.tally) };
  }
}

function countPairing(tally: ReportTally, annotator: Annotator): void {
  tally.evicted = annotator.evicted;
  tally.incomplete = annotator.incomplete;
}

/** What the report could not compute. */
function notesOf(tally: ReportTally): (string | UserError)[] {
  if (tally.kernels > 0) return [summaryLine(tally), defectLine(tally)].filter((line) => line !== null);
  return [tally.kernelsRead > 0 ? `none of ${tally.kernelsRead} kernels matches --where` : new UserError('no kernels')];
}

async function runExplanation(request: ReportRequest, wanted: KernelId): Promise<void> {
  const analysis = new KernelSearch(wanted);
  await runAnalysis(request, {
    analysis,
    annotator: new Annotator(request.device),
    isComplete: () => analysis.isComplete,
    // Names come from the profiled program: without control characters.
    print: ({ facts }, write) => write([...explain(facts).map(clean), ''].join('\n')),
  });
}

/** Looks for one kernel; the rest of the input is not read. */
class KernelSearch implements Analysis<Annotated> {
  readonly types = KERNEL_TYPES;
  #found: Annotated | undefined;

  constructor(private readonly wanted: KernelId) {}

  take(_record: ProfileLine, rows: readonly Annotated[]): void {
    this.#found ??= rows.find(({ record }) => isKernel(this.wanted, record));
  }

  get isComplete(): boolean {
    return this.#found !== undefined;
  }

  /** @throws UserError when there is no such kernel */
  finish(rows: readonly Annotated[]): Answer<Annotated> {
    const row = this.#found ?? rows.find(({ record }) => isKernel(this.wanted, record));
    if (row !== undefined) return { table: null, facts: row, notes: [] };
    const { profile, id } = this.wanted;
    throw new UserError(`no kernel ${profile === null ? '' : `${profile}:`}${id}`, {
      hint: 'see the columns idx and profile',
    });
  }
}
