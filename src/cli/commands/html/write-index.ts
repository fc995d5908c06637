/** `dprof html --index`: a page that lists pages and jobs, with links to them. */
import { existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { OUTLINE_ID } from '../../../prof/html/page-elements.js';
import type { JobIndex } from '../../../prof/html/job/job-data.js';
import { UsageError, UserError } from '../../../record/errors.js';
import { counted } from '../../../record/plural.js';
import { page } from '../../../write/html/page.js';
import type { Arguments } from '../../arguments.js';
import { say } from '../../message.js';
import { withOutput } from '../../output.js';
import { version } from '../../package-folder.js';
import { pageProgram } from '../../page-program.js';
import type { RecordsRequest } from '../../records-command.js';
import { findReports, MOST_JOBS, pageCard } from './find-reports.js';

/** Options of a page of profiles; a list takes none of them. */
const OF_PROFILES = ['step', 'from', 'to', 'events', 'device'] as const;

/** @throws UsageError for options that a list does not have; UserError where there is nothing to list */
export async function writeIndex(given: Arguments, { files, output, quiet }: RecordsRequest): Promise<void> {
  const odd = OF_PROFILES.find((name) => given.text(name) !== undefined);
  if (odd !== undefined) throw new UsageError(`--index lists pages: it has no --${odd}`);
  const list = output === undefined || output === '-' ? null : output;
  const folder = list === null ? '.' : dirname(list);
  if (list !== null && existsSync(list) && statSync(list).isFile() && pageCard(list) !== null)
    throw new UserError('is a page of profiles, which a list would replace', {
      where: list,
      hint: 'choose another name for -o',
    });
  const found = await findReports(files.length === 0 ? [folder] : files, folder, list);
  const { jobs, pages, others, damaged, leftOut } = found;
  const lost = damaged.map(
    (path) => `${path}: its report/summary.json cannot be read; dprof job --merge makes it again`,
  );
  for (const line of lost) say('dprof', line);
  if (jobs.length === 0)
    throw new UserError('no pages of dprof html and no folders of dprof job', {
      hint: 'make pages with dprof html -o FOLDER/NAME.html PROFILE',
    });
  if (!quiet && others > 0)
    say('dprof', `${counted(others, 'HTML file')} left out: not of dprof html, a list, or made before lists were`);
  if (leftOut > 0) say('dprof', `${counted(leftOut, 'job')} of more than ${MOST_JOBS} left out`);
  const title = given.text('title') ?? 'Jobs';
  const value: JobIndex = { tool: { name: 'dprof', version: version() }, title, jobs };
  // A list has no charts.
  const program = { ...pageProgram(), charts: '' };
  await withOutput(output, pages, async (write) => {
    for (const piece of page(`${title} · dprof`, program, [{ id: OUTLINE_ID, value }])) await write(piece);
  });
}
