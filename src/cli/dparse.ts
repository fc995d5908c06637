/** `dparse`: profiles → records. */
import { printText } from './output.js';
import { asksForVersion, versionText } from './package-folder.js';

/** @param args the arguments after the tool's name */
export async function run(args: readonly string[]): Promise<void> {
  if (asksForVersion(args)) return printText(versionText());
  // The readers take longer to load than the version takes to print.
  const { parseCommand } = await import('./dparse/parse-command.js');
  return parseCommand(args);
}
