/** `dprof`: a report of kernels, or the command that the first argument names. */
import { helpOf } from './arguments.js';
import { commandNamed, COMMANDS, rejectCommands } from './commands.js';
import { aggregatesText, hostColumnsText } from './report/group-options.js';
import { columnLines, columnsText, devicesText, DPROF, readArguments } from './report/report-options.js';
import { runReport } from './report/run-report.js';
import { printText } from './output.js';
import { version } from './package-folder.js';

/** The manual page has them all. */
const EXAMPLES_IN_HELP = 3;

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
  version: () => `${version()}\n`,
};

/** @param args the arguments after the tool's name */
export async function run(args: readonly string[]): Promise<void> {
  const command = commandNamed(args[0]);
  if (command !== null) return (await command.load()).run(args.slice(1));
  const request = readArguments(args);
  rejectCommands(request.files);
  if (request.show === 'report') return runReport(request);
  await printText(TEXTS[request.show]());
}
