/** `dprof`: records → report. */
import type { Annotated } from '../prof/annotate.js';
import { explain, isKernel, type KernelId } from '../prof/explain.js';
import type { KernelColumn } from '../prof/columns/kernel-column.js';
import type { Peaks } from '../prof/roofline/peaks.js';
import { Annotator, report } from '../prof/report.js';
import { defectLine, summaryLine, ReportTally } from '../prof/report-tally.js';
import { UserError } from '../record/errors.js';
import { clean } from '../write/cell-text.js';
import type { Packed } from '../write/format.js';
import { commandNamed, rejectCommands } from './commands.js';
import { helpText } from './report/help.js';
import { confirmEndings, confirmWhole, openSources, type Source } from './input.js';
import { usedBy, writeGroups, aggregatesText } from './report/groups-report.js';
import { columnsText, devicesText, readArguments, type Request } from './report/report-options.js';
import { checkOutput, withOutput, type Write } from './output.js';
import { inputFiles } from './run-analysis.js';
import { progress } from './progress.js';
import { version } from './version.js';

/** @param args the arguments after the tool's name */
export async function run(args: readonly string[]): Promise<void> {
  const command = commandNamed(args[0]);
  if (command !== null) return (await command.load()).run(args.slice(1));
  const request = readArguments(args);
  rejectCommands(request.files);
  if (request.show !== 'report') {
    const text = TEXTS[request.show]();
    await withOutput(undefined, [], async (write) => write(text));
    return;
  }
  const meter = progress('dprof', !request.quiet);
  const inputs = inputFiles(request);
  // Before minutes of reading.
  const existing = checkOutput(request.output, inputs);
  const source = await openSources(request.files, meter);
  try {
    const tally = tallyFor(request);
    await withOutput(request.output, [...inputs, ...source.names], async (write) => {
      await writeReport(request, source, write, tally);
      confirmWhole(source, existing, request.output);
    });
    meter.clear();
    if (!request.quiet && request.explain === undefined) note(source, tally);
    confirmEndings(source, request.quiet);
  } finally {
    meter.clear();
    source.close();
  }
}

const TEXTS = {
  help: helpText,
  columns: columnsText,
  aggregates: aggregatesText,
  devices: devicesText,
  version: () => `${version()}\n`,
};

const usedColumns = ({ columns, sort = [] }: Request): KernelColumn[] => [...columns, ...sort.map((key) => key.column)];

/** What is derived of ops is only counted, and thus computed, when the report shows some of it. */
function tallyFor(request: Request): ReportTally {
  if (request.grouping !== undefined) {
    const { derived, rates } = usedBy(request.grouping);
    return new ReportTally(derived, rates);
  }
  const used = usedColumns(request);
  return new ReportTally(
    used.some((column) => column.derived),
    used.some((column) => column.impossible !== undefined),
  );
}

async function writeReport(request: Request, source: Source, write: Write, tally: ReportTally): Promise<void> {
  if (request.explain !== undefined) return writeExplanation(request.explain, request.device, source, write);
  if (request.grouping !== undefined) return writeGroups(request, request.grouping, source, write, tally);
  const { columns, header, width, where, sort, top, device } = request;
  const sheet = request.format.open({ columns, header, width });
  let any = false;
  const derived = where !== undefined || usedColumns(request).some((column) => column.derived === true);
  const pack = (row: Annotated): Packed => sheet.pack(row);
  for await (const rows of report(source.batches, { pack, where, sort, top, tally, device, derived })) {
    // The header waits for the first row, so that an input that cannot be read leaves stdout empty.
    if (!any) await write(sheet.head());
    any = true;
    await write(sheet.rows(rows));
  }
  if (!any) await write(sheet.head());
  for (const piece of sheet.end()) await write(piece);
}

function note(source: Source, tally: ReportTally): void {
  const lines = tally.kernels > 0 ? [summaryLine(tally), defectLine(tally)] : [nothing(source, tally)];
  for (const line of lines) if (line !== null) process.stderr.write(`dprof: ${line}\n`);
}

const nothing = (source: Source, tally: ReportTally): string =>
  tally.kernelsRead > 0
    ? `none of ${tally.kernelsRead} kernels matches --where`
    : new UserError('no kernels', { where: source.name }).line;

async function writeExplanation(
  wanted: KernelId,
  device: Peaks | undefined,
  source: Source,
  write: Write,
): Promise<void> {
  const row = await find(wanted, device, source);
  if (row === null) {
    const id = `${wanted.profile === null ? '' : `${wanted.profile}:`}${wanted.id}`;
    throw new UserError(`no kernel ${id}`, { where: source.name, hint: 'see the columns idx and profile' });
  }
  // Names come from the profiled program.
  await write(
    explain(row)
      .map((line) => `${clean(line)}\n`)
      .join(''),
  );
}

async function find(wanted: KernelId, device: Peaks | undefined, source: Source): Promise<Annotated | null> {
  const annotator = new Annotator(device);
  const isWanted = (row: Annotated): boolean => isKernel(wanted, row.record);
  for await (const batch of source.batches) {
    for (const record of batch) {
      const row = annotator.take(record).find(isWanted);
      if (row !== undefined) return row;
    }
  }
  return annotator.rest().find(isWanted) ?? null;
}
