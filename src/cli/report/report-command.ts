/** `dprof` without the name of a command: a report of kernels, or what it prints of itself. */
import type { Arguments } from '../arguments.js';
import { aggregatesText, hostColumnsText } from './group-options.js';
import { columnsText, devicesText, readReport } from './report-options.js';
import { runReport } from './run-report.js';
import { printText } from '../output.js';
import { versionText } from '../package-folder.js';

const TEXTS = {
  columns: columnsText,
  aggregates: aggregatesText,
  host: hostColumnsText,
  devices: devicesText,
  version: versionText,
};

export async function reportCommand(given: Arguments): Promise<void> {
  const request = readReport(given);
  if (request.show === 'report') return runReport(request);
  await printText(TEXTS[request.show]());
}
