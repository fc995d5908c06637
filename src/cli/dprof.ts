/** `dprof`: a report of kernels, or the command that the first argument names. */
import { commandNamed, rejectCommands } from './commands.js';
import { helpText } from './report/help.js';
import { aggregatesText } from './report/group-options.js';
import { columnsText, devicesText, readArguments } from './report/report-options.js';
import { runReport } from './report/run-report.js';
import { printText } from './output.js';
import { version } from './version.js';

const TEXTS = {
  help: helpText,
  columns: columnsText,
  aggregates: aggregatesText,
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
