/** The reports of a job: answers of other commands from its part. */
import { appendFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { EXIT } from '../../../record/errors.js';
import { runWith, type Command, type CommandEntry } from '../../command.js';
import { say, sayingOnce } from '../../message.js';
import { printText } from '../../output.js';
import { reportCommand } from '../../report/report-command.js';
import { DPROF } from '../../report/report-options.js';
import { failedText, type FailedTask } from './failed-tasks.js';
import { PLACES, type JobFolder } from './job-folder.js';
import { JOB_PART } from './plan/merge-tree.js';
import { runInside } from './run-inside.js';

interface JobReportFile {
  readonly file: string;
  /** Arguments of dprof, without the input. */
  readonly args: readonly string[];
}

/** In `report/`; the first is printed at the end of a job. */
const REPORTS: readonly JobReportFile[] = [
  { file: 'ranks.txt', args: ['ranks'] },
  { file: 'ranks.json', args: ['ranks', '-f', 'json'] },
  { file: 'summary.txt', args: ['summary'] },
  { file: 'summary.json', args: ['summary', '-f', 'json'] },
  { file: 'steps.csv', args: ['steps', '-f', 'csv'] },
  { file: 'ops.csv', args: ['--by', 'op', '-f', 'csv'] },
];

/**
 * Makes those that the part has answers for, and says of the others why not.
 * @param failed what is missing in the part: text says so
 */
export async function writeReports(
  {
    folder,
    by,
    failed,
  }: { readonly folder: JobFolder; readonly by: string | null; readonly failed: readonly FailedTask[] },
  commands: Readonly<Record<string, CommandEntry>>,
): Promise<void> {
  const possible = REPORTS.filter(({ args: [name, keys = ''] }) => name !== '--by' || by === null || by.split(',').includes(keys)); // prettier-ignore
  const work = folder.work('report');
  try {
    await sayingOnce(async () => {
      for (const { file, args } of possible) {
        const [name = '', ...others] = args;
        const command = (await commands[name]?.load()) ?? KERNELS;
        const end = [...(command === KERNELS ? args : others), '-q', '-o', join(work.path, file), folder.at(JOB_PART)];
        const { code, error } = await runInside(() => runWith(command, end));
        if (existsSync(join(work.path, file))) {
          if (file.endsWith('.txt')) appendFileSync(join(work.path, file), failedText(failed));
          work.move(file, `${PLACES.report}/${file}`);
        }
        if (code !== EXIT.done && error !== null) say('dprof', `no ${PLACES.report}/${file}: ${error}`);
      }
    });
  } finally {
    work.dispose();
  }
}

/** The report of kernels, which is no command of its own. */
const KERNELS: Command = { tool: DPROF, run: reportCommand };

/** Prints the first report that there is. */
export async function printReport(folder: JobFolder): Promise<void> {
  for (const { file } of REPORTS) {
    const text = folder.read(PLACES.report, file);
    if (text !== null) return printText(text);
  }
}
