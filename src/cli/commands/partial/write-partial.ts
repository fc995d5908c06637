/** Reads profiles and writes their partial answers, for `dprof partial` and for baselines of `dprof diff`. */
import { append } from '../../../containers/element.js';
import type { StreamStatus } from '../../../prof/input/stream-status.js';
import {
  memberHeadOf,
  MEMBER_TYPES,
  PartialBuilder,
  type MemberOptions,
} from '../../../prof/partial/member-builder.js';
import { EXIT, UsageError, UserError } from '../../../record/errors.js';
import { withSource } from '../../../sources/pass.js';
import { openInputs, sayTroubles } from '../../input.js';
import { say } from '../../message.js';
import { checkOutput } from '../../output.js';
import { progress } from '../../progress.js';
import type { RecordsRequest } from '../../records-command.js';
import { MemberStore, writeMembers } from './member-store.js';

/** Writes the partial answers of profiles into one file. */
export async function writePartial(
  request: Pick<RecordsRequest, 'files' | 'output' | 'quiet' | 'reading'>,
  options: MemberOptions,
): Promise<void> {
  const { files, output, quiet } = request;
  const inputs = files.length === 0 ? ['-'] : files;
  const existing = await checkOutput(output, inputs);
  const store = new MemberStore();
  try {
    const endings: StreamStatus[] = [];
    const failures: UserError[] = [];
    for (const file of inputs) {
      const found = await takeInput(file, request, options, store);
      append(endings, found.endings);
      if (found.failure !== null) failures.push(found.failure);
    }
    const [first, ...others] = failures;
    // Without any members, the last line is the error itself.
    if (first !== undefined && store.size === 0) {
      sayTroubles({ endings }, first);
      for (const { line } of others) say('dprof', line);
      throw first;
    }
    for (const { line } of failures) say('dprof', line);
    if (failures.length > 0) process.exitCode = EXIT.failed;
    await writeMembers(store, endings, { inputs, output, existing, quiet });
  } finally {
    store.dispose();
  }
}

interface Taken {
  readonly endings: readonly StreamStatus[];
  /** Why the input could not be read, or not to its end. */
  readonly failure: UserError | null;
}

/** Adds the members of one input to the store, including those before a failure. */
async function takeInput(
  file: string,
  { quiet, reading }: Pick<RecordsRequest, 'quiet' | 'reading'>,
  options: MemberOptions,
  store: MemberStore,
): Promise<Taken> {
  const meter = progress('dprof', !quiet);
  const builder = new PartialBuilder(options, (lines) => {
    store.add(memberHeadOf(lines[0] ?? '')?.id ?? '', lines);
  });
  let close = (): void => undefined;
  let [name, endings]: [string, readonly StreamStatus[]] = [file, []];
  try {
    const source = await openInputs([file], meter, { types: MEMBER_TYPES }, reading);
    ({ name, endings, close } = source);
    for await (const batch of source.batches) for (const record of batch) builder.take(record);
    builder.end();
    return { endings, failure: null };
  } catch (error) {
    if (!(error instanceof UserError) || error instanceof UsageError) throw error;
    return { endings, failure: withSource(error, { name, endings }) as UserError };
  } finally {
    meter.clear();
    close();
  }
}
