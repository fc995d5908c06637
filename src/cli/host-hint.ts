/** Hints of errors about what no device did: they name only what answers for the input. */
import { isAboutHost, withHostHint, type HostRecords } from '../prof/analysis.js';
import { UserError } from '../record/errors.js';
import type { ProfileLine } from '../record/record.js';
import { openInputs } from './input.js';
import { progress } from './progress.js';

const HOST_RECORDS = new Set<ProfileLine['type']>(['profile', 'range', 'sample', 'end']);

/** An error about what an input lacks, with a hint that answers for that input: it is looked at again. */
export async function hinted<Failure>(error: Failure, files: readonly string[]): Promise<Failure> {
  if (!(error instanceof UserError) || !isAboutHost(error) || files.length === 0 || files.includes('-')) return error;
  try {
    return withHostHint(error, await hostRecordsOf(files)) as Failure & UserError;
  } catch (again) {
    // Such as a partial answer, which has no records: what was wrong first is what is said.
    if (again instanceof UserError) return error;
    throw again;
  }
}

async function hostRecordsOf(files: readonly string[]): Promise<HostRecords> {
  let [annotations, ranges, cpus] = [false, false, false];
  const source = await openInputs(files, progress('dprof', false), { types: HOST_RECORDS, many: true });
  try {
    for await (const batch of source.batches) {
      ranges ||= batch.some(({ type }) => type === 'range');
      cpus ||= batch.some((record) => record.type === 'sample' && record.metric.startsWith('cpu_'));
      annotations ||= batch.some((record) => record.type === 'range' && record.kind === 'annotation');
      if (annotations) break;
    }
    return { annotations, ranges, cpus, isProfile: source.endings.some(({ isParsed }) => isParsed) };
  } finally {
    source.close();
  }
}
