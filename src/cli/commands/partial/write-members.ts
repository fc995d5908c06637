/** A file of all members of a store, then how their inputs ended. */
import type { Stats } from 'node:fs';
import type { StreamStatus } from '../../../prof/input/stream-status.js';
import { confirmEndings, confirmWhole } from '../../input.js';
import { withOutput } from '../../output.js';
import type { MemberStore } from './member-store.js';

interface MembersOutput {
  readonly inputs: readonly string[];
  readonly output: string | undefined;
  /** What stands at the output: see `checkOutput`. */
  readonly existing: Stats | null;
  readonly quiet: boolean;
}

/** @throws UserError for an input that is cut off, when the members before the cut are written */
export async function writeMembers(
  store: MemberStore,
  endings: readonly StreamStatus[],
  { inputs, output, existing, quiet }: MembersOutput,
): Promise<void> {
  const source = { name: inputs.join(', '), endings };
  await withOutput(output, inputs, async (write) => {
    confirmWhole(source, existing, output);
    await store.write(write);
  });
  confirmEndings(source, quiet);
}
