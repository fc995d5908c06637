/** `dprof`: a report of kernels, or the command that the first argument names. */
import { commandNamed } from './commands.js';
import { printText } from './output.js';
import { asksForVersion, versionText } from './package-folder.js';

/** @param args the arguments after the tool's name */
export async function run(args: readonly string[]): Promise<void> {
  if (asksForVersion(args)) return printText(versionText());
  const command = commandNamed(args[0]);
  if (command !== null) return (await command.load()).run(args.slice(1));
  // What it needs takes longer to load than the version takes to print.
  const { reportCommand } = await import('./report/report-command.js');
  return reportCommand(args);
}
