/** `dprof` without the name of a command: a report of kernels, or what it prints of itself. */
import { helpOf } from '../arguments.js';
import { COMMANDS, rejectCommands } from '../commands.js';
import { aggregatesText, hostColumnsText } from './group-options.js';
import { columnLines, columnsText, devicesText, DPROF, readArguments } from './report-options.js';
import { runReport } from './run-report.js';
import { printText } from '../output.js';
import { versionText } from '../package-folder.js';

/** The manual page has them all. */
const EXAMPLES_IN_HELP = 2;

const COMMAND_LINES = [
  'Commands, each with a --help of its own (a file of that name: ./NAME):',
  ...Object.entries(COMMANDS).map(([name, { title }]) => `  ${name.padEnd(10)} ${title}`),
];

const helpText = (): string =>
  helpOf({
    ...DPROF,
    notes: [columnLines(), COMMAND_LINES, ...(DPROF.notes ?? [])],
    examples: DPROF.examples.slice(0, EXAMPLES_IN_HELP),
  });

const TEXTS = {
  help: helpText,
  columns: columnsText,
  aggregates: aggregatesText,
  host: hostColumnsText,
  devices: devicesText,
  version: versionText,
};

/** @param args the arguments after the tool's name */
export async function reportCommand(args: readonly string[]): Promise<void> {
  const request = readArguments(args);
  rejectCommands(request.files);
  if (request.show === 'report') return runReport(request);
  await printText(TEXTS[request.show]());
}
