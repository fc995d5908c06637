/** The page of the sample's job, made once: four ranks, whose clocks differ by seconds; the third is late. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PageContents } from '../../src/prof/html/page-data.js';
import { pageContentsOfFile } from './pages.js';
import { runCli } from './run-cli.js';
import { ROOT } from './shared.js';

export const JOB_FILES = [0, 1, 2, 3].map((rank) => join(ROOT, `samples/job/rank_${rank}.pt.trace.json.gz`));

let made: Promise<PageContents> | null = null;

async function make(): Promise<PageContents> {
  const folder = mkdtempSync(join(tmpdir(), 'dprof-job-'));
  try {
    const path = join(folder, 'job.dict');
    writeFileSync(path, (await runCli('dparse', ['-q', '--ranges', ...JOB_FILES])).stdout);
    return await pageContentsOfFile(path);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

export const sampleJob = (): Promise<PageContents> => (made ??= make());
