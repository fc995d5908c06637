/** `dprof`: a report of kernels, or the command that the arguments name. */
import { printText } from './output.js';
import { asksForVersion, versionText } from './package-folder.js';

/** @param args the arguments after the tool's name */
export async function run(args: readonly string[]): Promise<void> {
  if (asksForVersion(args)) return printText(versionText());
  // What it needs takes longer to load than the version takes to print.
  const { runCalled } = await import('./commands.js');
  return runCalled(args);
}
