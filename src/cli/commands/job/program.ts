/** This program, as other processes start it, also on other machines: the same node, the same dprof. */
import { realpathSync } from 'node:fs';

/** Words of a command, by absolute paths. */
export const programWords = (): string[] => [
  process.execPath,
  ...process.execArgv,
  realpathSync(process.argv[1] ?? ''),
];
